"""The one bridge between Slack's threads and the agent's event loop."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from fetcher.event_loop_thread import EventLoopThread

if TYPE_CHECKING:
    from fetcher.agent import Answer, Answerer, AskRequest, Progress

log = logging.getLogger(__name__)

CLOSE_SECONDS = 10.0
"""How long an agent may take to close its connections; the process that ends does not wait longer."""


class Bridge:
    """Runs an agent on a loop in a thread of its own; both start with the first question."""

    def __init__(self, open_agent: "Callable[[], Answerer]") -> None:
        self._open_agent = open_agent
        self._agent: Answerer | None = None
        self._thread = EventLoopThread("agent")
        self.closing = threading.Event()
        """Set when the process is about to end."""

    def ask(
        self, request: "AskRequest", on_progress: "Callable[[Progress], None]" = lambda _: None
    ) -> "Future[Answer]":
        """The answer to come; cancelling it stops the work. After the end it is cancelled from the start."""
        return self._thread.submit(self._ask(request, on_progress))

    def close(self) -> None:
        """Close the agent and end the thread; what is still running is cancelled."""
        self.closing.set()
        try:
            self._thread.close(self._close_agent, CLOSE_SECONDS)
        except Exception as error:  # noqa: BLE001 - the process ends, and must not stop half-way
            reason = "it takes too long" if isinstance(error, TimeoutError) else type(error).__name__
            log.warning("agent_not_closed", extra={"fields": {"error": reason}})

    async def _ask(self, request: "AskRequest", on_progress: "Callable[[Progress], None]") -> "Answer":
        if self._agent is None:
            self._agent = self._open_agent()
        return await self._agent.ask(request, on_progress)

    async def _close_agent(self) -> None:
        if self._agent is not None:
            await self._agent.aclose()
