"""The guard: asks the checks in their order and stops at the first no (S1, S3)."""

import logging
from dataclasses import dataclass

from fetcher.clock import Clock
from slackapp.codes import RefusalCode
from slackapp.guard.budget import Budget
from slackapp.guard.existence import Directory, Existence, SlackUnavailable
from slackapp.guard.rate import RateLimit
from slackapp.guard.whitelist import Access
from slackapp.listeners.incoming import Incoming
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Store, StoreUnavailable

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request is not answered."""

    code: RefusalCode
    wait_seconds: int = 0
    """Of a rate limit: when to try again."""


class Guard:
    """Whoever cannot be checked is refused: a store or a Slack that does not answer opens no door."""

    def __init__(self, store: Store, settings: SlackSettings, client: Directory, clock: Clock) -> None:
        self._existence = Existence(store, client, settings, clock)
        self._access = Access(store, settings)
        self._rate = RateLimit(store, settings, clock)
        self._budget = Budget(store, settings, clock)

    def check(self, incoming: Incoming, *, resumed: bool = False) -> Refusal | None:
        """What speaks against answering, if anything; a run that goes on with another's work is free."""
        try:
            return self._admission(incoming) or (None if resumed else self._quota(incoming))
        except StoreUnavailable as error:
            log.error("store_unavailable", extra={"fields": {"key": incoming.key, "error": str(error)}})
            return Refusal(code=RefusalCode.STORE_UNAVAILABLE)
        except SlackUnavailable:
            return Refusal(code=RefusalCode.SLACK_UNAVAILABLE)

    def spent(self, incoming: Incoming, usage_tokens: int) -> None:
        """Counts what an answer has cost; the answer stands, whether that can be written down or not."""
        try:
            self._budget.spent(incoming, usage_tokens)
        except StoreUnavailable as error:
            fields = {"key": incoming.key, "tokens": usage_tokens}
            log.error("tokens_not_counted", extra={"fields": fields | {"error": str(error)}})

    def _admission(self, incoming: Incoming) -> Refusal | None:
        verdict = self._existence.judge(incoming)
        code = verdict.refusal or self._access.refusal(incoming, external=verdict.external)
        if verdict.unseen and code is RefusalCode.EXTERNAL_CHANNEL:
            code = RefusalCode.CHANNEL_UNKNOWN  # invited, we would know
        return Refusal(code=code) if code else None

    def _quota(self, incoming: Incoming) -> Refusal | None:
        if wait := self._rate.wait(incoming):
            return Refusal(code=RefusalCode.RATE_LIMITED, wait_seconds=wait)
        code = self._budget.refusal(incoming)
        return Refusal(code=code) if code else None
