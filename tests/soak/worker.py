"""A worker seen from outside: started, watched, paused, killed.

A process that has imported everything forks the workers, so that one that was killed is soon replaced.
"""

import multiprocessing
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

FORKS = multiprocessing.get_context("forkserver")
LIFE = "tests.soak.work"
"""What a worker is inside; this process does without it."""
START_SECONDS = 60
END_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a worker is to be."""

    settings: Mapping[str, Any]
    over_sockets: bool
    web_port: int
    claude_url: str
    home: Path
    """Where it keeps its cache and leaves its logs; what it leaves in `tmp` is a fault of its own."""
    environ: Mapping[str, str]
    token_file: Path
    """The bot token that Slack takes at present."""


def prepare() -> None:
    """Has the process that forks import everything; once, before the first worker."""
    FORKS.set_forkserver_preload([LIFE])


class Worker:
    """A running worker, seen from outside."""

    def __init__(self, plan: Plan, name: str) -> None:
        self._heard, told = FORKS.Pipe(duplex=False)
        self._process = FORKS.Process(target=live, args=(plan, name, told), daemon=True)
        self._process.start()
        told.close()
        self.name = name
        self._url: str | None = None

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    @property
    def url(self) -> str | None:
        """Where it listens; None as long as it does not, empty over Socket Mode."""
        if self._url is None and self._heard.poll():
            try:
                self._url = str(self._heard.recv())
            except EOFError:
                return None
        return self._url

    def wait(self) -> bool:
        """Whether it has begun to listen."""
        self._heard.poll(START_SECONDS)
        return self.url is not None

    def kill(self) -> None:
        """SIGKILL: nothing of it runs any more when this returns."""
        self._process.kill()
        self._process.join()

    def pause(self) -> None:
        """SIGSTOP: nothing of it runs until `go_on`."""
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def ask_to_end(self) -> None:
        self._process.terminate()

    def ended(self, within: float = END_SECONDS) -> bool:
        """Whether it came to its end by itself, and well."""
        self._process.join(within)
        return self._process.exitcode == 0


def live(plan: Plan, name: str, told: Connection) -> None:
    """The life of a worker."""
    from tests.soak.work import work

    work(plan, name, told)
