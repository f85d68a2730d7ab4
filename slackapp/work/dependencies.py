"""What every question shares."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slack_sdk import WebClient

from fetcher.clock import Clock
from slackapp import metrics
from slackapp.guard import Guard
from slackapp.health import Health
from slackapp.settings import SlackSettings
from slackapp.slack.client import BotIdentity
from slackapp.slack.poster import Poster
from slackapp.slack.shared_files import SharedFiles
from slackapp.stores.store import Store
from slackapp.thread.history import History
from slackapp.thread.linked_messages import LinkedMessages
from slackapp.thread.locales import Locales
from slackapp.thread.thread_record import ThreadRecord
from slackapp.work.agent_runs import Runs
from slackapp.work.follow_ups import FollowUps
from slackapp.work.lease import ClaimKeeper


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """Collaborators that every question shares; one instance per process."""

    settings: SlackSettings
    store: Store
    guard: Guard
    keeper: ClaimKeeper
    poster: Poster
    history: History
    locales: Locales
    runs: Runs
    follow_ups: FollowUps
    thread_record: ThreadRecord
    shared_files: SharedFiles
    linked_messages: LinkedMessages
    directory: WebClient
    identity: BotIdentity
    clock: Clock
    health: Callable[[], Health]
    """What the process knows about itself; asks the store."""

    def now(self) -> float:
        return self.clock.now().timestamp()

    def measured(self, fields: Mapping[str, Any], *names: str, by: Sequence[str] = ()) -> dict[str, Any]:
        """The fields of a log line that CloudWatch makes metrics of."""
        return metrics.measured(fields, *names, by=by, at=self.clock.now(), stage=self.settings.app_stage)
