"""The agent on the other side of an A2A call, with the same contract as the one in this process."""

from fetcher.agent.remote.agent import RemoteAgent, open_remote_agent
from fetcher.agent.remote.settings import RemoteSettings, load_remote

__all__ = ["RemoteAgent", "RemoteSettings", "load_remote", "open_remote_agent"]
