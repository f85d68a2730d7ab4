"""The error that ends a rendering early; callbacks and tasks report errors, and the first one counts."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class FirstError:
    """Takes errors from callbacks and tasks, and ends the work that they make pointless."""

    def __init__(self) -> None:
        self._first: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def report(self, error: BaseException) -> None:
        """Raise an error from `run`; later errors are dropped."""
        if not self._first.done():
            self._first.set_exception(error)
            self._first.exception()  # marks it as retrieved: an error may come after the work has ended

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the work and return its result; a reported error cancels the work and is raised."""
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
