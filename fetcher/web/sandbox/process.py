"""One reader process seen from outside: started, given a job, killed."""

import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import fetcher
from fetcher.web.sandbox import frames
from fetcher.web.sandbox.answers import BadAnswer, require_sizes
from fetcher.web.sandbox.frames import HEADER, Frame

PROGRAM = """
import sys
memory_mb, *sys.path = sys.argv[1:]
from fetcher.web.sandbox.child import main
main(int(memory_mb))
"""
KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that a child inherits: where the interpreter's own libraries are, as on Lambda. No others."""
MOST_READ = 256 * 1024


class ReaderEnded(Exception):
    """The process is no more, or has closed its pipe."""


class ReaderProcess:
    """A running child. One thread at a time gives it jobs; `kill` may come from any."""

    def __init__(self, memory_mb: int) -> None:
        """Starts it, as a new program in a session of its own; raises OSError."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and program
                    [sys.executable, "-I", "-c", PROGRAM, str(memory_mb), *import_path()],
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env={name: os.environ[name] for name in KEPT if name in os.environ},
                    start_new_session=True,
                )
            except BaseException:
                ours.close()
                raise
        self._pipe = ours
        self._killed = False
        self.jobs = 0
        """How many it has done."""

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def usable(self) -> bool:
        return not self._killed and self._process.poll() is None

    def wait_until_ready(self, seconds: float) -> None:
        """Raises TimeoutError, ReaderEnded and BadAnswer."""
        if any(self._received(time.monotonic() + seconds, body=0)):
            raise BadAnswer("jobs are answered after they are given")

    def exchange(self, job: Frame, until: float) -> Frame:
        """The answer to a job, by a moment of the monotonic clock.

        Raises TimeoutError, ReaderEnded and BadAnswer.
        """
        self.jobs += 1
        with suppress(ConnectionError):  # which the answer will show, too
            self._pipe.settimeout(_left(until))
            parts = [frames.packed(job), *job]
            sent = self._pipe.sendmsg(parts)  # a short page goes out at once
            if sent < sum(map(len, parts)):
                self._pipe.settimeout(_left(until))
                self._pipe.sendall(memoryview(b"".join(parts))[sent:])
        return self._received(until, body=len(job[1]))

    def kill(self) -> None:
        """Ends it at once, whatever it does; its pipe reports the end to whoever waits for an answer."""
        self._killed = True
        self._process.kill()

    def bury(self) -> None:
        """Kills it, and waits until nothing is left of it."""
        self.kill()
        self._process.wait()
        self._pipe.close()

    def disown(self) -> None:
        """After a fork: the process is somebody else's child, who must see its pipe close."""
        self._pipe.close()
        self._process.returncode = 0

    def _received(self, until: float, *, body: int) -> Frame:
        data = bytearray()
        self._fill(data, HEADER.size, until)
        sizes = HEADER.unpack_from(data)
        require_sizes(sizes, body)
        self._fill(data, HEADER.size + sum(sizes), until)
        if len(data) > HEADER.size + sum(sizes):
            raise BadAnswer("more than one answer")
        text, cells = HEADER.size + sizes[0], HEADER.size + sizes[0] + sizes[1]
        return bytes(data[HEADER.size : text]), bytes(data[text:cells]), bytes(data[cells:])

    def _fill(self, data: bytearray, size: int, until: float) -> None:
        """Waits until so many bytes are there."""
        while len(data) < size:
            self._pipe.settimeout(_left(until))
            try:
                part = self._pipe.recv(MOST_READ)
            except ConnectionError:
                part = b""
            if not part:
                raise ReaderEnded
            data += part


def import_path() -> list[str]:
    """Where this process finds its modules, as absolute paths; our own package first."""
    ours = str(Path(fetcher.__file__).absolute().parent.parent)
    return list(dict.fromkeys([ours, *(str(Path(entry).absolute()) for entry in sys.path)]))


def _left(until: float) -> float:
    """Seconds until a moment; raises TimeoutError when it is over."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
