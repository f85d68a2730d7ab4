"""The agent's front door: ask a question about the web, get an answer with sources and files."""

from fetcher.agent.agent import Agent, limits_of, open_agent
from fetcher.agent.answerer import Answerer, open_answerer
from fetcher.agent.errors import AgentError, QuestionRejected
from fetcher.agent.remote import RemoteAgent, RemoteSettings, load_remote, open_remote_agent
from fetcher.agent.values import (
    Answer,
    AskRequest,
    GeneratedFile,
    Limits,
    Progress,
    Source,
    Step,
    Turn,
    Usage,
)

__all__ = [
    "Agent",
    "AgentError",
    "Answer",
    "Answerer",
    "AskRequest",
    "GeneratedFile",
    "Limits",
    "Progress",
    "QuestionRejected",
    "RemoteAgent",
    "RemoteSettings",
    "Source",
    "Step",
    "Turn",
    "Usage",
    "limits_of",
    "load_remote",
    "open_agent",
    "open_answerer",
    "open_remote_agent",
]
