"""The questions that the agent is working on in this process, and how they end early.

`Bridge` is the one way from Slack's threads to the agent's event loop.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from fetcher.event_loop_thread import EventLoopThread
from slackapp.work.lease import ClaimLost, Lease

if TYPE_CHECKING:
    from fetcher.agent import Answer, Answerer, AskRequest, Limits, Progress

log = logging.getLogger(__name__)

CLOSE_SECONDS = 10.0
"""How long an agent may take to close its connections; the process that ends does not wait longer."""


class Stopped(Exception):
    """A user asked to stop the run."""


class Interrupted(Exception):
    """The process is about to end; another one continues."""


class AgentCancelled(Exception):
    """The agent has ended its run by itself, without an answer."""


@dataclass(slots=True)
class Bridge:
    """Runs an agent on a loop in a thread of its own; both start with the first question."""

    open_agent: "Callable[[], Answerer]"
    closing: threading.Event = field(default_factory=threading.Event, init=False)
    """Set when the process is about to end."""
    _agent: "Answerer | None" = field(default=None, init=False)
    _thread: EventLoopThread = field(default_factory=partial(EventLoopThread, "agent"), init=False)

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
            self._agent = self.open_agent()
        return await self._agent.ask(request, on_progress)

    async def _close_agent(self) -> None:
        if self._agent is not None:
            await self._agent.aclose()


@dataclass(slots=True)
class Runs:
    """Asks the agent, at most as many questions at a time as there are slots."""

    agent: Bridge
    slots: threading.Semaphore
    limits: "Limits"

    def answer(
        self, request: "AskRequest", lease: Lease, on_progress: "Callable[[Progress], None]"
    ) -> "Answer":
        """The agent's answer; raises Stopped, Interrupted, ClaimLost, and what the agent raises."""
        while not self.slots.acquire(timeout=1):
            if lease.lost or lease.stopped:
                raise self._reason(lease)
        try:
            future = self.agent.ask(request, on_progress)

            lease.on_stop = lease.on_lost = future.cancel
            if lease.stopped or lease.lost:
                future.cancel()
            try:
                return future.result()
            except CancelledError:
                raise self._reason(lease) from None
        finally:
            self.slots.release()

    def wait(self, seconds: float) -> None:
        """Wait with a claim in hand; raises Interrupted if the process is about to end."""
        if self.agent.closing.wait(seconds):
            raise Interrupted

    def _reason(self, lease: Lease) -> Exception:
        """Why a run has ended early."""
        if lease.lost:
            return ClaimLost(lease.claim.key)
        if lease.stopped:
            return Stopped()
        return Interrupted() if self.agent.closing.is_set() else AgentCancelled()
