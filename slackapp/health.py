"""Whether the app works: one value for `/healthz`, for the home tab and for the command line."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What a process knows about itself. It holds no secret and no text of a user or a page."""

    at: datetime
    store: str
    """`sqlite` or `dynamodb`."""
    store_answers: bool
    socket_connected: bool | None = None
    """None if Slack reaches this process in another way: over HTTP, or on Lambda."""
    swept_at: datetime | None = None
    """When a round of the sweeper last reached the store; None before the first, and on Lambda."""
    sweep_overdue: bool = False
    """Whether the last such round is too long ago."""
    sweeper_stuck: bool = False
    """Whether no round has ended for too long, not even one that failed."""
    last_error: str = ""
    """The event of the last line of level error in the log; empty if there was none."""
    last_error_at: datetime | None = None
    model: str
    """Who answers: `anthropic:` or `bedrock:` and the model, `agentcore`, or `offline` without a model."""
    browser: str
    """The path of Chromium; empty if there is none, or if it is switched off."""

    @property
    def is_live(self) -> bool:
        """Whether a restart would not help: Slack or the store may be away."""
        return not self.sweeper_stuck

    @property
    def is_ready(self) -> bool:
        """Whether questions are answered."""
        is_connected = self.socket_connected is not False
        return self.store_answers and is_connected and not self.sweep_overdue and self.is_live

    def as_json(self) -> dict[str, Any]:
        """Every field and both conclusions; times in UTC."""
        fields = {
            name: value.astimezone(UTC).isoformat(timespec="seconds")
            if isinstance(value, datetime)
            else value
            for name, value in asdict(self).items()
        }
        return {"is_ready": self.is_ready, "is_live": self.is_live, **fields}
