"""Notes of the parts of a long page, each made in a call of the model of its own."""

import asyncio
import logging
from collections.abc import Sequence

from fetcher.agent.errors import ModelFailed
from fetcher.agent.model import prompts
from fetcher.agent.model.contract import Model, ModelCall
from fetcher.agent.model.endings import Ending, ending_of
from fetcher.agent.safety.fencing import search_result
from fetcher.agent.tools.open_page import OpenPage
from fetcher.agent.values import Limits, Usage

log = logging.getLogger(__name__)


class PageNotes:
    """Makes notes for one question; `usage` is what they cost, `cut` whether some of them lack their end."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self._model = model
        self._limits = limits
        self.usage = Usage()
        self.cut = False

    async def make(self, parts: Sequence[Sequence[str]], page: OpenPage, focus: str) -> list[str | None]:
        """The notes of each part, made side by side; None where the model gave none."""

        async def make_one(number: int, part: Sequence[str]) -> str | None:
            asked = prompts.part(focus, number=number, total=len(parts))
            content = [search_result(str(page.url), page.title, part), {"type": "text", "text": asked}]
            call = ModelCall.alone(prompts.NOTES, content, self._limits.output_tokens)
            try:
                turn = await self._model.turn(call, lambda _: None)
            except ModelFailed as failure:
                log.warning("no_notes: %s", failure.message, extra={"fields": {"error_code": failure.code}})
                return None
            self.usage += turn.usage
            ending, text = ending_of(turn), turn.text.strip()
            if ending is Ending.REFUSED or not text:
                return None
            if ending in (Ending.CUT_IN_TEXT, Ending.FULL):
                self.cut = True
                return f"{text}\n{prompts.NOTES_CUT}"
            return text

        return list(await asyncio.gather(*(make_one(*numbered) for numbered in enumerate(parts, 1))))
