"""Runs all checks in order and stops at the first refusal (S1, S3); a question's content comes last."""

import logging
from dataclasses import dataclass

from fetcher.clock import Clock
from slackapp.codes import RefusalCode
from slackapp.guard.existence import Directory, Existence, SlackUnavailable
from slackapp.guard.usage import Budget, ChannelUsage, RateLimit
from slackapp.guard.whitelist import Access
from slackapp.listeners.incoming import Incoming, Kind
from slackapp.settings import SlackSettings
from slackapp.stores.contract import StoreUnavailable
from slackapp.stores.store import Store
from slackapp.thread.message_links import not_from
from slackapp.thread.question_words import asks_for_help, asks_to_stop, only_thanks
from slackapp.thread.slack_text import links_in

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request is not answered."""

    code: RefusalCode
    wait_seconds: int = 0
    """For a rate limit: when to try again."""


def unreadable_question(incoming: Incoming) -> Refusal | None:
    """Why a question cannot be answered by its content alone."""
    # Links of the app's own answers, which a user forwards, are not read.
    forwarded = not_from(incoming.bot_user, incoming.forwarded)
    links = (links_in(incoming.text), incoming.links, forwarded, incoming.files)
    is_reaction = incoming.kind is Kind.REACTION
    says_nothing = not incoming.question or asks_for_help(incoming.question)
    rules = (
        (incoming.too_long, RefusalCode.MESSAGE_TOO_LONG),
        (is_reaction and (incoming.marked or not any(links)), RefusalCode.NO_LINK),
        (says_nothing and not any(links) and incoming.starts_thread, RefusalCode.EMPTY),
    )
    return next((Refusal(code=code) for applies, code in rules if applies), None)


def is_stop(incoming: Incoming) -> bool:
    """Whether a message only asks to stop an answer."""
    return _is_message_alone(incoming) and asks_to_stop(incoming.question)


def is_thanks(incoming: Incoming) -> bool:
    """Whether a message only thanks the app, or acknowledges an answer."""
    return _is_message_alone(incoming) and only_thanks(incoming.question)


def _is_message_alone(incoming: Incoming) -> bool:
    """Whether a request is a message that carries nothing but its text."""
    return bool(incoming.ts) and not any((incoming.files, incoming.links, incoming.forwarded))


class Guard:
    """Checks requests. If the store or Slack does not answer, the request is refused."""

    def __init__(self, store: Store, settings: SlackSettings, client: Directory, clock: Clock) -> None:
        self._existence = Existence(store, client, settings, clock)
        self._access = Access(store, settings)
        self._rate = RateLimit(store, settings, clock)
        self.budget = Budget(store, settings, clock)
        self.usage = ChannelUsage(store, settings, clock)

    def check(self, incoming: Incoming, *, charged: bool = False) -> Refusal | None:
        """The reason to refuse a request, if any. It is counted, unless its claim says that it was before."""
        try:
            verdict = self._existence.judge(incoming)
            code = verdict.refusal or self._access.refusal(incoming, external=verdict.external)
            if verdict.unseen and code is RefusalCode.EXTERNAL_CHANNEL:
                code = RefusalCode.CHANNEL_UNKNOWN  # once invited, the app would see whether it is external
            if not code and not charged:
                if wait := self._rate.count_request(incoming):
                    return Refusal(code=RefusalCode.RATE_LIMITED, wait_seconds=wait)
                code = self.budget.count_question(incoming)
            return Refusal(code=code) if code else None
        except StoreUnavailable as error:
            log.error("store_unavailable", extra={"fields": {"key": incoming.key, "error": str(error)}})
            return Refusal(code=RefusalCode.STORE_UNAVAILABLE)
        except SlackUnavailable:
            return Refusal(code=RefusalCode.SLACK_UNAVAILABLE)

    def count_tokens(self, incoming: Incoming, tokens: int, *, answered: bool = True) -> None:
        """Count an answer and its tokens, or the tokens of a run without one; a failure is only logged."""
        try:
            self.budget.add_tokens(incoming, tokens)
            if answered:
                self.usage.add_answer(incoming, tokens)
        except StoreUnavailable as error:
            fields = {"key": incoming.key, "tokens": tokens}
            log.error("tokens_not_counted", extra={"fields": fields | {"error": str(error)}})
