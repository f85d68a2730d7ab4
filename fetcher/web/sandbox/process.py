"""One reader process seen from outside: started, given a job, killed."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import fetcher
from fetcher.web.sandbox.answers import BadAnswer
from fetcher.web.sandbox.channel import ReaderChannel
from fetcher.web.sandbox.frames import Frame

PROGRAM = """
import sys
memory_mb, *sys.path = sys.argv[1:]
from fetcher.web.sandbox.child import main
main(int(memory_mb))
"""
KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that a child inherits: where the interpreter's own libraries are, as on Lambda. No others."""


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
        self._channel = ReaderChannel(ours)
        self._killed = False
        self.jobs = 0
        """How many it has done."""
        self._body = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether it waits for a job."""
        return not self._killed and self._process.poll() is None and self._channel.idle

    def wait_until_ready(self, seconds: float) -> None:
        """Raises TimeoutError, ReaderEnded and BadAnswer."""
        if any(self._channel.receive(time.monotonic() + seconds, body=0)):
            raise BadAnswer("an answer before the first job")

    def give(self, job: Frame, until: float) -> None:
        """Gives it a job, by a moment of the monotonic clock; raises TimeoutError."""
        self.jobs += 1
        self._body = len(job[1])
        self._channel.send(job, until)

    def answers_by(self, moment: float) -> bool:
        """Waits until it answers or ends; False where the moment comes first."""
        return self._channel.has_something_by(moment)

    def answer(self, until: float) -> Frame:
        """The answer to the job; raises TimeoutError, ReaderEnded and BadAnswer."""
        return self._channel.receive(until, body=self._body)

    def kill(self) -> None:
        """Ends it at once, whatever it does; its pipe reports the end to whoever waits for an answer."""
        self._killed = True
        self._process.kill()

    def end(self) -> None:
        """Kills it, and waits until it is gone; its pipe stays for whoever waits for an answer."""
        self.kill()
        self._process.wait()

    def bury(self) -> None:
        """Ends it, and leaves nothing of it."""
        self.end()
        self._channel.close()

    def disown(self) -> None:
        """After a fork: the process is somebody else's child, who must see its pipe close."""
        self._channel.close()
        self._process.returncode = 0


def import_path() -> list[str]:
    """Where this process finds its modules, as absolute paths; our own package first."""
    ours = str(Path(fetcher.__file__).absolute().parent.parent)
    return list(dict.fromkeys([ours, *(str(Path(entry).absolute()) for entry in sys.path)]))
