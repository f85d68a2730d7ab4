"""The local Slack of the soak: its workspaces, and a post that loses, doubles and delays what it carries."""

import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from slackapp.playground.events import socket_mode
from slackapp.playground.events.transports import Kind, Outcome, OutgoingRequest, Transport
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App, Capacity, Json
from slackapp.playground.webapi.faults import ANY, Fault
from tests.soak.questions import PEOPLE

CAPACITY = Capacity(calls=300, deliveries=300, messages=1500, ephemerals=200, file_bytes=8 << 20)
"""Soon full, so that what grows afterwards is a leak; but no question is forgotten while it waits."""
TEAMS = 2
ACKNOWLEDGE_WITHIN = 10.0
"""More than Slack's three seconds: the machine may be busy with other things than this."""
EVER = 1 << 60

FAULTS: Mapping[str, tuple[float, Fault]] = {
    "429": (0.02, Fault(status=429, retry_after=1)),
    "500": (0.015, Fault(status=500)),
    "500, but done": (0.01, Fault(status=500, after=True)),
    "cut off": (0.01, Fault(drop=True)),
    "cut off, but done": (0.01, Fault(drop=True, after=True)),
    "slow": (0.010, Fault(delay=1.0)),
    "slow to say so": (0.010, Fault(delay=1.0, after=True)),
    "late": (0.012, Fault(delay=7.5)),
}
"""What befalls a call of Slack's, and how often. A late call is carried out after the client gave up, if that
waits for five seconds only because a later call says more."""
VERY_LATE = Fault(delay=17.0)
AWAITED = (
    "chat.postMessage",
    "chat.startStream",
    "chat.stopStream",
    "chat.delete",
    "chat.update",
    "files.completeUploadExternal",
)
"""Calls for which the client waits for fifteen seconds; progress is not among the updates."""
REFUSALS: tuple[tuple[str, float, Fault], ...] = (
    ("chat.update", 0.02, Fault(error="update_failed")),
    ("chat.update", 0.02, Fault(error="block_mismatch")),
    ("chat.update", 0.01, Fault(error="external_channel_migrating")),
    ("chat.postMessage", 0.02, Fault(error="a_new_error")),
    ("chat.startStream", 0.03, Fault(error="messaging_processing_failed")),
    ("chat.appendStream", 0.02, Fault(error="messaging_processing_failed")),
    ("agents.sessions.setStatus", 0.02, Fault(error="a_new_error")),
    ("files.completeUploadExternal", 0.2, Fault(late=8.0)),
)
"""What single methods refuse, or do late."""
LOST, DOUBLED, DELAYED = 0.03, 0.05, 0.08
"""How often an acknowledgement is lost, and something is delivered twice, or after what came later."""
DELAY = (0.2, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A workspace with its app, and places in it."""

    id: str
    app: App
    channels: tuple[str, ...]
    shared: str
    """A channel that is shared with another company."""
    outside: str
    """A channel that the bot is no member of."""
    people: tuple[str, ...]
    """The last of them has left the company."""


class Hearer(Protocol):
    """Who wants to know what is delivered."""

    def sending(self, request: OutgoingRequest) -> None:
        """Something is about to be delivered, perhaps again."""

    def acknowledged(self, request: OutgoingRequest) -> None:
        """The app has acknowledged it, whether Slack hears that or not."""


class SoakSlack(LocalSlack):
    """A local Slack in bad weather."""

    def __init__(self, seed: int) -> None:
        super().__init__(capacity=CAPACITY, ack_timeout=ACKNOWLEDGE_WITHIN, workers=24)
        # Connections of workers that stand still end, which the server would write to the terminal.
        logging.getLogger(socket_mode.__name__).setLevel(logging.CRITICAL)
        self.misfortunes: Counter[str] = Counter()
        self.doors: dict[str, list[str]] = {}
        """Where an app's workers listen; one without any is reached over Socket Mode."""
        self.hearer: Hearer | None = None
        self._chance = random.Random(f"{seed}/post")
        self._turn = threading.Lock()
        self._raining = False

    def rain(self, seed: int) -> None:
        """From now on calls fail; those without arguments, by which workers begin, do not."""
        self._raining = True
        chance = random.Random(f"{seed}/slack")
        for name, (share, fault) in FAULTS.items():
            may_hit = _but_response_url if fault.status and fault.after else bool
            self.faults.next(ANY, fault, EVER, when=self._dice(chance, share, name, may_hit))
        for method in AWAITED:
            very_late = self._dice(
                chance, 0.04, "very late", lambda arguments: "progress" not in str(arguments)
            )
            self.faults.next(method, VERY_LATE, EVER, when=very_late)
        for method, share, fault in REFUSALS:
            dice = self._dice(chance, share, f"{method} {fault.error or 'late'}")
            self.faults.next(method, fault, EVER, when=dice)
        unshared = self._dice(chance, 0.05, "file not shared")
        self.faults.next("files.completeUploadExternal", Fault(unshared=True), EVER, when=unshared)

    def clear_up(self) -> None:
        """The sky is blue again."""
        self.faults.clear()
        self._raining = False

    def _dice(
        self,
        chance: random.Random,
        share: float,
        name: str,
        may_hit: Callable[[Json], bool] = bool,
    ) -> Callable[[Json], bool]:
        def falls(arguments: Json) -> bool:
            hit = may_hit(arguments) and chance.random() < share
            if hit:
                self.misfortunes[f"slack: {name}"] += 1
            return hit

        return falls

    def _transport_for(self, app: App) -> Transport:
        return _RainyTransport(self, super()._transport_for(app))

    def dice(self, share: float, name: str) -> bool:
        with self._turn:
            hit = self._raining and self._chance.random() < share
            if hit:
                self.misfortunes[f"delivery: {name}"] += 1
            return hit

    def some_door(self, app: App) -> App:
        """The app, at the address of one of its workers."""
        with self._turn:
            doors = self.doors.get(app.app_id, [])
            return replace(app, request_url=self._chance.choice(doors)) if doors else app

    def some_delay(self) -> float:
        with self._turn:
            return self._chance.uniform(*DELAY)


@dataclass(frozen=True, slots=True)
class _RainyTransport:
    """Delivers with the faults of a bad day."""

    slack: SoakSlack
    inner: Transport

    def deliver(self, app: App, request: OutgoingRequest) -> Outcome:
        if request.kind is Kind.EVENT and self.slack.dice(DELAYED, "delayed"):
            time.sleep(self.slack.some_delay())
        outcome = self._deliver(app, request)
        if request.kind is Kind.EVENT and self.slack.dice(DOUBLED, "twice"):
            self._deliver(app, request)
        lost = not request.retry_num and not outcome.error and self.slack.dice(LOST, "acknowledgement lost")
        return replace(outcome, error="http_timeout") if lost else outcome

    def _deliver(self, app: App, request: OutgoingRequest) -> Outcome:
        hearer = self.slack.hearer
        if hearer:
            hearer.sending(request)
        outcome = self.inner.deliver(self.slack.some_door(app), request)
        if hearer and not outcome.error:
            hearer.acknowledged(request)
        return outcome


def _but_response_url(arguments: Json) -> bool:
    """The app cannot read back what it said at a response URL, and believes an error of it."""
    return bool(arguments) and not str(arguments.get("path", "")).startswith("/response/")


def furnish(slack: SoakSlack, number: int, *, over_sockets: bool) -> Team:
    """A workspace with an app of its own."""
    place = slack.workspace
    team = place.add_team(f"T0SOAK{number}", f"Soak {number}").id
    app = App(
        bot_token=f"xoxb-soak-{number}",
        signing_secret=f"secret-{number}",
        app_token=f"xapp-soak-{number}" if over_sockets else "",
        request_url="" if over_sockets else "http://127.0.0.1:9/",
        app_id=f"A0SOAK{number}",
        bot_id=f"B0SOAK{number}",
        bot_user=f"U0BOT{number}",
        team_id=team,
    )
    people = tuple(
        place.add_user(f"person{number}x{each}", team_id=team, deleted=each == PEOPLE).id
        for each in range(PEOPLE + 1)
    )
    slack.install(app)
    names = [f"soak{number}x{each}" for each in range(3)]
    channels = tuple(place.add_channel(name, team_id=team).id for name in names)
    partner = place.add_team(f"T0PARTNER{number}", f"Partner {number}", enterprise_id=f"E0PARTNER{number}").id
    shared = place.add_channel(f"shared{number}", team_id=team, shared_with=partner).id
    outside = place.add_channel(f"outside{number}", team_id=team).id
    for channel in (*channels, shared, outside):
        bots = set() if channel == outside else {app.bot_user}
        place.channel(channel).members = {*people, *bots}
    for _ in range(CAPACITY.messages // len(channels) // TEAMS):
        for channel in channels:
            place.post(channel, {"user": people[0], **_chatter()})
    return Team(id=team, app=app, channels=channels, shared=shared, outside=outside, people=people)


def _chatter() -> Json:
    """What was said before, of which Slack is full; it takes about as much memory as our answers do."""
    words = [{"type": "text", "text": f"{number}. 以前の話です。"} for number in range(60)]
    section = [{"type": "rich_text_section", "elements": [word]} for word in words]
    return {"text": "以前の話です。", "blocks": [{"type": "rich_text", "elements": section}]}
