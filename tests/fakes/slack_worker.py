"""The Slack app in a process of its own, to be killed.

A process that has imported the app already forks the workers, so that one is there in a moment. A worker is
killed from outside while something that it calls is held, or dies by its own SIGKILL at a moment that nobody
outside can see: before or after a write to its store, or with the agent at work. In the same way it may stand
still (SIGSTOP) and go on later.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

from fetcher import configuration
from fetcher.agent import Answer
from slackapp.run.http_server import SlackRequestServer
from slackapp.run.wiring import LazyHandler, RunningApp
from slackapp.settings import SlackSettings
from slackapp.slack import poster
from slackapp.stores import opening
from slackapp.stores.dynamodb import connect
from slackapp.stores.sqlite import SQLiteStore
from slackapp.stores.store import Store
from slackapp.thread import history
from slackapp.work import handler
from tests.fakes.forks import FORKS
from tests.slackapp.stage import ScriptedAgent

__all__ = ["Death", "Plan", "SlackWorker"]

READY = (configuration, handler, history, poster, connect, SQLiteStore)
"""Imported before the fork, so that no worker has to."""
START_SECONDS = 30
LEFT = "left_to_others"
"""What a worker logs when it gives up a question that another one has."""


@dataclass(frozen=True, slots=True)
class Death:
    """When a worker dies by itself: at the first call of a method of its store, or of its agent."""

    method: str
    after: bool = False
    """The method has done its work, and nobody has heard of it."""
    by: signal.Signals = signal.SIGKILL
    """SIGSTOP only lets it stand still."""

    def __str__(self) -> str:
        return f"{'after' if self.after else 'before'} {self.method}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a worker is to be."""

    settings: Mapping[str, Any]
    answer: Answer
    ahead: float = 0.0
    """Seconds that its clock is ahead: leases of others have run out for it."""
    death: Death | None = None
    environ: Mapping[str, str] = field(default_factory=dict)


class SlackWorker:
    """A running worker; a context manager that leaves no process behind."""

    def __init__(self, plan: Plan) -> None:
        heard, told = FORKS.Pipe(duplex=False)
        self._process = FORKS.Process(target=work, args=(plan, told), daemon=True)
        self._heard = heard
        self._told = told

    def __enter__(self) -> Self:
        self._process.start()
        self._told.close()
        assert self._heard.poll(START_SECONDS), "the worker did not start"
        self.url = str(self._heard.recv())
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._process.close()
        self._heard.close()

    def kill(self) -> None:
        """SIGKILL: nothing of the worker runs any more when this returns."""
        self._process.kill()
        self._process.join()

    def pause(self) -> None:
        """SIGSTOP: nothing of the worker runs when this returns."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        assert self.is_paused()

    def is_paused(self, within: float = START_SECONDS) -> bool:
        """Whether it stands still, within some seconds."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            stat = Path(f"/proc/{self._process.pid}/stat").read_text("ascii")
            if stat.rpartition(")")[2].split()[0] == "T":
                return True
            time.sleep(0.01)
        return False

    def go_on(self) -> None:
        """SIGCONT."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def left_to_others(self, within: float = START_SECONDS) -> bool:
        """Whether it has noticed, within some seconds, that another worker has its question."""
        return self._heard.poll(within) and self._heard.recv() == LEFT

    def died(self, within: float = START_SECONDS) -> bool:
        """Whether SIGKILL ended it, within some seconds."""
        self._process.join(within)
        return self._process.exitcode == -signal.SIGKILL


def work(plan: Plan, told: Connection) -> None:
    """The life of a worker: it serves until somebody kills it."""
    os.environ.update(plan.environ)
    settings = SlackSettings.model_validate(plan.settings)
    agent: Any = ScriptedAgent(plan.answer)
    if plan.death:
        agent = _Mortal(agent, plan.death)
        _open_mortal_store(plan.death)
    lazy_handler = LazyHandler(settings, environ={}, open_agent=lambda: agent, clock=_Ahead(plan.ahead))
    app = RunningApp(lazy_handler)
    with SlackRequestServer(app.bolt, settings.slack_signing_secret.get_secret_value()) as http:
        told.send(http.url)
        logging.getLogger("slackapp.work.question_runner").addHandler(_Told(told))
        with app:  # whose sweeper may be its death
            threading.Event().wait()


class _Told(logging.Handler):
    """Tells the test that a question was left to others."""

    def __init__(self, told: Connection) -> None:
        super().__init__()
        self._told = told

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() == LEFT:
            self._told.send(LEFT)


class _Ahead:
    """The system's clock, put forward."""

    def __init__(self, seconds: float) -> None:
        self._by = timedelta(seconds=seconds)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._by


class _Mortal:
    """Does what something else does, until the fatal call; that is the first one."""

    def __init__(self, whole: Any, death: Death) -> None:
        self._whole = whole
        self._death = death
        self._is_over = False

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._whole, name)
        return self._fatal(method) if name == self._death.method else method

    def _fatal(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if self._is_over:
                return method(*args, **kwargs)
            self._is_over = True
            if not self._death.after:
                _signal_itself(self._death.by)
                return method(*args, **kwargs)
            result = method(*args, **kwargs)
            _signal_itself(self._death.by)
            return result

        return call


def _signal_itself(by: signal.Signals) -> None:
    """Signals the calling thread: `os.kill` leaves it to another one, and this one goes on for a moment."""
    signal.pthread_kill(threading.get_ident(), by)


def _open_mortal_store(death: Death) -> None:
    """From now on, in this process, a store that is opened is mortal."""
    open_store = opening.open_store

    def opened(settings: SlackSettings, environ: Mapping[str, str] = os.environ) -> Store:
        store: Any = _Mortal(open_store(settings, environ), death)
        return store  # type: ignore[no-any-return]

    opening.open_store = opened
