"""The way of a question: claimed, let in, asked, answered, done.

A claim is the right to answer. Whoever holds it keeps it alive while the agent works; whoever loses it says
nothing more. A run that dies is taken up by the sweeper, which goes on from what stands in Slack already.
Whatever happens, the asker hears one thing, or the log says why they heard nothing.
"""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fetcher import messages_ja as engine_words
from fetcher.clock import Clock
from slackapp import messages_ja
from slackapp.codes import IgnoreReason, RefusalCode
from slackapp.conversation import ask_request
from slackapp.delivery import ReplySession
from slackapp.guard import Guard, Refusal
from slackapp.guard.claim import ClaimKeeper, ClaimLost, Lease
from slackapp.history import ThreadReader
from slackapp.incoming import Feedback, Incoming, Kind, Stop, reply_name, thread_name
from slackapp.metrics import measured
from slackapp.post import Poster
from slackapp.post_errors import PostError
from slackapp.runs import Interrupted, Runs, Stopped
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Claim, Delivery, Store, StoreUnavailable

if TYPE_CHECKING:
    from fetcher.agent import Answer

log = logging.getLogger(__name__)

DAY = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """What every question uses; one a process."""

    settings: SlackSettings
    store: Store
    guard: Guard
    keeper: ClaimKeeper
    poster: Poster
    history: ThreadReader
    runs: Runs
    clock: Clock


class Handler:
    """Answers what listeners hand over, and what workers left behind."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def ask(self, incoming: Incoming, *, first_delivery: bool) -> None:
        """Answers a question, or refuses it, once."""
        try:
            lease = self._claimed(incoming)
        except StoreUnavailable as error:
            log.error("store_unavailable", extra={"fields": {"key": incoming.key, "error": str(error)}})
            if first_delivery:
                self._tell_undecided(incoming)
            return
        if lease is not None:
            self._run(lease, incoming)

    def expired(self, limit: int) -> tuple[Claim, ...]:
        """Claims that their workers left behind."""
        return self._office.keeper.expired(limit)

    def resume(self, claim: Claim) -> None:
        """Takes the claim over, if nobody was faster, and brings it to its end."""
        try:
            lease = self._office.keeper.take_over(claim)
        except StoreUnavailable as error:
            log.warning("not_resumed", extra={"fields": {"key": claim.key, "error": str(error)}})
            return
        if lease is not None:
            self._run_again(lease)

    def _run_again(self, lease: Lease) -> None:
        """What another version of the app has written, and we cannot read, is not tried for ever."""
        try:
            incoming = lease.incoming
        except (ValueError, TypeError, LookupError) as error:
            fields = {"key": lease.claim.key, "error": type(error).__name__}
            log.error("claim_unreadable", extra={"fields": fields})
            self._finish(lease)
        else:
            self._run(lease, incoming)

    def stop(self, stop: Stop) -> None:
        """Stops a run, if it is the asker who wants that, or the request is gone."""
        try:
            for claim in self._working(stop):
                asker = Incoming.from_json(claim.incoming).user
                if stop.user and stop.user != asker:
                    log.info("stop_refused", extra={"fields": {"key": claim.key, "user": stop.user}})
                elif self._office.store.stop(claim.key, now=self._now()):
                    self._office.runs.stop(claim.key)
        except StoreUnavailable as error:
            log.error("not_stopped", extra={"fields": {"channel": stop.channel, "error": str(error)}})

    def feedback(self, feedback: Feedback) -> None:
        """Remembers what somebody thought of an answer, and thanks them."""
        now = self._now()
        thanks = messages_ja.feedback_thanks()
        try:
            kept_until = now + self._office.settings.thread_days * DAY
            self._office.store.keep_feedback(feedback.name, feedback.value, now=now, expires_at=kept_until)
            log.info("feedback", extra={"fields": {"name": feedback.name, "value": feedback.value}})
        except StoreUnavailable as error:
            log.error("feedback_lost", extra={"fields": {"name": feedback.name, "error": str(error)}})
            thanks = messages_ja.refusal(RefusalCode.STORE_UNAVAILABLE)
        try:
            self._office.poster.tell(feedback.channel, feedback.user, thanks, feedback.thread_ts)
        except PostError as error:
            log.warning("feedback_not_thanked", extra={"fields": {"error_code": error.code}})

    def home(self, user: str) -> None:
        """Shows the app's home to somebody."""
        try:
            self._office.poster.show_home(user, messages_ja.app_home())
        except PostError as error:
            log.warning("home_not_shown", extra={"fields": {"error_code": error.code}})

    def _claimed(self, incoming: Incoming) -> Lease | None:
        """The claim; None when the request is nobody's question, or somebody has it already."""
        if incoming.kind is Kind.FOLLOW_UP and not self._is_ours(incoming):
            self._ignored(incoming, IgnoreReason.THREAD_NOT_OURS)
            return None
        lease = self._office.keeper.claim(incoming)
        if lease is None:
            self._ignored(incoming, IgnoreReason.ALREADY_CLAIMED)
        return lease

    def _is_ours(self, incoming: Incoming) -> bool:
        """Whether we have answered in this thread before (S10)."""
        name = thread_name(incoming.team, incoming.channel, incoming.thread_ts)
        return self._office.store.linked(name, now=self._now()) is not None

    def _ignored(self, incoming: Incoming, reason: IgnoreReason) -> None:
        log.info("ignored", extra={"fields": {"key": incoming.key, "reason": reason}})

    def _tell_undecided(self, incoming: Incoming) -> None:
        """Once, though nobody can say whether it was told before: of a mention's two events one is
        silent (S3), and of a thread without a mention nobody knows whether it is ours."""
        if not incoming.echo and incoming.kind is not Kind.FOLLOW_UP:
            with self._session(incoming) as session:
                self._refuse(Refusal(code=RefusalCode.STORE_UNAVAILABLE), incoming, session)

    def _run(self, lease: Lease, incoming: Incoming) -> None:
        """Brings a claim to its end; a run that may succeed later is left for the sweeper."""
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
        request = ask_request(incoming, thread, self._office.runs.limits)
        try:
            answer = self._office.runs.answer(request, lease, session.progress)
        except Stopped:
            session.say(messages_ja.stopped())
        except AgentError as error:
            session.say(engine_words.note(error.code))
        else:
            session.answer(answer)
            self._count(incoming, answer, started)

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
            self._finish(lease)

    def _apologise(self, lease: Lease, session: ReplySession) -> None:
        try:
            session.say(messages_ja.failed())
        except (ClaimLost, PostError) as error:
            log.error("apology_not_posted", extra={"fields": {"key": lease.claim.key, "error": str(error)}})
        else:
            self._finish(lease)

    def _finish(self, lease: Lease) -> None:
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
            delivery=lease.claim.delivery if lease else Delivery(),
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
            self._office.store.link(name, key, expires_at=expires_at)
        except StoreUnavailable as error:
            log.warning("not_linked", extra={"fields": {"key": key, "error": str(error)}})

    def _working(self, stop: Stop) -> list[Claim]:
        """The claims that are meant, if they are being worked on."""
        store, now = self._office.store, self._now()
        linked = [store.linked(name, now=now) for name in stop.names]
        keys = dict.fromkeys(key for key in (stop.key, *linked) if key)
        return [claim for key in keys if (claim := store.working(key, now=now))]

    def _measure(self, event: str, fields: dict[str, Any], *metrics: str, by: str) -> None:
        line = measured(fields, *metrics, by=[by], at=self._office.clock.now())
        log.info(event, extra={"fields": line})

    def _now(self) -> float:
        return self._office.clock.now().timestamp()
