"""An agent that waits in the middle of an answer for as long as a test wants."""

import asyncio
import threading
from collections.abc import Callable

from fetcher.agent import Answer, Answerer, AskRequest, Progress, Step

SLOWLY = "ゆっくり"
"""A question with this word waits; every other is answered at once by the one inside."""


class Patient:
    """Opens a page, begins to write, and goes on once `go` is set."""

    def __init__(self, inner: Answerer, go: threading.Event) -> None:
        self._inner = inner
        self._go = go

    async def ask(self, request: AskRequest, on_progress: Callable[[Progress], None]) -> Answer:
        if SLOWLY in request.question:
            on_progress(Progress(step=Step.FETCHING, url="http://news.sample/articles/tram"))
            on_progress(Progress(step=Step.READING, url="http://news.sample/articles/tram", title="路面電車"))
            on_progress(Progress(step=Step.WRITING, text="路面電車の夜間便が\n"))
            await asyncio.to_thread(self._go.wait)
        return await self._inner.ask(request, on_progress)

    async def aclose(self) -> None:
        await self._inner.aclose()
