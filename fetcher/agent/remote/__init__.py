"""An agent in another process, asked over A2A; it has the same contract as the agent in this process."""

from fetcher.agent.remote.agent import RemoteAgent, RemoteSettings, load_remote, open_remote_agent

__all__ = ["RemoteAgent", "RemoteSettings", "load_remote", "open_remote_agent"]
