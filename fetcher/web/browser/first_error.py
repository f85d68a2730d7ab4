"""What ends a rendering early, whoever notices it: the first error wins."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class FirstError:
    """Takes errors from callbacks and tasks, and ends the work that they make pointless."""

    def __init__(self) -> None:
        self._first: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def report(self, error: BaseException) -> None:
        if not self._first.done():
            self._first.set_exception(error)
            self._first.exception()  # seen: trouble may come when there is nothing to end any more

    async def unless(self, work: Coroutine[Any, Any, T]) -> T:
        """The work's result, unless trouble comes first; then the work is cancelled."""
        task = asyncio.create_task(work)
        try:
            either: list[asyncio.Future[Any]] = [task, self._first]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self._first.done():
                self._first.result()
            return await task
        finally:
            task.cancel()
            self._first.cancel()
            await asyncio.gather(task, self._first, return_exceptions=True)
