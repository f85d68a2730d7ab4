"""What a model costs is told while it works, each token once."""

import asyncio

import pytest

from fetcher.agent.model.contract import Arrival, ModelCall, ModelTurn
from fetcher.agent.model.counted_model import CountedModel
from fetcher.agent.values import Progress, Step, Usage

CALL = ModelCall.alone("", [], 100)


class Streaming:
    """A model that tells its counts as they come; a turn without a last count is cut off."""

    def __init__(self, *counts: int, ends: bool = True) -> None:
        self._usages = [Usage(calls=1, input_tokens=count) for count in counts]
        self._ends = ends

    async def turn(self, _call, on_arrival):
        for usage in self._usages:
            on_arrival(Arrival(content=tuple, usage=usage))
        if not self._ends:
            raise asyncio.CancelledError
        return ModelTurn(content=(), stop_reason="end_turn", usage=self._usages[-1])


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ([100], [100]),
        ([100, 100, 140], [100, 40]),
    ],
)
@pytest.mark.parametrize("ends", [True, False])
def test_each_token_is_told_once(counts, told, ends):
    steps: list[Progress] = []
    seen: list[Arrival] = []
    model = CountedModel(Streaming(*counts, ends=ends), steps.append)
    turning = model.turn(CALL, seen.append)
    if ends:
        asyncio.run(turning)
    else:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(turning)
    assert [step.tokens for step in steps] == told
    assert {step.step for step in steps} == {Step.COUNTING}
    assert len(seen) == len(counts)
