"""The agents that an invocation can ask: Bedrock Agents, AgentCore, this project's own."""

import functools

from fetcher.invoke.backends.contract import Backend
from fetcher.invoke.response import AgentNotFound
from fetcher.invoke.settings import AgentCoreRuntime, BackendSettings, BedrockAgent, InProcess, NoBackend


@functools.cache
def open_backend(settings: BackendSettings) -> Backend:
    """The backend that the settings describe, once for the life of the process; raises AgentNotFound.

    Its packages are imported now, and not before.
    """
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
