"""One reader process, seen from this process: starts it, sends it jobs, ends it."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import fetcher
from fetcher.web.sandbox.answers import BadAnswer
from fetcher.web.sandbox.channel import ReaderChannel
from fetcher.web.sandbox.frames import READY, UNFILTERED, Frame

PROGRAM = """
import sys
memory_mb, documents, *sys.path = sys.argv[1:]
from fetcher.web.sandbox.child import main
main(int(memory_mb), documents=documents == "documents")
"""
INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""The only variables that a child inherits: where the interpreter's libraries are, as on Lambda."""


class ReaderProcess:
    """A running child. One thread at a time sends it jobs; any thread may call `kill`."""

    def __init__(self, memory_mb: int, *, documents: bool = False) -> None:
        """Start it as a new program in a new session; raises OSError."""
        kind = "documents" if documents else "pages"
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and program
                    [sys.executable, "-I", "-c", PROGRAM, str(memory_mb), kind, *import_path()],
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env={name: os.environ[name] for name in INHERITED if name in os.environ},
                    start_new_session=True,
                )
            except BaseException:
                ours.close()
                raise
        self._channel = ReaderChannel(ours)
        self._killed = False
        self.jobs = 0
        """How many jobs it was sent."""
        self.is_filtered = True
        """False if the kernel has refused the filter of system calls."""
        self._body = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether it is running and waits for a job."""
        return not self._killed and self._process.poll() is None and self._channel.idle

    def wait_until_ready(self, seconds: float) -> None:
        """Wait for its first frame; raises TimeoutError, ReaderEnded and BadAnswer."""
        first = self._channel.receive(time.monotonic() + seconds, body=0)
        if first not in (READY, UNFILTERED):
            raise BadAnswer("an answer before the first job")
        self.is_filtered = first == READY

    def send_job(self, job: Frame, until: float) -> None:
        """Send a job until a moment of the monotonic clock; raises TimeoutError."""
        self.jobs += 1
        self._body = len(job[1])
        self._channel.send(job, until)

    def wait_for_answer(self, moment: float) -> bool:
        """Wait until it answers or ends; False if the moment comes first."""
        return self._channel.wait_for_data(moment)

    def receive_answer(self, until: float) -> Frame:
        """Receive the answer to the job; raises TimeoutError, ReaderEnded and BadAnswer."""
        return self._channel.receive(until, body=self._body)

    def kill(self) -> None:
        """Kill it; a thread that waits for its answer gets ReaderEnded."""
        self._killed = True
        self._process.kill()

    def end(self) -> None:
        """Kill it and wait until it has ended; the pipe stays open for a thread that waits for an answer."""
        self.kill()
        self._process.wait()

    def close(self) -> None:
        """End it, and close the pipe."""
        self.end()
        self._channel.close()

    def disown(self) -> None:
        """After a fork, in the new process: close this copy of the pipe; the old process has the reader."""
        self._channel.close()
        self._process.returncode = 0


def import_path() -> list[str]:
    """Where this process finds its modules, as absolute paths; this package comes first."""
    ours = str(Path(fetcher.__file__).absolute().parent.parent)
    return list(dict.fromkeys([ours, *(str(Path(entry).absolute()) for entry in sys.path)]))
