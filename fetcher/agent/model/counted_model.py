"""A model that tells what it costs while it works: a turn that is cut short must be paid too."""

from collections.abc import Callable

from fetcher.agent.model.contract import Arrival, Model, ModelCall, ModelTurn, OnArrival
from fetcher.agent.values import Progress, Step, Usage


class CountedModel:
    """The model of one question."""

    def __init__(self, model: Model, on_progress: Callable[[Progress], None]) -> None:
        self._model = model
        self._on_progress = on_progress

    async def turn(self, call: ModelCall, on_arrival: OnArrival) -> ModelTurn:
        """One turn, as `Model` has it."""
        told = 0

        def tell(usage: Usage) -> None:
            nonlocal told
            if usage.tokens > told:
                self._on_progress(Progress(step=Step.COUNTING, tokens=usage.tokens - told))
                told = usage.tokens

        def take(arrival: Arrival) -> None:
            tell(arrival.usage)
            on_arrival(arrival)

        turn = await self._model.turn(call, take)
        tell(turn.usage)
        return turn
