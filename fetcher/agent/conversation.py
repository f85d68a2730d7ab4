"""From a question and its thread to the messages that the model sees."""

from collections.abc import Sequence
from itertools import groupby

from fetcher.agent import prompts
from fetcher.agent.fencing import plain_label
from fetcher.agent.links import find_links
from fetcher.agent.model import Block
from fetcher.agent.values import AskRequest, Turn
from fetcher.web.tokens import count

MOST_LINKS = 50


def messages(request: AskRequest, *, today: str, max_history_tokens: int) -> list[Block]:
    """The thread's newest turns that fit, then the question, which always stays whole."""
    asked = prompts.question(
        author=plain_label(request.author, longest=80),
        text=request.question,
        links=links(request)[:MOST_LINKS],
        today=today,
    )
    turns = [(turn.ours, _said(turn)) for turn in _newest(request.history, max_history_tokens)]
    return _alternating([*turns, (False, asked)])


def links(request: AskRequest) -> tuple[str, ...]:
    """The links that people wrote: the question's first, then the thread's, newest first."""
    texts = [request.question, *request.links, *reversed(said_by_people(request)[:-1])]
    return tuple(dict.fromkeys(link for text in texts for link in find_links(text)))


def said_by_people(request: AskRequest) -> list[str]:
    return [*(turn.text for turn in request.history if not turn.ours), request.question]


def said_by_us(request: AskRequest) -> list[str]:
    return [turn.text for turn in request.history if turn.ours]


def _newest(history: Sequence[Turn], max_tokens: int) -> list[Turn]:
    kept: list[Turn] = []
    room = max_tokens
    for turn in reversed(history):
        room -= count(turn.text)
        if room < 0:
            break
        kept.insert(0, turn)
    return kept


def _said(turn: Turn) -> str:
    return turn.text if turn.ours else prompts.said(plain_label(turn.author, longest=80), turn.text)


def _alternating(turns: list[tuple[bool, str]]) -> list[Block]:
    """The API wants a user first, and no empty text; neighbours with one role become one message."""
    spoken = [(ours, text) for ours, text in turns if text.strip()]
    while spoken and spoken[0][0]:
        spoken.pop(0)
    return [
        {
            "role": "assistant" if ours else "user",
            "content": [{"type": "text", "text": "\n\n".join(text for _, text in group)}],
        }
        for ours, group in groupby(spoken, key=lambda turn: turn[0])
    ]
