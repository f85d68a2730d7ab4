"""What goes through the pipe to and from a reader process: frames of three byte strings with their lengths.

A child reads and writes with plain blocking calls: it has one thing to do at a time. Our side never
blocks longer than it wants to, so it has its own calls (`process.py`).
"""

import os
from collections.abc import Sequence
from struct import Struct

HEADER = Struct(">3I")
Frame = tuple[bytes, bytes, bytes]


def packed(frame: Sequence[bytes]) -> bytes:
    """The frame's header; the three byte strings follow as they are."""
    return HEADER.pack(*map(len, frame))


def receive(pipe: int) -> Frame | None:
    """The next frame; None where the pipe was closed."""
    header = _exactly(pipe, HEADER.size)
    if len(header) < HEADER.size:
        return None
    sizes = HEADER.unpack(header)
    head, text, cells = (_exactly(pipe, size) for size in sizes)
    return (head, text, cells) if [len(head), len(text), len(cells)] == list(sizes) else None


def send(pipe: int, frame: Sequence[bytes]) -> None:
    parts = [packed(frame), *frame]
    sent = os.writev(pipe, parts)  # a short answer goes out at once
    for part in parts:
        view = memoryview(part)[sent:]
        sent = max(0, sent - len(part))
        while view:
            view = view[os.write(pipe, view) :]


def _exactly(pipe: int, size: int) -> bytes:
    """So many bytes, or fewer where the pipe was closed."""
    parts, missing = [], size
    while missing and (part := os.read(pipe, min(missing, 1 << 20))):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
