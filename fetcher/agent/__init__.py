"""The agent: ask a question about the web, get an answer with sources and files. Read `agent.py` first."""

from fetcher.agent.agent import Agent, limits_of, open_agent
from fetcher.agent.answerer import Answerer, open_answerer
from fetcher.agent.errors import AgentError, QuestionRejected, ToolRefused
from fetcher.agent.remote import RemoteAgent, RemoteSettings, load_remote, open_remote_agent
from fetcher.agent.safety.allowed_links import AllowedLinks, links_of, only_links, only_urls
from fetcher.agent.safety.quotes import AnswerUrls
from fetcher.agent.values import (
    Answer,
    AskRequest,
    AttachedFile,
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
    "AllowedLinks",
    "Answer",
    "AnswerUrls",
    "Answerer",
    "AskRequest",
    "AttachedFile",
    "GeneratedFile",
    "Limits",
    "Progress",
    "QuestionRejected",
    "RemoteAgent",
    "RemoteSettings",
    "Source",
    "Step",
    "ToolRefused",
    "Turn",
    "Usage",
    "limits_of",
    "links_of",
    "load_remote",
    "only_links",
    "only_urls",
    "open_agent",
    "open_answerer",
    "open_remote_agent",
]
