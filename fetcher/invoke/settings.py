"""The invocation Lambda's settings, each from the variable of its name."""

import os
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from fetcher.invoke.request import AGENT_ID
from fetcher.settings import SettingsGroup
from fetcher.startup import environment

ANY = "*"
"""Stands for every agent that is not named."""


class BedrockAgent(SettingsGroup):
    """Bedrock Agents, where the agent's id is Bedrock's own."""

    type: Literal["bedrock-agents"] = "bedrock-agents"
    region: str = ""


class AgentCoreRuntime(SettingsGroup):
    """An agent on AgentCore Runtime."""

    type: Literal["agentcore"]
    runtime_arn: str = Field(
        alias="runtimeArn", pattern=r"^arn:aws[a-z-]*:bedrock-agentcore:[a-z0-9-]+:\d{12}:runtime/[\w-]+$"
    )
    qualifier: str = ""
    """The endpoint; AgentCore's DEFAULT if it is empty."""
    protocol: Literal["http", "a2a"] = "http"

    @property
    def region(self) -> str:
        return self.runtime_arn.split(":")[3]


class InProcess(SettingsGroup):
    """This project's own agent, in the function itself."""

    type: Literal["fetch-agent"]


class NoBackend(SettingsGroup):
    """No backend: the agent counts as not found."""

    type: Literal["none"]


BackendSettings = Annotated[
    Annotated[BedrockAgent | AgentCoreRuntime | InProcess | NoBackend, Field(discriminator="type")],
    # A backend without settings may be given by its name alone.
    BeforeValidator(lambda value: {"type": value} if isinstance(value, str) else value),
]


def _check_ids(backends: dict[str, Any]) -> dict[str, Any]:
    if wrong := sorted(name for name in backends if name != ANY and not AGENT_ID.fullmatch(name)):
        raise ValueError(f"neither an agentId nor {ANY}: {', '.join(wrong)}")
    return backends


class InvokeSettings(SettingsGroup):
    """Which agents are reached, and how."""

    invoke_backends: Annotated[
        dict[str, BackendSettings], BeforeValidator(environment.from_json), AfterValidator(_check_ids)
    ] = Field(default_factory=dict)
    invoke_log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    aws_region_name: str = ""
    aws_region: str = ""

    def backend_of(self, agent_id: str) -> BackendSettings:
        """The setting for an agent, else for any agent, else Bedrock Agents."""
        chosen = self.invoke_backends.get(agent_id) or self.invoke_backends.get(ANY) or BedrockAgent()
        if isinstance(chosen, BedrockAgent) and not chosen.region:
            return BedrockAgent(region=self.aws_region_name or self.aws_region)
        return chosen


def load(environ: Mapping[str, str] = os.environ) -> InvokeSettings:
    """The settings of this process; raises ConfigurationError with everything that is wrong."""
    return environment.read(InvokeSettings, environ)
