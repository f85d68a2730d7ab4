"""The contract of everything that answers questions, in this process or in another."""

from collections.abc import Callable
from typing import Protocol

from fetcher.agent.agent import open_agent
from fetcher.agent.remote import RemoteSettings, open_remote_agent
from fetcher.agent.values import Answer, AskRequest, Progress
from fetcher.settings import AgentSettings, Settings


class Answerer(Protocol):
    """What `Agent` and `RemoteAgent` have in common."""

    async def ask(self, request: AskRequest, on_progress: Callable[[Progress], None]) -> Answer:
        """Answer the question; raises QuestionRejected, and can be cancelled at any moment."""

    async def aclose(self) -> None:
        """Close connections; a later question connects anew."""


def open_answerer(settings: AgentSettings, web: Settings, remote: RemoteSettings) -> Answerer:
    """The agent in this process, unless the settings send questions to another."""
    return open_remote_agent(remote, settings) if remote.agent_remote else open_agent(settings, web)
