"""Planned faults: what happens to the next call of a method in place of its answer."""

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
    """What happens to a call; a field at its default has no effect."""

    status: int = 0
    """An HTTP status instead of 200."""
    retry_after: int | None = None
    """Seconds, as the header of a 429."""
    error: str = ""
    """The error code of Slack."""
    page: str = ""
    """A body that is not Slack's, such as a proxy's page."""
    content_type: str = "text/html"
    """The type of this body."""
    drop: bool = False
    """The connection ends without an answer."""
    after: bool = False
    """The method runs first: the answer is lost, but not the call."""
    delay: float = 0.0
    """Seconds to wait first."""
    hold: threading.Event | None = field(default=None, compare=False)
    """The call waits until this is set."""
    unshared: bool = False
    """`files.completeUploadExternal` answers ok and shares the file in no channel."""
    late: float = 0.0
    """`files.completeUploadExternal` answers ok, and shares the file so many seconds later."""

    @property
    def effect(self) -> str:
        """What the call meets, in a word, for the page."""
        return self.error or str(self.status or "") or (f"+{self.late:.0f} s" if self.late else "")


@dataclass(slots=True, kw_only=True)
class _PlannedFault:
    method: str
    fault: Fault
    left: int
    when: Condition


class Faults:
    """The planned faults of all methods; the first one that fits a call is used."""

    def __init__(self, activity: ActivityLog) -> None:
        self._activity = activity
        self._lock = threading.Lock()
        self._planned: list[_PlannedFault] = []
        self._stopping = threading.Event()
        self._holds: set[threading.Event] = set()
        self._held = 0

    def next(self, method: str, fault: Fault, times: int = 1, *, when: Condition = lambda _: True) -> None:
        """Plans a fault for the next calls of a method (`*`: of any) whose arguments fit.

        `upload` and `response_url` name the requests to those addresses.
        """
        with self._lock:
            self._planned.append(_PlannedFault(method=method, fault=fault, left=times, when=when))
        self._record_planned()

    def clear(self) -> None:
        """Forgets planned faults, and lets held calls continue."""
        with self._lock:
            self._planned.clear()
            holds, self._holds = self._holds, set()
        for event in holds:
            event.set()
        self._record_planned()

    @property
    def planned(self) -> list[Json]:
        """The faults that wait for a call, for the page."""
        with self._lock:
            return [
                {"method": plan.method, "effect": plan.fault.effect, "left": plan.left}
                for plan in self._planned
            ]

    def _record_planned(self) -> None:
        self._activity.record("faults", planned=self.planned)

    @property
    def held(self) -> int:
        """The number of held calls; the activity log records its changes."""
        with self._lock:
            return self._held

    def apply(self, method: str, arguments: Json, run: Callable[[Fault], T], fail: Callable[[Fault], T]) -> T:
        """Runs a call together with the fault that is planned for it, and returns its answer."""
        with self._lock:
            fitting = (
                plan for plan in self._planned if plan.method in (method, ANY) and plan.when(arguments)
            )
            plan = next(fitting, None)
            if plan is not None:
                plan.left -= 1
                if plan.left <= 0:
                    self._planned.remove(plan)
        if plan is not None:
            self._record_planned()
        fault = plan.fault if plan else Fault()
        if fault.after:
            answer = run(fault)
        if fault.hold is not None:
            self._count_held(fault.hold, 1)
            if not self._stopping.is_set():
                fault.hold.wait()
            self._count_held(fault.hold, -1)
        if fault.delay:  # a server that stops waits no longer
            self._stopping.wait(fault.delay)
        if fault.status or fault.error or fault.page or fault.drop:
            return fail(fault)
        return answer if fault.after else run(fault)

    def _count_held(self, hold: threading.Event, change: int) -> None:
        with self._lock:
            self._holds.add(hold)
            self._held += change
        self._activity.record("held", calls=self.held)

    def stop(self) -> None:
        self._stopping.set()
        self.clear()
