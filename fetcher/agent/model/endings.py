"""Why a turn of the model ended, and what follows from it.

The authority is Anthropic's page "Stop reasons and fallback", and the SDK's `types/stop_reason.py`.
"""

import logging
from collections.abc import Iterable
from enum import Enum

from fetcher.agent.model.contract import Block, ModelTurn
from fetcher.codes import AgentCode

log = logging.getLogger(__name__)


class Ending(Enum):
    """What follows on a turn."""

    ANSWERED = "the turn is the answer"
    CALLED = "its tools are run"
    PAUSED = "it is sent back as it is, and goes on"
    CUT_IN_TEXT = "it is continued, once"
    CUT_EARLIER = "it is asked for again with more room, once"
    FULL = "its beginning is the answer, and what is missing is told"
    REFUSED = "nothing of it is used, and the asker is told what to try"
    SILENT = "an answer is asked for, once"


STOP_REASONS = {
    "end_turn": Ending.ANSWERED,
    "stop_sequence": Ending.ANSWERED,
    "tool_use": Ending.CALLED,
    "pause_turn": Ending.PAUSED,
    "max_tokens": Ending.CUT_IN_TEXT,
    "model_context_window_exceeded": Ending.FULL,
    "refusal": Ending.REFUSED,
}
"""A reason that is not known is taken for an answer."""
ONCE = frozenset({Ending.CUT_IN_TEXT, Ending.CUT_EARLIER, Ending.SILENT})
"""What is tried once in a question."""
TOLD = {
    Ending.CUT_IN_TEXT: AgentCode.TOKEN_LIMIT,
    Ending.CUT_EARLIER: AgentCode.TOKEN_LIMIT,
    Ending.FULL: AgentCode.TOKEN_LIMIT,
    Ending.REFUSED: AgentCode.MODEL_REFUSED,
    Ending.SILENT: AgentCode.MODEL_SILENT,
    Ending.PAUSED: AgentCode.TURN_LIMIT,
}
"""What the asker is told where a question ends so."""


def has_text(blocks: Iterable[Block]) -> bool:
    return any(block["type"] == "text" and block["text"].strip() for block in blocks)


def calls_in(turn: ModelTurn) -> list[Block]:
    return [block for block in turn.content if block["type"] == "tool_use"]


def ending_of(turn: ModelTurn) -> Ending:
    """What follows on a turn, by its reason to stop and by what it has; logged."""
    ending = STOP_REASONS.get(turn.stop_reason, Ending.ANSWERED)
    if ending not in (Ending.REFUSED, Ending.FULL):
        if calls_in(turn):
            ending = Ending.CALLED
        elif ending is Ending.CUT_IN_TEXT and (turn.call_cut or not has_text(turn.content)):
            ending = Ending.CUT_EARLIER
        elif ending in (Ending.ANSWERED, Ending.CALLED):  # what was called may not have been a tool of ours
            ending = Ending.ANSWERED if has_text(turn.content) else Ending.SILENT
        elif ending is Ending.PAUSED and not turn.content:
            ending = Ending.SILENT
    usual = ending in (Ending.ANSWERED, Ending.CALLED) and turn.stop_reason in STOP_REASONS
    # The explanation of a refusal may repeat the question, which no log may.
    category = (turn.stop_details or {}).get("category")
    fields = {"stop_reason": turn.stop_reason, "ending": ending.name.lower(), "category": category}
    log.log(logging.DEBUG if usual else logging.WARNING, "model_turn_ended", extra={"fields": fields})
    return ending
