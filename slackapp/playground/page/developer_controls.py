"""A developer's buttons: Slack's retries, faults, the rate limit and the whitelist."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fetcher.clock import Clock, SystemClock
from slackapp.guard.rate import RateLimit
from slackapp.listeners.incoming import Incoming, Kind
from slackapp.playground.errors import ApiRefused
from slackapp.playground.page.actions import ActionArguments, BadAction
from slackapp.playground.page.inspector import Inspector
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Json
from slackapp.playground.webapi.faults import ANY, Fault
from slackapp.playground.webapi.methods.all_methods import METHODS
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Entity, Store, WhitelistEntry

FAULTS = {429: Fault(status=429, retry_after=1), 500: Fault(status=500)}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeveloperControls:
    """Each control takes the page's request and returns what it did."""

    slack: LocalSlack
    inspector: Inspector
    store: Store
    settings: SlackSettings
    clock: Clock = field(default_factory=SystemClock)

    def table(self) -> Mapping[str, Callable[[ActionArguments], Json]]:
        return {
            "clear_faults": self._clear_faults,
            "exhaust": self._exhaust,
            "fail": self._fail,
            "list": self._list,
            "retry": self._retry,
            "twice": self._twice,
        }

    def seed(self) -> None:
        """Lets the sample company in. The bot is listed too: a list that names no user would name all."""
        team = self.slack.app.team_id
        self.store.add_to_whitelist(
            WhitelistEntry(entity=Entity.TEAM, id=team, label=self.slack.workspace.teams[team].name)
        )
        for user in tuple(self.slack.workspace.users.values()):
            self.store.add_to_whitelist(WhitelistEntry(entity=Entity.USER, id=user.id, label=user.real_name))

    def listed(self) -> list[str]:
        """The users on the whitelist."""
        return [listing.id for listing in self.store.whitelist_entries() if listing.entity is Entity.USER]

    def _retry(self, wanted: ActionArguments) -> Json:
        """As Slack delivers what was not acknowledged in time."""
        self.slack.deliver(self._body(wanted), retry_num=1, retry_reason="http_timeout")
        return {}

    def _twice(self, wanted: ActionArguments) -> Json:
        self.slack.deliver(self._body(wanted), times=2)
        return {}

    def _body(self, wanted: ActionArguments) -> Json:
        with self.slack.workspace.lock:
            entry = self.inspector.find(wanted.number("number"))
        if entry is None or not entry.summary.get("again"):
            raise ApiRefused("no_such_event")
        assert entry.body is not None  # what can be delivered again has a body
        return entry.body

    def _fail(self, wanted: ActionArguments) -> Json:
        method = wanted.text("method", default=ANY)
        fault = FAULTS.get(wanted.number("status"))
        if fault is None or (method != ANY and method not in METHODS):
            raise BadAction("status: 429 or 500; method: a Web API method, or *")
        self.slack.faults.next(method, fault)
        return {}

    def _clear_faults(self, _: ActionArguments) -> Json:
        self.slack.faults.clear()
        return {}

    def _exhaust(self, wanted: ActionArguments) -> Json:
        """Uses up what the user may ask just now."""
        user = self.slack.workspace.user(wanted.text("user"))
        asked = Incoming(kind=Kind.MENTION, key="", team=self.slack.app.team_id, channel="", user=user.id)
        limit = RateLimit(self.store, self.settings, self.clock)
        for _ in range(self.settings.rate_limit_burst + 1):
            if wait := limit.count_request(asked):
                return {"seconds": wait}
        return {"seconds": 0}

    def _list(self, wanted: ActionArguments) -> Json:
        """Puts a user on the whitelist, or takes them off."""
        user = self.slack.workspace.user(wanted.text("user"))
        if wanted.flag("on"):
            self.store.add_to_whitelist(WhitelistEntry(entity=Entity.USER, id=user.id, label=user.real_name))
        else:
            self.store.remove_from_whitelist(Entity.USER, user.id)
        self.slack.journal.note("whitelist", users=self.listed())
        return {}
