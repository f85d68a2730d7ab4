"""The agent in a thread and an event loop of its own, beside the server's.

Reading pages is work for the processor too. Whatever it costs, the server's own loop stays free to answer
`/ping`, to refuse and to cancel.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from fetcher.agent import Answer, Answerer, AskRequest, Progress

T = TypeVar("T")


class AgentThread:
    """An `Answerer` for the server's loop; the one inside never leaves its thread."""

    def __init__(self, opener: Callable[[], Answerer]) -> None:
        self._opener = opener
        self._agent: Answerer | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="agent", daemon=True)

    def start(self) -> None:
        self._thread.start()

    async def ask(
        self, request: AskRequest, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> Answer:
        """The answer; raises QuestionRejected. Cancelling it cancels the work in the other thread."""
        server = asyncio.get_running_loop()

        def tell(progress: Progress) -> None:
            server.call_soon_threadsafe(on_progress, progress)

        return await self._there(self._ask(request, tell))

    async def aclose(self) -> None:
        """Stops what still runs, and the thread."""
        if self._thread.is_alive():
            await self._there(self._close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            await asyncio.to_thread(self._thread.join)
        self._loop.close()

    async def _there(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def _ask(self, request: AskRequest, tell: Callable[[Progress], None]) -> Answer:
        if self._agent is None:
            self._agent = self._opener()
        return await self._agent.ask(request, tell)

    async def _close(self) -> None:
        running = asyncio.all_tasks() - {asyncio.current_task()}
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if self._agent is not None:
            await self._agent.aclose()
        await self._loop.shutdown_default_executor()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
