"""Visits every state of the model, and judges those in which nothing is left to do."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from tests.protocol.model import steps
from tests.protocol.states import (
    BELOW,
    DONE,
    ENDED,
    IDLE,
    NOTICE,
    PARTS,
    TOMBSTONE,
    Rules,
    State,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a search has found."""

    states: int
    ends: int
    """States in which nothing is left to do."""
    violation: str = ""
    trace: tuple[State, ...] = ()
    """The way to the violation."""


def search(begin: Iterable[State], rules: Rules) -> Search:
    """Search breadth first, until something is wrong or there is no other state.

    Besides the end states, every state must have a way to one of them: no question is left for ever.
    """
    came_from: dict[State, State | None] = dict.fromkeys(begin)
    queue, ends = deque(came_from), []
    leads_to: dict[State, list[State]] = {}
    while queue:
        state = queue.popleft()
        if is_end(state):
            ends.append(state)
            if wrong := judged(state):
                return Search(
                    states=len(came_from), ends=len(ends), violation=wrong, trace=_trace(came_from, state)
                )
        for after in steps(state, rules):
            leads_to.setdefault(after, []).append(state)
            if after not in came_from:
                came_from[after] = state
                queue.append(after)
    ending, waiting = set(ends), deque(ends)
    while waiting:
        for before in leads_to.get(waiting.popleft(), ()):
            if before not in ending:
                ending.add(before)
                waiting.append(before)
    endless = next((state for state in came_from if state not in ending), None)
    if endless is not None:
        trace = _trace(came_from, endless)
        return Search(states=len(came_from), ends=len(ends), violation="never ends", trace=trace)
    return Search(states=len(came_from), ends=len(ends))


def is_end(state: State) -> bool:
    """Whether no worker and no late request can change anything any more."""
    at_rest = all(worker.step in (IDLE, ENDED) for worker in state.workers)
    decided = state.row is not None and state.row.state in (DONE, TOMBSTONE)
    return at_rest and decided and not state.late


def judged(state: State) -> str:
    """What is wrong with an end; empty if nothing is."""
    assert state.row is not None
    said = sorted((each.part, each.content) for each in state.messages if each.part != BELOW)
    below = [each.content for each in state.messages if each.part == BELOW]
    files = [each for each in state.files if each.shared]
    if state.stopped_before:
        return "answered although it was stopped before" if said or below or files else ""
    excused = state.row.stopped or state.row.runs >= 2
    if said == [(0, NOTICE)]:
        fine = excused and not below and not files and not state.lessened
        return "" if fine else "a notice in place of an answer"
    runs = {content for _, content in said}
    if len(runs) != 1 or not isinstance(next(iter(runs)), int):
        return "not one answer, or progress is left"
    if [part for part, _ in said] != list(PARTS[: len(said)]):
        return "a part is missing or there twice"
    if state.whole and len(said) < len(PARTS):
        return "less than what stood"
    if below:
        return "" if excused and below == [NOTICE] and len(files) <= 1 else "a notice too many"
    if len(said) != len(PARTS) or [file.run for file in files] != list(runs)[: state.has_file]:
        return "a part or a file is missing, or a file is there twice"
    return ""


def _trace(came_from: dict[State, State | None], state: State) -> tuple[State, ...]:
    way: list[State] = []
    at: State | None = state
    while at is not None:
        way.append(at)
        at = came_from[at]
    return tuple(reversed(way))
