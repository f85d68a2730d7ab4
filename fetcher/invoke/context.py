"""The state of one invocation, and what of the outside world it sees."""

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
    """What holds for one invocation, once source and remaining time have had their say."""

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

    @property
    def may_try_again(self) -> bool:
        return self.attempt <= self.config.max_retries


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationDeadline:
    """The moment at which an invocation has to be over."""

    at: float
    monotonic: Callable[[], float]

    @property
    def remaining(self) -> float:
        return max(0.0, self.at - self.monotonic())
