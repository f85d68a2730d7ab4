"""What the app meets beside Slack, in a process of its own: the model, the web, and the way to DynamoDB."""

import multiprocessing
import random
import signal
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Self

from tests.fakes.dynamodb import running_dynamodb
from tests.slackapp.stores.wire import Wire
from tests.soak.model import SoakClaude
from tests.soak.questions import weighted
from tests.soak.web import SoakWeb

SPAWN = multiprocessing.get_context("spawn")
START_SECONDS = 120
FORGET_SECONDS = 5.0
FATES: dict[str, int] = {
    "": 960,
    "ProvisionedThroughputExceededException": 14,
    "ThrottlingException": 10,
    "InternalServerError": 6,
    "lose": 5,
    "drop": 5,
}
"""What befalls a request on its way to DynamoDB, with its weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where everything is."""

    web_port: int
    claude_url: str
    dynamodb_url: str = ""
    """Through the rain of faults; empty where there is no DynamoDB."""
    dynamodb_dry_url: str = ""
    """Past it, for the books."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What happened there."""

    faults: Counter[str]
    refusals: list[str]
    """What the model's API would not have taken."""


class RainyWire(Wire):
    """A way to DynamoDB on which each request may meet something; who makes tables goes past it."""

    def __init__(self, upstream: str, seed: int) -> None:
        super().__init__(upstream)
        self.faults: Counter[str] = Counter()
        self._chance = random.Random(f"{seed}/dynamodb")
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients are killed

    def next(self, operation: str) -> str | int:
        self.operations.clear()
        fate = weighted(self._chance, FATES)
        if fate:
            self.faults[f"dynamodb: {fate}"] += 1
        return fate


class World:
    """A context manager; its process ends with it, and tells what happened."""

    def __init__(self, seed: int, teams: int, *, dynamodb: bool) -> None:
        ours, theirs = SPAWN.Pipe()
        self._pipe, self._theirs = ours, theirs
        self._process = SPAWN.Process(target=be, args=(theirs, seed, teams, dynamodb), daemon=False)
        self.account = Account(faults=Counter(), refusals=[])

    def __enter__(self) -> Self:
        self._process.start()
        self._theirs.close()
        if not self._pipe.poll(START_SECONDS):
            self._process.kill()
            raise RuntimeError("the world did not begin")
        self.addresses: Addresses = self._pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.is_alive():
            self._pipe.send("end")
            self.account = self._pipe.recv()
        self._process.join()
        self._process.close()
        self._pipe.close()


def be(pipe: Connection, seed: int, teams: int, dynamodb: bool) -> None:
    """The life of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever interrupts the soak still gets its account
    with ExitStack() as stack:
        claude = stack.enter_context(SoakClaude(seed, teams))
        web = stack.enter_context(SoakWeb())
        dry = stack.enter_context(running_dynamodb()) if dynamodb else ""
        wire = RainyWire(dry, seed)
        stack.enter_context(wire)
        pipe.send(
            Addresses(
                web_port=web.port,
                claude_url=claude.url,
                dynamodb_url=wire.url if dynamodb else "",
                dynamodb_dry_url=dry,
            )
        )
        while not pipe.poll(FORGET_SECONDS):
            claude.forget()
            web.forget()
        faults = claude.faults + web.faults + wire.faults
        with suppress(BrokenPipeError):  # whoever wanted to know is no more
            pipe.send(Account(faults=faults, refusals=claude.refusals))
