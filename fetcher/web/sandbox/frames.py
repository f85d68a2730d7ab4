"""Frames for the pipe between this process and a reader process: three byte strings with their lengths.

A child uses the plain blocking calls here, since it does one thing at a time. This process must never block
longer than its limits, so it has its own calls (`channel.py`).
"""

import os
from collections.abc import Sequence
from struct import Struct

HEADER = Struct(">3I")
Frame = tuple[bytes, bytes, bytes]
READY: Frame = (b"", b"", b"")
"""The frame that a child sends when it is ready for jobs."""
UNFILTERED: Frame = (b"unfiltered", b"", b"")
"""The same, if the kernel has refused the filter of its system calls."""


def packed(frame: Sequence[bytes]) -> bytes:
    """The frame's header; the three byte strings follow it unchanged."""
    return HEADER.pack(*map(len, frame))


def receive(pipe: int) -> Frame | None:
    """Receive the next frame; None if the pipe was closed."""
    header = _read_exactly(pipe, HEADER.size)
    if len(header) < HEADER.size:
        return None
    sizes = HEADER.unpack(header)
    head, text, cells = (_read_exactly(pipe, size) for size in sizes)
    return (head, text, cells) if [len(head), len(text), len(cells)] == list(sizes) else None


def send(pipe: int, frame: Sequence[bytes]) -> None:
    """Send a frame."""
    parts = [packed(frame), *frame]
    sent = os.writev(pipe, parts)  # a short answer needs one call
    for part in parts:
        view = memoryview(part)[sent:]
        sent = max(0, sent - len(part))
        while view:
            view = view[os.write(pipe, view) :]


def _read_exactly(pipe: int, size: int) -> bytes:
    """Read `size` bytes, or fewer if the pipe was closed."""
    parts, missing = [], size
    while missing and (part := os.read(pipe, min(missing, 1 << 20))):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
