"""Scripted misfortune: what the next call of a method meets instead of its answer."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.values import Json

ANY = "*"

T = TypeVar("T")

Condition = Callable[[Json], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One misfortune; what is left at its default does not happen."""

    status: int = 0
    """An HTTP status instead of 200."""
    retry_after: int | None = None
    """Seconds, as the header of a 429."""
    error: str = ""
    """Slack's name of an error."""
    drop: bool = False
    """The connection ends without an answer."""
    after: bool = False
    """The work is done before any of this happens: the answer is lost, not the call."""
    delay: float = 0.0
    """Seconds before anything happens."""
    hold: threading.Event | None = field(default=None, compare=False)
    """Nothing happens before this is set."""
    unshared: bool = False
    """`files.completeUploadExternal` says ok and shares the file with nobody."""

    @property
    def answers(self) -> bool:
        """Whether it replaces the answer."""
        return bool(self.status or self.error or self.drop)


@dataclass(slots=True, kw_only=True)
class _Planned:
    method: str
    fault: Fault
    left: int
    when: Condition


class Faults:
    """What is planned, method by method; the first plan that fits is used up first."""

    def __init__(self, journal: ActivityLog) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self._planned: list[_Planned] = []
        self._stopping = threading.Event()
        self._holds: set[threading.Event] = set()
        self._held = 0

    def next(self, method: str, fault: Fault, times: int = 1, *, when: Condition = lambda _: True) -> None:
        """Plans a fault for the next calls of a method (`*`: of any) whose arguments fit.

        `upload` and `response_url` name the requests to those addresses.
        """
        with self._lock:
            self._planned.append(_Planned(method=method, fault=fault, left=times, when=when))

    def clear(self) -> None:
        """Forgets what is planned, and lets go of what is held."""
        with self._lock:
            self._planned.clear()
            holds, self._holds = self._holds, set()
        for event in holds:
            event.set()

    @property
    def held(self) -> int:
        """How many calls are being held; a change of it is told to the journal."""
        with self._lock:
            return self._held

    def meet(
        self, method: str, arguments: Json, work: Callable[[Fault], T], misfortune: Callable[[Fault], T]
    ) -> T:
        """Does a call's work, with the fault that is planned for it in its place before or after."""
        fault = self._take(method, arguments)
        if fault.after:
            done = work(fault)
            self._spend(fault)
            return misfortune(fault) if fault.answers else done
        self._spend(fault)
        return misfortune(fault) if fault.answers else work(fault)

    def _take(self, method: str, arguments: Json) -> Fault:
        with self._lock:
            for plan in self._planned:
                if plan.method in (method, ANY) and plan.when(arguments):
                    plan.left -= 1
                    if plan.left <= 0:
                        self._planned.remove(plan)
                    return plan.fault
        return Fault()

    def _spend(self, fault: Fault) -> None:
        """Spends the fault's time; ends early when the server stops."""
        if fault.hold is not None:
            self._count(fault.hold, 1)
            if not self._stopping.is_set():
                fault.hold.wait()
            self._count(fault.hold, -1)
        if fault.delay:
            self._stopping.wait(fault.delay)

    def _count(self, hold: threading.Event, change: int) -> None:
        with self._lock:
            self._holds.add(hold)
            self._held += change
        self._journal.note("held", calls=self.held)

    def stop(self) -> None:
        self._stopping.set()
        self.clear()
