"""The agent in a thread and an event loop of its own.

Reading pages is work for the processor too. The server's own loop stays free to answer `/ping`, to refuse and
to cancel.
"""

import asyncio
from collections.abc import Callable

from fetcher.agent import Answer, Answerer, AskRequest, Progress
from fetcher.event_loop_thread import EventLoopThread


class AgentThread:
    """An `Answerer` for the server's loop; the agent inside never leaves its thread."""

    def __init__(self, open_agent: Callable[[], Answerer]) -> None:
        self._open_agent = open_agent
        self._agent: Answerer | None = None
        self._thread = EventLoopThread("agent")

    async def ask(
        self, request: AskRequest, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> Answer:
        """The answer; raises QuestionRejected. Cancelling it cancels the work in the other thread."""
        server = asyncio.get_running_loop()

        def report(progress: Progress) -> None:
            server.call_soon_threadsafe(on_progress, progress)

        async def ask_there() -> Answer:
            if self._agent is None:
                self._agent = self._open_agent()
            return await self._agent.ask(request, report)

        return await asyncio.wrap_future(self._thread.submit(ask_there()))

    async def aclose(self) -> None:
        """Cancel what still runs, close the agent and end the thread."""

        async def close_agent() -> None:
            if self._agent is not None:
                await self._agent.aclose()

        await asyncio.to_thread(self._thread.close, close_agent)
