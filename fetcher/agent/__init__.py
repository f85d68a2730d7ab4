"""The agent's front door: ask a question about the web, get an answer with sources and files."""

from fetcher.agent.agent import Agent, limits_of, open_agent
from fetcher.agent.errors import AgentError, QuestionRejected
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
    "AskRequest",
    "GeneratedFile",
    "Limits",
    "Progress",
    "QuestionRejected",
    "Source",
    "Step",
    "Turn",
    "Usage",
    "limits_of",
    "open_agent",
]
