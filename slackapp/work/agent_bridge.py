"""The one bridge between Slack's threads and the agent's event loop."""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from fetcher.agent import Answer, Answerer, AskRequest, Progress

T = TypeVar("T")

log = logging.getLogger(__name__)

CLOSE_SECONDS = 10.0
"""How long closing an agent may take; the end of the process must not wait longer."""


class Bridge:
    """Runs an agent on a loop in a thread of its own; both start with the first question."""

    def __init__(self, open_agent: "Callable[[], Answerer]") -> None:
        self._open_agent = open_agent
        self._agent: Answerer | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False

    def ask(
        self, request: "AskRequest", on_progress: "Callable[[Progress], None]" = lambda _: None
    ) -> "Future[Answer]":
        """The answer to come; cancelling it stops the work. After the end it is cancelled from the start."""
        return self._run(self._ask(request, on_progress))

    def close(self) -> None:
        """Hangs up and ends the thread; what is still running is cancelled."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
            self._closed = True
        if loop is None or thread is None:
            return
        ending = asyncio.run_coroutine_threadsafe(self._hang_up(), loop)
        wait([ending], CLOSE_SECONDS)
        if not ending.done() or ending.exception():
            log.warning("agent_not_closed", extra={"fields": {"error": _said(ending)}})
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_SECONDS)
        if not thread.is_alive():
            loop.close()

    async def _ask(self, request: "AskRequest", on_progress: "Callable[[Progress], None]") -> "Answer":
        if self._agent is None:
            self._agent = self._open_agent()
        return await self._agent.ask(request, on_progress)

    async def _hang_up(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._agent is not None:
            await self._agent.aclose()
            self._agent = None

    def _run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        with self._lock:
            if self._closed:
                return _never(work)
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="agent", daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)


def _said(ending: Future[None]) -> str:
    return type(ending.exception()).__name__ if ending.done() else "it takes too long"


def _never(work: Coroutine[Any, Any, T]) -> Future[T]:
    """What is not begun any more."""
    work.close()
    future: Future[T] = Future()
    future.cancel()
    future.set_running_or_notify_cancel()
    return future
