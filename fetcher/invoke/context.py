"""The state of one invocation, and the clock, chance and sleep that it uses."""

import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from fetcher.clock import Clock, SystemClock
from fetcher.invoke.errors import InvocationFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeEnvironment:
    """Time, chance and sleep as arguments, so that tests can set them."""

    clock: Clock = field(default_factory=SystemClock)
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    new_id: Callable[[], str] = lambda: str(uuid.uuid4())


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationConfig:
    """The settings of one invocation, within what its source and the remaining time allow."""

    timeout: float
    max_retries: int
    log_level: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationContext:
    """The document's InvocationContext: each attempt sees its own."""

    request_id: str
    start_time: float
    config: InvocationConfig
    attempt: int = 1
    errors: tuple[InvocationFailed, ...] = ()

    def after(self, error: InvocationFailed) -> "InvocationContext":
        """The context of the next attempt."""
        return replace(self, attempt=self.attempt + 1, errors=(*self.errors, error))


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationDeadline:
    """The moment at which an invocation has to end."""

    at: float
    monotonic: Callable[[], float]

    @property
    def remaining(self) -> float:
        return max(0.0, self.at - self.monotonic())
