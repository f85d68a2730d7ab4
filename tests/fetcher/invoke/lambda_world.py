"""What a Lambda function sees of the world, in a test's hands."""

from dataclasses import dataclass, field
from typing import Any

from fetcher.invoke.invoker import RuntimeEnvironment
from tests.fakes.clock import FakeClock

SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e"
REQUEST_ID = "8476a536-e9f4-11e8-9739-2dfe598c3fcd"
AGENT = "ABCDE12345"


def asking(**changes: Any) -> dict[str, Any]:
    """A sound request; a field that is changed to `...` is left out."""
    sound = {"agentId": AGENT, "agentAliasId": "FGHIJ67890", "inputText": "天気は？"}
    return {name: value for name, value in (sound | changes).items() if value is not ...}


@dataclass
class LambdaContext:
    """The platform's, as far as it is used."""

    aws_request_id: str = REQUEST_ID
    remaining_ms: int = 70_000

    def get_remaining_time_in_millis(self) -> int:
        return self.remaining_ms


@dataclass
class Time:
    """A monotonic clock that only sleeping moves."""

    now: float = 1000.0
    pauses: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def environment(self, chance: float = 1.0) -> RuntimeEnvironment:
        return RuntimeEnvironment(
            clock=FakeClock(),
            monotonic=lambda: self.now,
            sleep=self.sleep,
            random=lambda: chance,
            new_id=lambda: SESSION,
        )
