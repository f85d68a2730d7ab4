"""For whom work is done, so that questions share threads and reader processes fairly.

The question is held in a context variable, as its language is: tasks that it starts take it along.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache, partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

WORK = "work", 2
"""Threads share the interpreter's lock with the event loop: more of them would only delay it more."""


class Question:
    """A question, or one call of a tool: what is done for it counts for it."""

    def __init__(self) -> None:
        self.work = 0
        """Bytes that reader processes were given for it so far."""
        self.thread = asyncio.Lock()


_current: ContextVar[Question] = ContextVar("question")


@contextmanager
def for_question() -> Iterator[None]:
    """What is done inside counts for one question."""
    token = _current.set(Question())
    try:
        yield
    finally:
        _current.reset(token)


def current() -> Question:
    """The question for which this is done; a new one where none is named."""
    return _current.get(None) or Question()


@cache
def threads(name: str, most: int) -> ThreadPoolExecutor:
    """The threads of this process for one sort of work."""
    return ThreadPoolExecutor(most, thread_name_prefix=name)


os.register_at_fork(after_in_child=threads.cache_clear)  # a fork has none of the threads


async def in_thread(pool: Executor, function: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
    """Run a function in one of the threads, with the question and its language."""
    run = partial(copy_context().run, function, *arguments, **named)
    return await asyncio.get_running_loop().run_in_executor(pool, run)


async def in_turn(function: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
    """Run work that takes the processor in a thread.

    A question has one thread at a time, so that another waits for at most one piece of work of each.
    """
    async with current().thread:
        return await in_thread(threads(*WORK), function, *arguments, **named)
