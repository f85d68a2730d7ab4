"""Our end of the pipe to a reader process: nothing here waits longer, or takes more, than it may."""

import socket
import time
from contextlib import suppress

from fetcher.web.sandbox import frames
from fetcher.web.sandbox.answers import BadAnswer, require_sizes
from fetcher.web.sandbox.frames import HEADER, Frame

AT_ONCE = 256 * 1024
"""Bytes that are taken from the pipe at a time."""
SHORTEST_WAIT = 0.001
"""Seconds; without a timeout a socket would not wait at all."""


class ReaderEnded(Exception):
    """The process has ended, or closed its pipe."""


class ReaderChannel:
    """Moments are those of the monotonic clock; who is late raises TimeoutError."""

    def __init__(self, pipe: socket.socket) -> None:
        self._pipe = pipe

    @property
    def idle(self) -> bool:
        """Whether the other end is there and has said nothing unasked."""
        self._pipe.settimeout(0)
        try:
            self._pipe.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    def send(self, frame: Frame, until: float) -> None:
        parts = [frames.packed(frame), *frame]
        with suppress(ConnectionError):  # the answer that does not come says so, too
            self._pipe.settimeout(_left(until))
            sent = self._pipe.sendmsg(parts)  # a short page goes out at once
            if sent < sum(map(len, parts)):
                self._pipe.settimeout(_left(until))
                self._pipe.sendall(memoryview(b"".join(parts))[sent:])

    def has_something_by(self, moment: float) -> bool:
        """Waits until the other end says something or is gone; False where the moment comes first."""
        self._pipe.settimeout(max(SHORTEST_WAIT, moment - time.monotonic()))
        try:
            self._pipe.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True

    def receive(self, until: float, *, body: int) -> Frame:
        """The answer to a body of so many bytes; raises ReaderEnded and BadAnswer."""
        data = bytearray()
        self._fill(data, HEADER.size, until)
        sizes = HEADER.unpack_from(data)
        require_sizes(sizes, body)
        text = HEADER.size + sizes[0]
        cells = text + sizes[1]
        end = cells + sizes[2]
        self._fill(data, end, until)
        if len(data) > end:
            raise BadAnswer("more than one answer")
        return bytes(data[HEADER.size : text]), bytes(data[text:cells]), bytes(data[cells:])

    def close(self) -> None:
        self._pipe.close()

    def _fill(self, data: bytearray, size: int, until: float) -> None:
        """Waits until so many bytes are there."""
        while len(data) < size:
            self._pipe.settimeout(_left(until))
            try:
                part = self._pipe.recv(AT_ONCE)
            except ConnectionError:
                part = b""
            if not part:
                raise ReaderEnded
            data += part


def _left(until: float) -> float:
    """Seconds until a moment; raises TimeoutError when it is over."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
