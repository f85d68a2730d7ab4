"""Selects the backend of an agent by its id."""

from collections.abc import Callable

from fetcher.invoke.backends.contract import Backend
from fetcher.invoke.errors import AgentNotFound
from fetcher.invoke.settings import (
    AgentCoreRuntime,
    BackendSettings,
    BedrockAgent,
    InProcess,
    InvokeSettings,
    NoBackend,
)

Open = Callable[[BackendSettings], Backend]


def open_backend(settings: BackendSettings) -> Backend:
    """Open the backend that the settings describe; its packages are imported now, and not before."""
    match settings:
        case BedrockAgent():
            from fetcher.invoke.backends.bedrock_agents import BedrockAgents

            return BedrockAgents(settings.region)
        case AgentCoreRuntime():
            from fetcher.invoke.backends.agentcore import AgentCore

            return AgentCore(settings)
        case InProcess():
            from fetcher.invoke.backends.fetch_agent import FetchAgent

            return FetchAgent()
        case NoBackend():
            raise AgentNotFound("No backend is configured for this agentId. Check agentId.")


class BackendSelection:
    """The opened backends, which keep their connections for the life of the process."""

    def __init__(self, settings: InvokeSettings, open_backend: Open = open_backend) -> None:
        self.settings = settings
        self._open_backend = open_backend
        self._opened: dict[BackendSettings, Backend] = {}

    def backend_for(self, agent_id: str) -> Backend:
        """The agent's backend; raises AgentNotFound."""
        settings = self.settings.backend_of(agent_id)
        if settings not in self._opened:
            self._opened[settings] = self._open_backend(settings)
        return self._opened[settings]
