"""The answer that a conversation with the model has led to."""

from fetcher import wording
from fetcher.agent.model.loop import LoopOutcome
from fetcher.agent.safety.citations import compose
from fetcher.agent.tools.toolbox import Toolbox
from fetcher.agent.values import Answer, Source
from fetcher.codes import AgentCode

REPORTED_REFUSALS = frozenset(
    {
        AgentCode.FETCH_LIMIT,
        AgentCode.UNNAMED_HOST_LIMIT,
        AgentCode.SEARCH_UNAVAILABLE,
        AgentCode.SEARCH_REJECTED,
        AgentCode.FILE_TOO_LARGE,
        AgentCode.FILE_TYPE_NOT_ALLOWED,
        AgentCode.FILE_LIMIT,
        AgentCode.FILE_INVALID,
        AgentCode.DOMAIN_BLOCKED,
    }
)
"""Refusals of tools that the asker is told of; the others concern only the model."""


def model_answer(outcome: LoopOutcome, toolbox: Toolbox) -> Answer:
    """The model's text with its sources and files, and what was left undone."""
    text, sources = compose(outcome.content, toolbox.titles)
    shown = enumerate(toolbox.pictures.items(), start=len(sources) + 1)  # the API does not cite pictures
    sources += tuple(Source(number=number, title=name, url=url) for number, (url, name) in shown)
    codes = [*outcome.reached]
    codes += [refusal.code for refusal in toolbox.refusals if refusal.code in REPORTED_REFUSALS]
    undone = [*map(wording.note, codes), *toolbox.shortfalls]
    return Answer(
        text=wording.refused() if outcome.refused else text,
        sources=sources,
        files=tuple(toolbox.files),
        usage=outcome.usage,
        undone=() if outcome.refused else tuple(dict.fromkeys(undone)),
        answered=not outcome.refused,
    )
