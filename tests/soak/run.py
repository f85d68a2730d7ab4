"""The soak put together: the world, Slack and the workers, a stream of questions, and then the books."""

import heapq
import itertools
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from slackapp.settings import SlackSettings
from slackapp.stores.opening import open_store
from slackapp.stores.store import Store
from tests.fakes.dynamodb import CREDENTIALS
from tests.soak import audit, residue, testimony
from tests.soak.asker import Asker, Ear
from tests.soak.books import Books, Evidence
from tests.soak.crew import Crew, Post
from tests.soak.memory import Scales
from tests.soak.questions import draw
from tests.soak.readers import Readers
from tests.soak.report import Report
from tests.soak.slack import TEAMS, SoakSlack, Team, furnish
from tests.soak.worker import Plan
from tests.soak.world import Addresses, World

TRANSPORTS = (True, False)
"""A team for each: whether its app is over Socket Mode."""
SETTINGS: Mapping[str, Any] = {
    "access_mode": "open",
    "rate_limit_per_minute": 4,
    "rate_limit_burst": 4,
    "lease_seconds": 20,
    "heartbeat_seconds": 3,
    "sweep_seconds": 2,
}
MOST_OPEN = 30
"""Questions that wait for an answer; while there are so many, nobody asks another."""
BETWEEN_KILLS = (4.0, 10.0)
BETWEEN_PAUSES = (3.0, 9.0)
PAUSES = {"within the lease": (0.5, 8.0), "beyond the lease": (26.0, 34.0)}
"""Seconds that a worker stands still."""
BETWEEN_LOST_SOCKETS = (5.0, 15.0)
BETWEEN_TOKENS = (10.0, 30.0)
"""Seconds from one revoked bot token to the next."""
BETWEEN_READERS = (0.2, 2.0)
"""Seconds from one killed reader process to the next."""
SETTLED_SECONDS = 120.0
"""Until then the workers that live on are not paused: what they need is to be there before it is weighed."""
TICK, CALM = 0.05, 0.25
UNANSWERED_SECONDS = 5.0
"""How long all is quiet before a question without an answer counts as lost."""
DRAIN_SECONDS = 480.0
"""Longer than Slack's last retry takes, and a claim that is taken over again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What kind of soak."""

    minutes: float
    seed: int
    store: str
    rate: float
    """Questions a second."""
    keep: Path
    """Where logs go when the books do not balance."""


def soak(wanted: Wanted) -> Report:
    """Runs it to its end, and leaves nothing behind."""
    run = f"{os.getpid()}-{wanted.seed}"
    residue.mark(run)
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        home = Path(name)
        report = _Soak(wanted, home).run(run)
        if not report.balanced:
            shutil.copytree(home / "logs", wanted.keep / f"{wanted.store}-{wanted.seed}", dirs_exist_ok=True)
    return report


