"""Actions of the developer panel: retries, faults, the rate limit and the whitelist."""

from dataclasses import dataclass, field
from typing import Any

from fetcher.clock import Clock, SystemClock
from slackapp.guard.usage import RateLimit
from slackapp.listeners.incoming import Incoming, Kind
from slackapp.playground.errors import ApiRefused
from slackapp.playground.page.actions import ActionArguments, BadAction
from slackapp.playground.page.conditions import ERRORS, Conditions
from slackapp.playground.page.inspector import Inspector
from slackapp.playground.page.scenes import SCENES
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Json
from slackapp.playground.webapi.faults import ANY, Fault
from slackapp.playground.webapi.methods.all_methods import METHODS
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Entity, WhitelistEntry
from slackapp.stores.store import Store

FAULTS = {429: Fault(status=429, retry_after=1), 500: Fault(status=500)}


@dataclass(frozen=True, slots=True)
class DeveloperControls:
    """What the panel can do; `act` does it."""

    slack: LocalSlack
    inspector: Inspector
    store: Store
    settings: SlackSettings
    conditions: Conditions
    clock: Clock = field(default_factory=SystemClock)

    def act(self, name: str, arguments: ActionArguments) -> Json | None:
        """Does an action of the panel and returns the answer to it; None for an unknown action."""
        match name:
            case "clear_faults":
                self.slack.faults.clear()
                return {}
            case "exhaust":
                return self._use_up_rate_limit(arguments)
            case "fail":
                return self._plan_fault(arguments)
            case "scene":
                scene = SCENES.get(arguments.text("name"))
                if scene is None:
                    raise BadAction(f"name: one of {', '.join(SCENES)}")
                return scene(self.slack, self.slack.workspace.user(arguments.text("user")).id)
            case "list":
                user = self.slack.workspace.user(arguments.text("user"))
                if arguments.flag("on"):
                    entry = WhitelistEntry(entity=Entity.USER, id=user.id, label=user.real_name)
                    self.store.add_to_whitelist(entry)
                else:
                    self.store.remove_from_whitelist(Entity.USER, user.id)
                self.slack.activity.record("whitelist", users=self.whitelisted_users())
                return {}
            case "retry":  # as Slack does when an event was not acknowledged in time
                return self._redeliver(arguments, retry_num=1, retry_reason="http_timeout")
            case "twice":
                return self._redeliver(arguments, times=2)
        return self.conditions.act(name, arguments)

    def seed_whitelist(self) -> None:
        """Allows the sample company. The bot is listed too: a list without users would allow everyone."""
        team = self.slack.app.team_id
        self.store.add_to_whitelist(
            WhitelistEntry(entity=Entity.TEAM, id=team, label=self.slack.workspace.teams[team].name)
        )
        for user in tuple(self.slack.workspace.users.values()):
            self.store.add_to_whitelist(WhitelistEntry(entity=Entity.USER, id=user.id, label=user.real_name))

    def whitelisted_users(self) -> list[str]:
        return [entry.id for entry in self.store.whitelist_entries() if entry.entity is Entity.USER]

    def _redeliver(self, arguments: ActionArguments, **options: Any) -> Json:
        """Delivers an event again, with the options of `LocalSlack.deliver`."""
        with self.slack.workspace.lock:
            entry = self.inspector.find(arguments.number("number"))
        if entry is None or not entry.summary.get("again"):
            raise ApiRefused("no_such_event")
        assert entry.body is not None  # an entry with `again` has a body
        self.slack.deliver(entry.body, **options)
        return {}

    def _plan_fault(self, arguments: ActionArguments) -> Json:
        method, error = arguments.text("method", default=ANY), arguments.text("error", default="")
        known = Fault(error=error) if error in ERRORS else None
        fault = known if error else FAULTS.get(arguments.number("status"))
        if fault is None or (method != ANY and method not in METHODS):
            raise BadAction(
                "status: 429 or 500; error: one that the page offers; method: of the Web API, or *"
            )
        self.slack.faults.next(method, fault)
        return {}

    def _use_up_rate_limit(self, arguments: ActionArguments) -> Json:
        """Takes all questions that the rate limit allows the user now."""
        user = self.slack.workspace.user(arguments.text("user"))
        question = Incoming(kind=Kind.MENTION, key="", team=self.slack.app.team_id, channel="", user=user.id)
        limit = RateLimit(self.store, self.settings, self.clock)
        for _ in range(self.settings.rate_limit_burst + 1):
            if wait := limit.count_request(question):
                return {"seconds": wait}
        return {"seconds": 0}
