"""How long a check may take, in the processor's time: a busy machine is no finding."""

import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

LARGE = 60_000
"""Bytes of an input that was multiplied: enough to tell what grows with the square of its length."""
ONE_IN = 24
"""How many inputs are multiplied: it takes its time."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fails when the block takes longer."""
    started = time.thread_time()
    yield
    spent = time.thread_time() - started
    assert spent <= seconds, f"took {spent:.2f} s, {seconds} s are allowed"


def is_multiplied(data: bytes) -> bool:
    """Whether the input is one of those; it is so each time it is tried."""
    return bool(data) and zlib.crc32(data) % ONE_IN == 0


def multiplied(data: bytes) -> bytes:
    """The same bytes over and over, up to a large size."""
    return data * (LARGE // max(len(data), 1))
