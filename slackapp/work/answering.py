"""Answers one claimed question: check it, ask the agent, post the answer, finish the claim.

A worker that loses the claim posts nothing more. A run that may succeed later is left for the sweeper. In
every other case the asker is told one thing, or the log says why not.
"""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fetcher import messages_ja as engine_messages
from fetcher.clock import Clock
from slackapp import messages_ja
from slackapp.codes import RefusalCode
from slackapp.guard import Guard, Refusal
from slackapp.listeners.incoming import Incoming, known_urls_name, reply_name, thread_name
from slackapp.metrics import measured
from slackapp.reply.session import ReplySession
from slackapp.settings import SlackSettings
from slackapp.slack.errors import PostError
from slackapp.slack.poster import Poster
from slackapp.stores.contract import Store, StoreUnavailable
from slackapp.thread.agent_request import ask_request
from slackapp.thread.history import ThreadReader
from slackapp.work.lease import ClaimKeeper, ClaimLost, Lease, NoLease
from slackapp.work.runs import Interrupted, Runs, Stopped

if TYPE_CHECKING:
    from fetcher.agent import Answer

log = logging.getLogger(__name__)

DAY = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """Collaborators that every question shares; one instance per process."""

    settings: SlackSettings
    store: Store
    guard: Guard
    keeper: ClaimKeeper
    poster: Poster
    history: ThreadReader
    runs: Runs
    clock: Clock

    def now(self) -> float:
        return self.clock.now().timestamp()


