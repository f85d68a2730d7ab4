"""What the loop of model and tools costs on the same questions, with a model that needs no key.

It answers as soon as what it was shown has the known passage; where that is missing it looks once with
`find_in_page`.
"""

import asyncio
import json
from dataclasses import dataclass
from typing import cast

from fetcher.agent import AskRequest, open_agent
from fetcher.agent.model.contract import ModelCall, ModelTurn, OnArrival
from fetcher.agent.values import Usage
from fetcher.settings import AgentSettings, Settings
from fetcher.web.output.tokens import count
from fetcher.web.pipeline import Pipeline
from tests.evals.corpus import PagesAtHand, Question, questions, url_of
from tests.fakes.clock import FakeClock


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopFigures:
    asked: int
    calls: float
    """Of the model, a question."""
    tokens: float
    """Sent, a question."""
    shown: float
    """The share of questions whose known passage the model was shown."""


class LookingModel:
    """Answers, or looks once for what it was not shown."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self.shown = False

    async def turn(self, call: ModelCall, _on_arrival: OnArrival) -> ModelTurn:
        sent = json.dumps([call.system, call.tools, call.messages], ensure_ascii=False)
        usage = Usage(calls=1, input_tokens=count(sent))
        results = [block for message in call.messages for block in message["content"]]
        texts = [
            piece["text"]
            for block in results
            for inner in ([block] if block["type"] != "tool_result" else block["content"])
            if isinstance(inner, dict)
            for piece in inner.get("content", [inner])
            if "text" in piece
        ]
        self.shown = self._question.is_answered_by("\n".join(texts))
        if self.shown or len(call.messages) > 1:
            return ModelTurn(content=({"type": "text", "text": "ok"},), stop_reason="end_turn", usage=usage)
        look = {"url": url_of(self._question.page), "query": self._question.text}
        use = {"type": "tool_use", "id": "t1", "name": "find_in_page", "input": look}
        return ModelTurn(content=(use,), stop_reason="tool_use", usage=usage)


def loop_figures() -> LoopFigures:
    async def ask(question: Question) -> tuple[Usage, bool]:
        model = LookingModel(question)
        pipeline = cast("Pipeline", PagesAtHand())
        agent = open_agent(AgentSettings(), Settings(), pipeline=pipeline, model=model, clock=FakeClock())
        answer = await agent.ask(AskRequest(question=f"{url_of(question.page)} {question.text}"))
        return answer.usage, model.shown

    async def ask_all() -> list[tuple[Usage, bool]]:
        return [await ask(question) for question in questions()]

    asked = asyncio.run(ask_all())
    return LoopFigures(
        asked=len(asked),
        calls=sum(usage.calls for usage, _ in asked) / len(asked),
        tokens=sum(usage.input_tokens for usage, _ in asked) / len(asked),
        shown=sum(shown for _, shown in asked) / len(asked),
    )
