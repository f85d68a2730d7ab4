"""One question, from its claim to done: let in, asked, answered.

Whoever loses the claim says nothing more. A run that may succeed later is left for the sweeper. Whatever
happens, the asker hears one thing, or the log says why they heard nothing.
"""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fetcher import messages_ja as engine_words
from fetcher.clock import Clock
from slackapp import messages_ja
from slackapp.codes import RefusalCode
from slackapp.guard import Guard, Refusal
from slackapp.listeners.incoming import Incoming, record_name, reply_name, thread_name
from slackapp.metrics import measured
from slackapp.reply.session import ReplySession
from slackapp.settings import SlackSettings
from slackapp.slack.errors import PostError
from slackapp.slack.poster import Poster
from slackapp.stores.contract import ReplyRecord, Store, StoreUnavailable
from slackapp.thread.agent_request import ask_request
from slackapp.thread.history import ThreadReader
from slackapp.work.lease import ClaimKeeper, ClaimLost, Lease
from slackapp.work.runs import Interrupted, Runs, Stopped

if TYPE_CHECKING:
    from fetcher.agent import Answer

log = logging.getLogger(__name__)

DAY = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """What every question uses; one a process."""

    settings: SlackSettings
    store: Store
    guard: Guard
    keeper: ClaimKeeper
    poster: Poster
    history: ThreadReader
    runs: Runs
    clock: Clock


