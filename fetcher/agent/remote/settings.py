"""Settings: whether questions go to a remote agent, and to which."""

import os
import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from fetcher.settings import ConfigurationError, SettingsGroup
from fetcher.startup import environment

WEB_FETCH = "web-fetch"
"""The name under which `EXECUTION_AGENT_ARNS` lists this product's agent."""

_ARN = re.compile(r"arn:[a-z-]+:bedrock-agentcore:[a-z0-9-]+:[0-9]{12}:runtime/\S+")


class RemoteSettings(SettingsGroup):
    """`AGENT_REMOTE` and `EXECUTION_AGENT_ARNS`; in process is the default."""

    agent_remote: bool = False
    execution_agent_arns: Annotated[dict[str, str], BeforeValidator(environment.from_json)] = Field(
        default_factory=dict
    )
    """Agents of other kinds may be listed too, with addresses of other kinds."""

    @model_validator(mode="after")
    def _know_where_to_ask(self) -> "RemoteSettings":
        if self.agent_remote and WEB_FETCH not in self.execution_agent_arns:
            raise ConfigurationError(
                f"Configuration error: AGENT_REMOTE needs {WEB_FETCH!r} among EXECUTION_AGENT_ARNS"
            )
        return self


def arn_of(settings: RemoteSettings) -> str:
    """The remote agent's ARN; raises ConfigurationError."""
    arn = settings.execution_agent_arns.get(WEB_FETCH, "")
    if not _ARN.fullmatch(arn):
        raise ConfigurationError(
            f"Configuration error: EXECUTION_AGENT_ARNS: {WEB_FETCH!r} is not the ARN of an AgentCore runtime"
        )
    return arn


def load_remote(environ: Mapping[str, str] = os.environ) -> RemoteSettings:
    """The settings of this process; raises ConfigurationError with everything that is wrong."""
    return environment.read(RemoteSettings, environ)
