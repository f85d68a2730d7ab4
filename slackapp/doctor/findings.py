"""What the doctor looks at, and what it finds."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from fetcher.clock import Clock, SystemClock
from slackapp.guard.effective_policy import EffectivePolicy
from slackapp.settings import SlackSettings
from slackapp.slack.client import FencedClient, Identity, NoFence, fenced, make_client

if TYPE_CHECKING:
    from fetcher.web.net.network import Dialer, Resolver


class Verdict(StrEnum):
    """The sign of a finding in the report."""

    GOOD = "✓"
    HINT = "!"
    """It works; something could be better."""
    BAD = "✗"
    SKIPPED = "–"
    """Not checked, and why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, and what to do about it."""

    verdict: Verdict
    said: str
    advice: str = ""


def good(said: str) -> Finding:
    return Finding(Verdict.GOOD, said)


def bad(said: str, advice: str) -> Finding:
    return Finding(Verdict.BAD, said, advice)


def hint(said: str, advice: str) -> Finding:
    return Finding(Verdict.HINT, said, advice)


def skipped(said: str) -> Finding:
    return Finding(Verdict.SKIPPED, said)


@dataclass(slots=True, kw_only=True)
class Examination:
    """The installation that is checked."""

    settings: SlackSettings
    environ: Mapping[str, str]
    channel: str = ""
    online: bool = False
    clock: Clock = field(default_factory=SystemClock)
    resolver: "Resolver | None" = None
    dialer: "Dialer | None" = None
    """Where pages are looked for; None is the system's own network."""
    identity: Identity | None = None
    """Who the bot is; None until Slack has said so."""
    policy: EffectivePolicy | None = None
    """Who is let in; None until the store has been read."""

    @property
    def team(self) -> str:
        return self.identity.team_id if self.identity else ""

    def client(self) -> FencedClient:
        """A client that tries once: the doctor reports failures, and does not wait for them to pass."""
        return fenced(make_client(self.settings), NoFence(), retries=False)

    def proxy(self) -> str:
        """The proxy of calls to Slack, without user and password; empty if there is none."""
        return re.sub(r"^.*(@|://)", "", self.client().proxy or "")


Check = Callable[[Examination], Iterator[Finding]]
