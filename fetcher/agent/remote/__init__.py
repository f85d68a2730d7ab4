"""An agent in another process, asked over A2A; it has the same contract as the agent in this process."""

from fetcher.agent.remote.agent import RemoteAgent, open_remote_agent
from fetcher.agent.remote.settings import RemoteSettings, load_remote

__all__ = ["RemoteAgent", "RemoteSettings", "load_remote", "open_remote_agent"]
