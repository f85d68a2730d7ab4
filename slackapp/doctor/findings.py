"""What the doctor looks at, and what it finds."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one check."""

    verdict: Verdict
    said: str
    advice: str = ""
    """What to do."""


def good(said: str) -> Finding:
    return Finding(verdict=Verdict.GOOD, said=said)


def bad(said: str, advice: str) -> Finding:
    return Finding(verdict=Verdict.BAD, said=said, advice=advice)


def hint(said: str, advice: str) -> Finding:
    return Finding(verdict=Verdict.HINT, said=said, advice=advice)


def skipped(said: str) -> Finding:
    return Finding(verdict=Verdict.SKIPPED, said=said)


@dataclass(slots=True, kw_only=True)
class Examination:
    """The installation that is checked; earlier checks leave here what later ones need."""

    settings: SlackSettings
    environ: Mapping[str, str]
    channel: str = ""
    clock: Clock = field(default_factory=SystemClock)
    resolver: "Resolver | None" = None
    dialer: "Dialer | None" = None
    """Where pages are looked for; None is the system's own network."""
    identity: Identity | None = None
    """Who the bot is; None until Slack has said so."""
    policy: EffectivePolicy | None = None
    """Who is let in; None if the store cannot be read."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Of Slack's answer, by lower-case name."""

    def client(self) -> FencedClient:
        """A client that tries once: the doctor reports failures, and does not wait for them to pass."""
        return fenced(make_client(self.settings), NoFence(), retries=False)


Check = Callable[[Examination], Iterator[Finding]]