class _Soak:
    def __init__(self, wanted: Wanted, home: Path) -> None:
        self._wanted = wanted
        self._home = home
        self._seconds = wanted.minutes * 60
        self._scales = Scales()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        for name in ("logs", "tmp", "cache"):
            (home / name).mkdir()

    def run(self, name: str) -> Report:
        world = World(self._wanted.seed, TEAMS, dynamodb=self._wanted.store == "dynamodb")
        with world, ExitStack() as stack:
            self._slack = stack.enter_context(SoakSlack(self._wanted.seed))
            self._teams = [
                furnish(self._slack, number, over_sockets=sockets)
                for number, sockets in enumerate(TRANSPORTS)
            ]
            self._books = Books(
                [team.app.bot_user for team in self._teams], self._slack.workspace.messages.find
            )
            self._slack.hearer = Ear(self._books)
            stack.callback(self._slack.subscribe(self._books.take))
            self._asker = Asker(
                slack=self._slack, books=self._books, teams=self._teams, chance=self._chance("asker")
            )
            stack.callback(self._asker.close)
            for team in self._teams:
                self._token_file(team).write_text(team.app.bot_token)
            self._crew = self._hired(world.addresses)
            self._readers = Readers(chance=self._chance("readers"), kills=self._crew.kills)
            stack.callback(self._crew.abandon)
            stores = [self._store(team, world.addresses, stack) for team in self._teams]
            self._crew.start()
            self._pour()
            evidence = self._settle(stores)
            streams = [":".join(place) for place in self._slack.workspace.streams]
            self._crew.end()
        return self._report(world, evidence, streams, residue.processes(name))

    def _chance(self, name: str) -> random.Random:
        return random.Random(f"{self._wanted.seed}/{name}")

    def _hired(self, addresses: Addresses) -> Crew:
        posts = [
            Post(
                team=team,
                plan=self._plan(team, sockets, addresses),
                name=f"{'socket' if sockets else 'http'}-{'mortal' if mortal else 'veteran'}",
                mortal=mortal,
            )
            for team, sockets in zip(self._teams, TRANSPORTS, strict=True)
            for mortal in (False, True)
        ]
        return Crew(slack=self._slack, posts=posts, chance=self._chance("kills"))

    def _plan(self, team: Team, sockets: bool, addresses: Addresses) -> Plan:
        return Plan(
            settings=self._settings(team, addresses.dynamodb_url),
            over_sockets=sockets,
            web_port=addresses.web_port,
            claude_url=addresses.claude_url,
            home=self._home,
            environ=CREDENTIALS,
            token_file=self._token_file(team),
        )

    def _token_file(self, team: Team) -> Path:
        return self._home / f"{team.id}.token"

    def _settings(self, team: Team, dynamodb_url: str) -> dict[str, Any]:
        own = {
            "slack_bot_token": team.app.bot_token,
            "slack_signing_secret": team.app.signing_secret,
            "slack_app_token": team.app.app_token,
            "slack_api_url": self._slack.api_url,
        }
        if self._wanted.store == "sqlite":
            store = {"store": "sqlite", "sqlite_path": str(self._home / f"{team.id}.sqlite3")}
        else:
            store = {"dynamodb_endpoint_url": dynamodb_url, "dynamodb_table_prefix": f"{team.id}-"}
        return {**SETTINGS, **own, **store}

    def _store(self, team: Team, addresses: Addresses, stack: ExitStack) -> Store:
        """A team's store, its tables made, past all faults."""
        os.environ.update(CREDENTIALS)
        settings = SlackSettings.model_validate(self._settings(team, addresses.dynamodb_dry_url))
        store = open_store(settings, {})
        stack.callback(store.close)
        store.create_tables()
        return store

    def _pour(self) -> None:
        """Questions and faults until the time is over."""
        self._began = time.monotonic()
        self._slack.rain(self._wanted.seed)
        self._numbers = itertools.count(1)
        self._arrivals, self._strikes = self._chance("arrivals"), self._chance("strikes")
        for _ in range(min(MOST_OPEN, int(self._seconds * self._wanted.rate / 10))):
            self._ask_once()  # as many at once as ever: what they need is there before it is weighed
        for action in (self._ask, self._weigh):
            self._later(0, action)
        self._later(self._strikes.uniform(*BETWEEN_KILLS), self._strike)
        self._later(self._strikes.uniform(*BETWEEN_PAUSES), self._pause)
        self._later(self._strikes.uniform(*BETWEEN_READERS), self._strike_reader)
        self._later(self._strikes.uniform(*BETWEEN_LOST_SOCKETS), self._lose_sockets)
        self._later(self._strikes.uniform(*BETWEEN_TOKENS), self._revoke_token)
        while (now := self._now()) < self._seconds:
            while self._due and self._due[0][0] <= now:
                heapq.heappop(self._due)[2]()
            self._crew.look()
            time.sleep(TICK)
        self._slack.clear_up()
        self._crew.wake_all()

    def _now(self) -> float:
        return time.monotonic() - self._began

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._due, (self._now() + seconds, next(self._order), action))

    def _ask_once(self) -> None:
        stop = self._asker.ask(draw(self._wanted.seed, next(self._numbers), TEAMS))
        if stop is not None:
            self._later(stop.seconds, lambda: self._asker.stop(stop))

    def _ask(self) -> None:
        if self._books.open < MOST_OPEN:
            self._ask_once()
        self._later(self._arrivals.expovariate(self._wanted.rate), self._ask)

    def _strike(self) -> None:
        self._crew.strike()
        self._later(self._strikes.uniform(*BETWEEN_KILLS), self._strike)

    def _pause(self) -> None:
        worker = self._crew.pause(also_veterans=self._now() > SETTLED_SECONDS)
        if worker is not None:
            name, between = self._strikes.choice(list(PAUSES.items()))
            self._crew.kills[f"SIGSTOP, {name}"] += 1
            self._later(self._strikes.uniform(*between), lambda: self._crew.go_on(worker))
        self._later(self._strikes.uniform(*BETWEEN_PAUSES), self._pause)

    def _strike_reader(self) -> None:
        self._readers.strike([post.worker.pid for post in self._crew.posts if post.worker])
        self._later(self._strikes.uniform(*BETWEEN_READERS), self._strike_reader)

    def _lose_sockets(self) -> None:
        """All connections of the app over Socket Mode end without a word."""
        self._slack.misfortunes["sockets lost"] += 1
        self._slack.disconnect_sockets(self._teams[0].app, abruptly=True)
        self._later(self._strikes.uniform(*BETWEEN_LOST_SOCKETS), self._lose_sockets)

    def _revoke_token(self) -> None:
        """A team's owner installs the app anew: Slack takes the new token alone, the workers have the old."""
        team = self._strikes.choice(self._teams)
        token = f"xoxb-{team.id}-{next(self._order)}"
        pending = self._token_file(team).with_suffix(".new")
        pending.write_text(token)
        pending.replace(self._token_file(team))
        self._slack.install(replace(team.app, bot_token=token))
        self._slack.misfortunes["tokens revoked"] += 1
        self._later(self._strikes.uniform(*BETWEEN_TOKENS), self._revoke_token)

    def _weigh(self) -> None:
        self._scales.weigh("local Slack", os.getpid(), self._now())
        for post in self._crew.posts:
            if not post.mortal and post.worker is not None:
                self._scales.weigh(post.worker.name, post.worker.pid, self._now())
        self._later(1, self._weigh)

    def _settle(self, stores: list[Store]) -> Evidence:
        """Waits until everything that was begun is over, and asks who is left."""
        until = time.monotonic() + DRAIN_SECONDS
        quiet = 0.0
        while time.monotonic() < until and quiet < (UNANSWERED_SECONDS if self._books.open else 1):
            time.sleep(CALM)
            self._crew.look()
            busy = self._slack.retries_waiting or audit.leases(stores)
            quiet = 0.0 if busy else quiet + CALM
        return Evidence(leases=audit.leases(stores))

    def _report(self, world: World, evidence: Evidence, streams: list[str], left: list[str]) -> Report:
        logs = testimony.hear(self._home / "logs")
        growth = self._scales.growth(self._seconds)
        known = Evidence(leases=evidence.leases, untold=logs.untold)
        wrong = [
            *self._books.discrepancies(known),
            *(f"{place}: a stream is left open" for place in streams),
            *(f"{each.name}: memory grew to {each.ratio:.2f} times" for each in growth if each.leaks),
            *left,
            *self._readers.left(),
            *residue.temporary(self._home / "tmp"),
            *self._crew.complaints,
            *logs.complaints,
            *(f"the model's API would refuse: {reason}" for reason in world.account.refusals),
        ]
        return Report(
            seed=self._wanted.seed,
            store=self._wanted.store,
            minutes=self._wanted.minutes,
            entries=self._books.entries,
            whispers=sum(self._books.whispers.values()),
            untold=len(logs.untold),
            faults=Counter(self._slack.misfortunes) + world.account.faults,
            kills=self._crew.kills,
            warnings=logs.events,
            growth=growth,
            discrepancies=wrong,
        )