class Answering:
    """Runs claimed questions to their end."""

    def __init__(self, dependencies: Dependencies) -> None:
        self._dependencies = dependencies

    def run(self, lease: Lease, incoming: Incoming) -> None:
        """Answer or refuse the question, and finish its claim unless the run may succeed later."""
        key = incoming.key
        fields = {"key": key, "kind": incoming.kind, "attempt": lease.claim.attempt}
        with lease, self._session(incoming, lease) as session:
            try:
                self._reply(lease, incoming, session)
                lease.finish()
            except ClaimLost:
                log.warning("left_to_others", extra={"fields": fields})
            except Interrupted:
                log.warning("interrupted", extra={"fields": fields})
                session.close()
                lease.release()
            except PostError as error:
                failure = {"key": key, "error_code": error.code, "retryable": error.retryable, "unheard": 1}
                line = measured(failure, "unheard", by=["error_code"], at=self._dependencies.clock.now())
                log.error("reply_not_posted", extra={"fields": line})
                if not error.retryable:
                    self.finish(lease)
            except Exception:  # the rim: after any other failure the asker is told, and the log has the rest
                line = measured(fields | {"failures": 1}, "failures", at=self._dependencies.clock.now())
                log.exception("question_failed", extra={"fields": line})
                try:
                    session.post_notice(messages_ja.failed())
                except (ClaimLost, PostError) as error:
                    log.error("apology_not_posted", extra={"fields": {"key": key, "error": str(error)}})
                else:
                    self.finish(lease)

    def refuse(self, incoming: Incoming, code: RefusalCode) -> None:
        """Refuse a question that could not be claimed."""
        with self._session(incoming, NoLease()) as session:
            self._refuse(Refusal(code=code), incoming, session)

    def finish(self, lease: Lease) -> None:
        """Finish a claim; if it was lost meanwhile, that is only logged."""
        try:
            lease.finish()
        except ClaimLost:
            log.warning("finished_too_late", extra={"fields": {"key": lease.claim.key}})

    def _reply(self, lease: Lease, incoming: Incoming, session: ReplySession) -> None:
        if session.was_refused():
            return
        if lease.stopped and not lease.resumed:  # before anything was posted
            return
        if lease.claim.attempt > self._dependencies.settings.max_attempts:
            session.post_notice(messages_ja.gave_up())
            return
        refusal: Refusal | None
        if incoming.too_long:
            refusal = Refusal(code=RefusalCode.MESSAGE_TOO_LONG)
        elif not incoming.question and not incoming.files and incoming.starts_thread:
            refusal = Refusal(code=RefusalCode.EMPTY)
        else:
            refusal = self._dependencies.guard.check(incoming, charged=lease.reply_record.charged)
        if refusal:
            self._refuse(refusal, incoming, session)
            return
        session.record_charge()
        session.begin()
        if session.thread_ts:  # from now on, replies in this thread are questions too (S10)
            self._link(thread_name(incoming.team, incoming.channel, session.thread_ts), incoming.key)
        self._answer(lease, incoming, session)

    def _refuse(self, refusal: Refusal, incoming: Incoming, session: ReplySession) -> None:
        fields = {"key": incoming.key, "code": refusal.code, "refusals": 1}
        line = measured(fields, "refusals", by=["code"], at=self._dependencies.clock.now())
        log.info("refused", extra={"fields": line})
        session.refuse(messages_ja.refusal(refusal.code, wait_seconds=refusal.wait_seconds))

    def _answer(self, lease: Lease, incoming: Incoming, session: ReplySession) -> None:
        from fetcher.agent import AgentError

        started = self._dependencies.now()
        runs, thread_ts = self._dependencies.runs, session.thread_ts
        thread = self._dependencies.history.thread(incoming)
        name = known_urls_name(incoming.team, incoming.channel, thread_ts) if thread_ts else ""
        request = ask_request(incoming, thread, runs.limits, self._known_urls(name))
        try:
            answer = runs.answer(request, lease, session.update_progress)
        except Stopped:
            session.post_notice(messages_ja.stopped())
        except AgentError as error:
            session.post_notice(engine_messages.note(error.code))
        else:
            # Before the answer is posted: a user who sees a link in it may ask for that link at once.
            self._store_known_urls(name, answer.known_urls)
            # The tokens are spent, whatever becomes of the answer.
            tokens = answer.usage.input_tokens + answer.usage.output_tokens
            self._dependencies.guard.count_tokens(incoming, tokens)
            session.post_answer(answer)
            self._log_answer(incoming, answer, tokens, started)

    def _known_urls(self, name: str) -> tuple[str, ...]:
        """The URLs that were read in the thread before; none if the store does not answer."""
        try:
            return self._dependencies.store.known_urls(name, now=self._dependencies.now()) if name else ()
        except StoreUnavailable as error:
            log.warning("record_not_read", extra={"fields": {"error": str(error)}})
            return ()

    def _store_known_urls(self, name: str, urls: tuple[str, ...]) -> None:
        now = self._dependencies.now()
        expires_at = now + self._dependencies.settings.thread_days * DAY
        try:
            if name and urls:
                self._dependencies.store.add_known_urls(name, urls, now=now, expires_at=expires_at)
        except StoreUnavailable as error:
            log.warning("record_not_kept", extra={"fields": {"error": str(error)}})

    def _log_answer(self, incoming: Incoming, answer: "Answer", tokens: int, started: float) -> None:
        fields = {
            "key": incoming.key,
            "kind": incoming.kind,
            "answers": 1,
            "seconds": round(self._dependencies.now() - started, 3),
            "answered": answer.answered,
            "offline": answer.offline,
            "sources": len(answer.sources),
            "files": len(answer.files),
            "model_calls": answer.usage.calls,
            "tokens": tokens,
        }
        now = self._dependencies.clock.now()
        line = measured(fields, "answers", "seconds", "tokens", by=["kind"], at=now)
        log.info("answered", extra={"fields": line})

    def _session(self, incoming: Incoming, lease: Lease | NoLease) -> ReplySession:
        def link_reply(ts: str) -> None:
            self._link(reply_name(incoming.team, incoming.channel, ts), incoming.key)

        return ReplySession(
            self._dependencies.poster,
            incoming,
            record=lease.record,
            clock=self._dependencies.clock,
            reply_record=lease.reply_record,
            resumed=lease.resumed,
            on_posted=link_reply,
        )

    def _link(self, name: str, key: str) -> None:
        expires_at = self._dependencies.now() + self._dependencies.settings.thread_days * DAY
        try:
            self._dependencies.store.link_claim(name, key, expires_at=expires_at)
        except StoreUnavailable as error:
            log.warning("not_linked", extra={"fields": {"key": key, "error": str(error)}})
