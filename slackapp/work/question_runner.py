"""Answers one claimed question: check it, ask the agent, post the answer, finish the claim.

A worker that loses the claim posts nothing more. A run that may succeed later is left for the sweeper. In
every other case the asker is told one thing, or the log says why not.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fetcher import wording as engine_wording
from fetcher.wording.language import Language, speaking
from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.guard.guard import Refusal, is_stop, is_thanks, unreadable_question
from slackapp.listeners.incoming import Incoming, Kind, Name
from slackapp.reply.session import ReplySession
from slackapp.slack.errors import PostError, SlackDown, Unavailable
from slackapp.thread.agent_request import ask_request
from slackapp.work.agent_runs import Interrupted, Stopped
from slackapp.work.dependencies import Dependencies
from slackapp.work.lease import ClaimLost, Lease, NoLease
from slackapp.work.stopping import Stopping

if TYPE_CHECKING:
    from fetcher.agent import Answer, AskRequest, Progress

log = logging.getLogger(__name__)

THANKED = "bow"
"""The reaction to thanks."""
PAUSE_SECONDS = 5.0
"""Between two tries, if Slack does not say how long to wait."""
REPEATED_SECONDS = 5.0
"""How long a refused reaction holds its message, so that one that is delivered again tells nothing twice."""


@dataclass(slots=True)
class QuestionRunner:
    """Runs claimed questions to their end."""

    dependencies: Dependencies
    stopping: Stopping = field(init=False)

    def __post_init__(self) -> None:
        self.stopping = Stopping(self.dependencies)

    def run(self, lease: Lease, incoming: Incoming, *, is_readable: bool = True) -> None:
        """Answer or refuse the question, and finish its claim unless the run may succeed later.

        Of a request that cannot be read, `incoming` says only where it was asked: the asker is told.
        """
        if incoming.kind is Kind.REACTION:
            found = self._with_message(lease, incoming)
            if found is None:
                return
            incoming = found
        key = incoming.key
        fields = {"key": key, "kind": incoming.kind, "attempt": lease.claim.attempt}
        began = self.dependencies.now()
        with lease, self._speaking(lease, incoming), self._session(incoming, lease) as session:
            try:
                answer = self._reply(lease, incoming, session, is_readable)
                self._patiently(lease, session.settle)
                is_free = incoming.kind is Kind.REACTION and session.refusal.is_recorded
                lease.finish(after=REPEATED_SECONDS if is_free else None)
                self._complete(incoming, session, answer, began)
            except ClaimLost:
                log.warning("left_to_others", extra={"fields": fields})
            except Interrupted:
                log.warning("interrupted", extra={"fields": fields})
                self._give_back(lease, session)
            except PostError as error:
                failure = {"key": key, "error_code": error.code, "retryable": error.retryable, "unheard": 1}
                line = self.dependencies.measured(failure, "unheard", by=["error_code"])
                log.error("reply_not_posted", extra={"fields": line})
                if error.retryable:
                    self._give_back(lease, session, after=_pause(error))
                else:
                    self._end_status(lease, session)
                    self.finish(lease)
            except Exception:  # the rim: after any other failure the asker is told, and the log has the rest
                line = self.dependencies.measured(fields | {"failures": 1}, "failures")
                log.exception("question_failed", extra={"fields": line})
                try:
                    session.post_notice(wording.failed())
                    session.settle()
                except (ClaimLost, Interrupted, PostError) as error:
                    log.error("apology_not_posted", extra={"fields": {"key": key, "error": str(error)}})
                    self._end_status(lease, session)
                else:
                    self.finish(lease)

    def _with_message(self, lease: Lease, incoming: Incoming) -> Incoming | None:
        """The question of a reaction with its message; without a message, the claim is left or finished."""
        error, found = None, None
        try:
            found = self.dependencies.linked_messages.with_message(incoming)
        except PostError as failure:
            error = failure
        if found is None:
            fields = {"key": incoming.key, "error_code": error.code if error else "message_not_found"}
            log.warning("message_not_read", extra={"fields": fields})
            with lease:
                if error and error.retryable:
                    lease.release(after=_pause(error))
                else:
                    self.finish(lease)
        return found

    def _speaking(self, lease: Lease | NoLease, incoming: Incoming) -> AbstractContextManager[None]:
        """Speak the asker's language: that of the run before, if there was one."""
        if recorded := lease.reply_record.language:
            return speaking(Language.of_locale(recorded))
        return speaking(lambda: self.dependencies.locales.language_of(incoming.team, incoming.user))

    def _complete(
        self, incoming: Incoming, session: ReplySession, answer: "Answer | None", began: float
    ) -> None:
        """With the claim done, show prompts that fit the answer, in the app's Messages tab, and wait for
        files that come late: as long as the run has time, at most a minute."""
        dependencies = self.dependencies
        offers = answer.offers if answer and incoming.is_private else ()
        prompts = [wording.next_prompt(offer.kind, offer.url) for offer in offers]
        try:
            if prompts:
                dependencies.poster.suggest_prompts(incoming.channel, wording.next_prompts_title(), prompts)
        except PostError as error:
            log.info("prompts_not_shown", extra={"fields": {"error_code": error.code}})
        left = began + dependencies.runs.limits.seconds - dependencies.now()
        try:
            session.await_late_files(min(left, dependencies.settings.late_file_seconds))
        except (Interrupted, PostError) as error:
            log.warning("late_files_not_awaited", extra={"fields": {"error": str(error)}})

    def _end_status(self, lease: Lease, session: ReplySession) -> None:
        """Nothing more is posted: Slack must not show for an hour that the app is working."""
        try:
            session.end_status()
        except ClaimLost:
            log.warning("left_to_others", extra={"fields": {"key": lease.claim.key}})

    def _give_back(self, lease: Lease, session: ReplySession, *, after: float = 0.0) -> None:
        """Leave the question to the next worker, after so many seconds; the run was not an attempt."""
        session.close()
        try:
            session.give_back_run()
            lease.release(after=after)
        except ClaimLost:
            log.warning("left_to_others", extra={"fields": {"key": lease.claim.key}})

    def _patiently(self, lease: Lease, post: Callable[[], None]) -> None:
        """Post something that is worth waiting for: if Slack refuses for a time, try again after that time.

        What stands already is not posted again. Raises the last error when the patience ends.
        """
        until = self.dependencies.now() + self.dependencies.settings.patience_seconds
        while True:
            try:
                return post()
            except PostError as error:
                pause, is_awaited = _pause(error), isinstance(error, Unavailable | SlackDown)
                if not is_awaited or self.dependencies.now() + pause > until:
                    raise
                log.warning("slack_awaited", extra={"fields": {"key": lease.claim.key, "code": error.code}})
            self.dependencies.runs.wait(pause)

    def refuse(self, incoming: Incoming, code: RefusalCode) -> None:
        """Refuse a question that could not be claimed."""
        with self._speaking(NoLease(), incoming), self._session(incoming, NoLease()) as session:
            self._refuse(Refusal(code=code), incoming, session)

    def finish(self, lease: Lease) -> None:
        """Finish a claim; if it was lost meanwhile, that is only logged."""
        try:
            lease.finish()
        except ClaimLost:
            log.warning("finished_too_late", extra={"fields": {"key": lease.claim.key}})

    def _reply(
        self, lease: Lease, incoming: Incoming, session: ReplySession, is_readable: bool
    ) -> "Answer | None":
        """Answer or refuse the question; the answer, if there is one."""
        if session.refusal.was_told():
            return None
        if lease.stopped and not lease.resumed:  # before anything was posted
            return None
        if session.is_complete():
            return None
        if not is_readable or session.runs >= self.dependencies.settings.max_attempts:
            notice = wording.gave_up() if is_readable else wording.failed()
            self._patiently(lease, lambda: session.post_notice(notice))
            return None
        guard = self.dependencies.guard
        if is_thanks(incoming) or is_stop(incoming):
            # No answer is needed; these use up no quota, and a user whom the app refuses gets nothing.
            if guard.check(incoming, charged=True) is None:
                self._acknowledge(incoming, session)
            return None
        # What cannot be answered costs a reply too: it is told only to those who may ask, and counts.
        refusal = guard.check(incoming, charged=lease.reply_record.charged) or unreadable_question(incoming)
        if refusal:
            self._refuse(refusal, incoming, session)
            return None
        session.record_run()
        session.begin()
        if session.thread_ts:  # from now on, replies in this thread may be questions too (S20)
            self.dependencies.follow_ups.note_question(incoming, session.thread_ts)
            link = f"archives/{incoming.channel}/p{session.thread_ts.replace('.', '')}"  # for the Home tab
            self.dependencies.thread_record.add_urls(Name.THREADS.of(incoming.team, incoming.user), (link,))
        return self._answer(lease, incoming, session)

    def _acknowledge(self, incoming: Incoming, session: ReplySession) -> None:
        """Answer thanks with a reaction; stop the thread's answer, or tell how one is stopped."""
        if is_thanks(incoming):
            log.info("thanked", extra={"fields": {"key": incoming.key}})
            self.dependencies.poster.add_reaction(incoming.channel, incoming.ts, THANKED)
        else:
            log.info("stop_asked", extra={"fields": {"key": incoming.key}})
            if not self.stopping.stop_thread(incoming):
                session.refuse(wording.nothing_to_stop())

    def _refuse(self, refusal: Refusal, incoming: Incoming, session: ReplySession) -> None:
        who = {"user": incoming.user, "channel": incoming.channel, "team": incoming.team}
        fields = {"key": incoming.key, "code": refusal.code, **who, "refusals": 1}
        line = self.dependencies.measured(fields, "refusals", by=["code"])
        log.info("refused", extra={"fields": line})
        if refusal.code is RefusalCode.EMPTY and (incoming.question or incoming.kind is Kind.COMMAND):
            session.refuse(wording.help_text())
        else:
            session.refuse(wording.refusal(refusal.code, wait_seconds=refusal.wait_seconds))

    def _answer(self, lease: Lease, incoming: Incoming, session: ReplySession) -> "Answer | None":
        from fetcher.agent import AgentError

        started = self.dependencies.now()
        thread_ts = session.thread_ts
        thread = self.dependencies.history.thread(incoming)
        name = Name.KNOWN_URLS.of(incoming.team, incoming.channel, thread_ts) if thread_ts else ""
        request = ask_request(
            incoming,
            thread,
            self.dependencies.runs.limits,
            self.dependencies.thread_record.known_urls(name),
            self.dependencies.shared_files,
            self.dependencies.linked_messages,
            search_off=self.dependencies.settings.search_off_channel_ids,
        )
        try:
            answer = self._ask(lease, incoming, session, request)
        except Stopped:
            self._patiently(lease, session.post_stopped)
        except AgentError as error:
            note = engine_wording.note(error.code)
            self._patiently(lease, lambda: session.post_notice(note))
        else:
            # Before the answer is posted: a user who sees a link in it may ask for that link at once.
            self.dependencies.thread_record.add_urls(name, answer.known_urls)
            self._patiently(lease, lambda: session.post_answer(answer))
            if thread_ts:
                self.dependencies.follow_ups.note_answer(incoming, thread_ts)
            self._log_answer(incoming, answer, started)
            return answer
        return None

    def _ask(
        self, lease: Lease, incoming: Incoming, session: ReplySession, request: "AskRequest"
    ) -> "Answer":
        """The agent's answer. Its tokens count also if it is never posted, or if the run ends without one."""
        answer, spent = None, 0

        def report(progress: "Progress") -> None:
            nonlocal spent
            spent += progress.tokens
            session.update_progress(progress)

        try:
            answer = self.dependencies.runs.answer(request, lease, report)
            spent = max(spent, answer.usage.tokens)  # a remote agent tells it at the end
            return answer
        finally:
            self.dependencies.guard.count_tokens(incoming, spent, answered=answer is not None)

    def _log_answer(self, incoming: Incoming, answer: "Answer", started: float) -> None:
        fields = {
            "key": incoming.key,
            "kind": incoming.kind,
            "answers": 1,
            "seconds": round(self.dependencies.now() - started, 3),
            "answered": answer.answered,
            "offline": answer.offline,
            "sources": len(answer.sources),
            "files": len(answer.files),
            "model_calls": answer.usage.calls,
            "tokens": answer.usage.tokens,
        }
        line = self.dependencies.measured(fields, "answers", "seconds", "tokens", by=["kind"])
        log.info("answered", extra={"fields": line})

    def _session(self, incoming: Incoming, lease: Lease | NoLease) -> ReplySession:
        link_claim, place = self.dependencies.thread_record.link_claim, (incoming.team, incoming.channel)
        return ReplySession(
            self.dependencies.poster,
            incoming,
            record=lease.record,
            clock=self.dependencies.clock,
            reply_record=lease.reply_record,
            resumed=lease.resumed,
            on_posted=lambda ts: link_claim(Name.REPLY.of(*place, ts), incoming.key),
            require=lease.require,
            run=lease.run,
            wait=self.dependencies.runs.wait,
            settle_seconds=self.dependencies.settings.settle_seconds,
        )


def _pause(error: PostError) -> float:
    """How long to leave Slack alone."""
    return error.retry_after if isinstance(error, Unavailable) else PAUSE_SECONDS
