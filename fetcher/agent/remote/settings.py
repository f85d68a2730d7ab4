"""Whether questions go to a remote agent, and to which."""

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationError, model_validator

from fetcher.settings import ConfigurationError, Group

WEB_FETCH = "web-fetch"
"""The name under which `EXECUTION_AGENT_ARNS` lists this product's agent."""

_ARN = re.compile(r"arn:[a-z-]+:bedrock-agentcore:[a-z0-9-]+:[0-9]{12}:runtime/\S+")


class RemoteSettings(Group):
    """`AGENT_REMOTE` and `EXECUTION_AGENT_ARNS`; in process is the default."""

    agent_remote: bool = False
    execution_agent_arns: dict[str, str] = Field(default_factory=dict)
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


def region_of(arn: str) -> str:
    return arn.split(":")[3]


def load_remote(environ: Mapping[str, str] = os.environ) -> RemoteSettings:
    """The settings of this process, each from the variable of its name; raises ConfigurationError."""
    names = {name.upper(): name for name in RemoteSettings.model_fields}
    given: dict[str, Any] = {
        name: environ[variable] for variable, name in names.items() if environ.get(variable, "").strip()
    }
    if "execution_agent_arns" in given:
        given["execution_agent_arns"] = _decoded(given["execution_agent_arns"])
    try:
        return RemoteSettings.model_validate(given)
    except ValidationError as error:
        rows = error.errors(include_url=False, include_input=False)
        lines = [f"{'.'.join(map(str, row['loc']))}: {row['msg']}" for row in rows]
        raise ConfigurationError("\n".join(["Configuration error:", *lines])) from None


def _decoded(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        raise ConfigurationError(
            "Configuration error: EXECUTION_AGENT_ARNS: must be a JSON object of names and ARNs"
        ) from None
