"""The answer that a conversation with the model has led to."""

from fetcher import messages_ja
from fetcher.agent.model.loop import LoopOutcome
from fetcher.agent.safety.citations import compose
from fetcher.agent.tools.toolbox import Toolbox
from fetcher.agent.values import Answer
from fetcher.codes import AgentCode

REPORTED_REFUSALS = frozenset(
    {
        AgentCode.FETCH_LIMIT,
        AgentCode.UNNAMED_HOST_LIMIT,
        AgentCode.FILE_TOO_LARGE,
        AgentCode.FILE_TYPE_NOT_ALLOWED,
        AgentCode.FILE_LIMIT,
        AgentCode.FILE_INVALID,
        AgentCode.DOMAIN_BLOCKED,
    }
)
"""Refusals of tools that the asker is told of; the others concern only the model."""

STOP_REASONS = {
    "max_tokens": AgentCode.TOKEN_LIMIT,
    "model_context_window_exceeded": AgentCode.TOKEN_LIMIT,
    "refusal": AgentCode.MODEL_REFUSED,
}
"""What the model's own reasons for stopping mean; the others mean that it is done."""


def model_answer(outcome: LoopOutcome, toolbox: Toolbox) -> Answer:
    """The model's text with its sources and files, and what was left undone."""
    text, sources = compose(outcome.content, toolbox.titles)
    codes = [*outcome.reached]
    if outcome.stop_reason in STOP_REASONS:
        codes.append(STOP_REASONS[outcome.stop_reason])
    codes += [refusal.code for refusal in toolbox.refusals if refusal.code in REPORTED_REFUSALS]
    undone = [*map(messages_ja.note, codes), *toolbox.shortfalls]
    return Answer(
        text=text if text.strip() else messages_ja.refused(),
        sources=sources,
        files=tuple(toolbox.files),
        usage=outcome.usage,
        undone=tuple(dict.fromkeys(undone)) if text.strip() else (),
        answered=outcome.stop_reason != "refusal",
    )
