"""This process's end of the pipe to a reader process, with limits on time and size."""

import socket
import time
from contextlib import suppress

from fetcher.web.sandbox import frames
from fetcher.web.sandbox.answers import BadAnswer, require_sizes
from fetcher.web.sandbox.frames import HEADER, Frame

AT_ONCE = 256 * 1024
"""Bytes that are read from the pipe at a time."""
SHORTEST_WAIT = 0.001
"""Seconds; with a timeout of 0 a socket would not wait at all."""


class ReaderEnded(Exception):
    """The process has ended, or closed its pipe."""


class ReaderChannel:
    """Sends and receives frames until a moment of the monotonic clock; then raises TimeoutError."""

    def __init__(self, pipe: socket.socket) -> None:
        self._pipe = pipe

    @property
    def idle(self) -> bool:
        """Whether the other end is open and has sent nothing."""
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
        with suppress(ConnectionError):  # waiting for the answer will show it
            self._pipe.settimeout(_left(until))
            sent = self._pipe.sendmsg(parts)  # a short page needs one call
            if sent < sum(map(len, parts)):
                self._pipe.settimeout(_left(until))
                self._pipe.sendall(memoryview(b"".join(parts))[sent:])

    def wait_for_data(self, moment: float) -> bool:
        """Wait until the other end sends something or closes; False if the moment comes first."""
        self._pipe.settimeout(max(SHORTEST_WAIT, moment - time.monotonic()))
        try:
            self._pipe.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True

    def receive(self, until: float, *, body: int) -> Frame:
        """Receive the answer to a body of `body` bytes; raises ReaderEnded and BadAnswer."""
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
        """Receive until `data` has `size` bytes."""
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
    """Seconds until a moment; raises TimeoutError if it has passed."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
