"""Keeps what a model was sent and what it answered, so that it can be asked again without a key."""

import hashlib
import json
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fetcher.agent.errors import ModelUnavailable
from fetcher.agent.model.contract import Arrival, Model, ModelCall, ModelTurn, OnArrival
from fetcher.agent.values import Usage


class Recorder:
    """A model whose exchanges are kept, one line of JSON each."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.lines: list[str] = []

    async def turn(self, call: ModelCall, on_arrival: OnArrival) -> ModelTurn:
        turn = await self._model.turn(call, on_arrival)
        line = {"call": fingerprint(call), "turn": asdict(turn)}
        self.lines.append(json.dumps(line, ensure_ascii=False))
        return turn


class Replay:
    """A model that answers each call as it was answered when the exchanges were kept."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._turns: dict[str, deque[dict[str, Any]]] = {}
        for kept in map(json.loads, lines):
            self._turns.setdefault(kept["call"], deque()).append(kept["turn"])

    async def turn(self, call: ModelCall, on_arrival: OnArrival) -> ModelTurn:
        turns = self._turns.get(fingerprint(call))
        if not turns:
            raise ModelUnavailable(
                "this call is not among the recorded ones: prompts, tools or pages changed"
            )
        kept = turns.popleft()
        turn = ModelTurn(
            **kept | {"content": tuple(kept["content"]), "usage": Usage(**kept["usage"])},
        )
        text = "".join(block["text"] for block in turn.content if block["type"] == "text")
        on_arrival(Arrival(text=text, content=lambda: turn.content))
        return turn


def replay_of(path: Path) -> Replay:
    return Replay(path.read_text("utf-8").splitlines())


def fingerprint(call: ModelCall) -> str:
    """Tells calls apart by all that they send."""
    sent = json.dumps(asdict(call), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(sent.encode()).hexdigest()[:24]