class Answering:
    """Brings claims to their end."""

    def __init__(self, office: Dependencies) -> None:
        self._office = office

    def run(self, lease: Lease, incoming: Incoming) -> None:
        """Answers or refuses; what may succeed later is not finished."""
        fields = {"key": incoming.key, "kind": incoming.kind, "attempt": lease.claim.attempt}
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
                self._not_heard(lease, error)
            except Exception:  # the rim: whatever breaks, the asker hears of it and the log has the rest
                line = measured(fields | {"failures": 1}, "failures", at=self._office.clock.now())
                log.exception("question_failed", extra={"fields": line})
                self._apologise(lease, session)

    def refuse(self, incoming: Incoming, code: RefusalCode) -> None:
        """Says no to what could not be claimed."""
        with self._session(incoming) as session:
            self._refuse(Refusal(code=code), incoming, session)

    def _reply(self, lease: Lease, incoming: Incoming, session: ReplySession) -> None:
        if session.was_refused():
            return
        if lease.claim.attempt > self._office.settings.max_attempts:
            session.say(messages_ja.gave_up())
        elif refusal := self._refusal(lease, incoming):
            self._refuse(refusal, incoming, session)
        else:
            session.begin()
            self._mark_thread(incoming, session.thread_ts)
            self._answer(lease, incoming, session)

    def _refuse(self, refusal: Refusal, incoming: Incoming, session: ReplySession) -> None:
        fields = {"key": incoming.key, "code": refusal.code, "refusals": 1}
        self._measure("refused", fields, "refusals", by="code")
        session.refuse(messages_ja.refusal(refusal.code, wait_seconds=refusal.wait_seconds))

    def _refusal(self, lease: Lease, incoming: Incoming) -> Refusal | None:
        if incoming.too_long:
            return Refusal(code=RefusalCode.MESSAGE_TOO_LONG)
        if not incoming.question and not incoming.files and incoming.starts_thread:
            return Refusal(code=RefusalCode.EMPTY)
        return self._office.guard.check(incoming, resumed=lease.resumed)

    def _answer(self, lease: Lease, incoming: Incoming, session: ReplySession) -> None:
        from fetcher.agent import AgentError

        started = self._now()
        thread = self._office.history.thread(incoming)
        record = record_name(incoming.team, incoming.channel, session.thread_ts) if session.thread_ts else ""
        request = ask_request(incoming, thread, self._office.runs.limits, self._known_urls(record))
        try:
            answer = self._office.runs.answer(request, lease, session.progress)
        except Stopped:
            session.say(messages_ja.stopped())
        except AgentError as error:
            session.say(engine_words.note(error.code))
        else:
            self._keep_record(record, answer)
            session.answer(answer)
            self._count(incoming, answer, started)

    def _known_urls(self, record: str) -> tuple[str, ...]:
        """What was read in the thread before, as far as the store can say."""
        try:
            return self._office.store.known_urls(record, now=self._now()) if record else ()
        except StoreUnavailable as error:
            log.warning("record_not_read", extra={"fields": {"error": str(error)}})
            return ()

    def _keep_record(self, record: str, answer: "Answer") -> None:
        """Before the answer is shown: whoever sees a link of it can ask for that link."""
        now = self._now()
        expires_at = now + self._office.settings.thread_days * DAY
        try:
            if record and answer.known_urls:
                self._office.store.add_known_urls(record, answer.known_urls, now=now, expires_at=expires_at)
        except StoreUnavailable as error:
            log.warning("record_not_kept", extra={"fields": {"error": str(error)}})

    def _count(self, incoming: Incoming, answer: "Answer", started: float) -> None:
        tokens = answer.usage.input_tokens + answer.usage.output_tokens
        self._office.guard.spent(incoming, tokens)
        fields = {
            "key": incoming.key,
            "kind": incoming.kind,
            "answers": 1,
            "seconds": round(self._now() - started, 3),
            "answered": answer.answered,
            "offline": answer.offline,
            "sources": len(answer.sources),
            "files": len(answer.files),
            "model_calls": answer.usage.calls,
            "tokens": tokens,
        }
        self._measure("answered", fields, "answers", "seconds", "tokens", by="kind")

    def _not_heard(self, lease: Lease, error: PostError) -> None:
        """Slack does not let us speak: later perhaps, or never."""
        fields = {
            "key": lease.claim.key,
            "error_code": error.code,
            "retryable": error.retryable,
            "unheard": 1,
        }
        line = measured(fields, "unheard", by=["error_code"], at=self._office.clock.now())
        log.error("reply_not_posted", extra={"fields": line})
        if not error.retryable:
            self.finish(lease)

    def _apologise(self, lease: Lease, session: ReplySession) -> None:
        try:
            session.say(messages_ja.failed())
        except (ClaimLost, PostError) as error:
            log.error("apology_not_posted", extra={"fields": {"key": lease.claim.key, "error": str(error)}})
        else:
            self.finish(lease)

    def finish(self, lease: Lease) -> None:
        """Closes a claim, whether it is still ours or not."""
        try:
            lease.finish()
        except ClaimLost:
            log.warning("finished_too_late", extra={"fields": {"key": lease.claim.key}})

    def _session(self, incoming: Incoming, lease: Lease | None = None) -> ReplySession:
        def link(ts: str) -> None:
            self._link(reply_name(incoming.team, incoming.channel, ts), incoming.key)

        return ReplySession(
            self._office.poster,
            incoming,
            record=lease.record if lease else lambda _: None,
            clock=self._office.clock,
            delivery=lease.claim.reply_record if lease else ReplyRecord(),
            resumed=lease.resumed if lease else False,
            on_posted=link,
        )

    def _mark_thread(self, incoming: Incoming, thread_ts: str) -> None:
        """From now on, replies in this thread are for us (S10)."""
        if thread_ts:
            self._link(thread_name(incoming.team, incoming.channel, thread_ts), incoming.key)

    def _link(self, name: str, key: str) -> None:
        expires_at = self._now() + self._office.settings.thread_days * DAY
        try:
            self._office.store.link_claim(name, key, expires_at=expires_at)
        except StoreUnavailable as error:
            log.warning("not_linked", extra={"fields": {"key": key, "error": str(error)}})

    def _measure(self, event: str, fields: dict[str, Any], *metrics: str, by: str) -> None:
        line = measured(fields, *metrics, by=[by], at=self._office.clock.now())
        log.info(event, extra={"fields": line})

    def _now(self) -> float:
        return self._office.clock.now().timestamp()
