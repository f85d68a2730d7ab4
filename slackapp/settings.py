"""The Slack app's settings, each from the variable of its name."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
)

from fetcher.aws import region_of
from fetcher.settings import HeaderSecret, TimeZone, expanded
from fetcher.startup import environment
from slackapp.listeners.incoming import STOP_REACTIONS, emoji_name

STACK = "slack-web-reader"
"""The name of the stack on AWS; `serverless.yml` has the same."""
TABLES = ("dedupe", "whitelist", "rate_limit", "existence_check_cache")

Count = Annotated[int, Field(ge=0)]


def _is_id(value: str) -> str:
    if not re.fullmatch("[A-Z0-9]{2,32}", value):
        raise ValueError(
            "must be ids such as T0123ABCD, with commas between them; docs/deploy.md says where they are"
        )
    return value


Id = Annotated[str, AfterValidator(_is_id)]


class Timing(BaseModel):
    """Times and counts that no operator sets: Lambda has values of its own, and tests pass others."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    lease_seconds: float = 60
    """After how long the question of a silent worker is given to another."""
    heartbeat_seconds: float = 5
    """How often a worker renews its lease: at least three times within it."""
    sweep_seconds: float = 15
    """How often abandoned questions are looked for, outside Lambda."""
    clock_skew_seconds: float = 5
    """How much the clocks of two workers may differ."""
    settle_seconds: float = 10
    """How long after a call without an answer Slack may still carry it out."""
    patience_seconds: float = 300
    """How long a worker waits for a Slack that refuses or does not answer, with an answer in its hands."""
    late_file_seconds: float = 60
    """How long a worker waits for a file that Slack has accepted and does not show yet, after the answer."""
    max_attempts: int = 3
    """Runs of a question before the asker is told that it failed."""
    existence_cache_seconds: float = 300
    rate_limit_burst: int = 10
    """Questions of a user that may come at once."""
    history_messages: int = 50
    """Messages of a thread that are read before a question is answered, the newest."""


ON_LAMBDA: dict[str, float] = {"lease_seconds": 120, "heartbeat_seconds": 10, "patience_seconds": 45}
"""A dead worker's question need not wait for long; a sandbox must end before its function does."""


class SlackSettings(Timing):
    """How the app reaches Slack and its store, which users it answers and how often."""

    slack_bot_token: HeaderSecret = SecretStr("")
    slack_signing_secret: HeaderSecret = SecretStr("")
    slack_app_token: HeaderSecret = SecretStr("")
    slack_api_url: Annotated[str, Field(pattern=r"^https?://[^\s/]+/")] = "https://slack.com/api/"
    slack_workers: Annotated[int, Field(ge=1, le=200)] = 10
    """Questions answered at a time, outside Lambda."""

    health_address: Annotated[str, Field(pattern=r"^([^\s:]+:[0-9]{1,5})?$")] = ""
    """Where `/healthz` is served, as `127.0.0.1:8080`; empty: nowhere."""

    store: Literal["", "sqlite", "dynamodb"] = ""
    sqlite_path: Annotated[str, AfterValidator(expanded)] = "~/.slack-web-reader/store.sqlite3"
    dynamodb_endpoint_url: str = ""
    dynamodb_table_prefix: str = ""
    dedupe_table: str = ""
    whitelist_table: str = ""
    rate_limit_table: str = ""
    existence_check_cache_table: str = ""
    aws_region_name: str = ""
    app_stage: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]*$")] = ""
    """The stage of an installation on AWS: its tables, and its metrics."""

    access_mode: Literal["whitelist", "open"] = "whitelist"
    whitelist_team_ids: tuple[Id, ...] = ()
    whitelist_channel_ids: tuple[Id, ...] = ()
    whitelist_user_ids: tuple[Id, ...] = ()

    rate_limit_per_minute: Annotated[int, Field(ge=1, le=6000)] = 10
    timezone: TimeZone = "Asia/Tokyo"
    """Whose days the limits below count."""
    daily_questions_per_team: Count = 0
    daily_questions_total: Count = 0
    daily_tokens_per_team: Count = 0
    daily_tokens_total: Count = 0

    thread_days: Annotated[int, Field(ge=1, le=365)] = 30
    """How long the app follows a thread with an answer, and stores feedback."""
    follow_ups: Literal["own", "all", "mentions"] = "own"
    """Which replies without a mention are questions (`work/follow_ups.py`)."""
    read_reaction: Annotated[str, AfterValidator(emoji_name), Field(max_length=100)] = ""
    """The reaction that reads the links of a message; empty: none."""
    admin_contact: Annotated[str, Field(pattern=r"^([UWCG][A-Z0-9]{2,31})?$")] = ""
    """The user or channel that the Home tab names to those who may not ask."""
    search_off_channel_ids: tuple[Id, ...] = ()
    """Channels from which no words go to a search provider."""

    @field_validator("read_reaction")
    @classmethod
    def _reads_or_stops(cls, value: str) -> str:
        if value in STOP_REACTIONS or any(mark.isspace() or mark == ":" for mark in value):
            raise ValueError(
                "must be the name of an emoji, such as newspaper, and not one that stops an answer"
            )
        return value

    @property
    def store_kind(self) -> Literal["sqlite", "dynamodb"]:
        """The named store, else DynamoDB if any of its settings is set, else SQLite (S11)."""
        named = [self.dynamodb_table_prefix, self.dynamodb_endpoint_url, self.app_stage]
        named += [getattr(self, f"{table}_table") for table in TABLES]
        return self.store or ("dynamodb" if any(named) else "sqlite")

    def table_name(self, table: str) -> str:
        """A table's own name, else the prefix and the default name; a stage has a prefix of its own."""
        prefix = self.dynamodb_table_prefix or (f"{STACK}-{self.app_stage}-" if self.app_stage else "")
        return str(getattr(self, f"{table}_table")) or f"{prefix}{table}"

    def place_of(self, table: str) -> str:
        """Where a table is, for people: the file, or the region, the stage and the table's name."""
        if self.store_kind == "sqlite":
            return f"{self.sqlite_file}, table {table}"
        where = self.dynamodb_endpoint_url or f"region {region_of(self.aws_region_name)}"
        return f"{where}, stage {self.app_stage or 'not named'}, table {self.table_name(table)}"

    @property
    def sqlite_file(self) -> Path:
        return Path(self.sqlite_path).absolute()


def load(environ: Mapping[str, str] = os.environ, timing: Mapping[str, float] | None = None) -> SlackSettings:
    """The settings of this process. Raises ConfigurationError."""
    names = [name.upper() for name in SlackSettings.model_fields]
    off = (name for name in environ if name.startswith("SEARCH_OFF") and name not in names)
    environment.refuse_unknown(off, names)
    return environment.read(SlackSettings, environ).model_copy(update=timing)
