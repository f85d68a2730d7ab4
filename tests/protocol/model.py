"""Workers, one claim and Slack: all steps from one state to the next (docs/protocol.md)."""

from collections.abc import Iterator

from tests.protocol.states import (
    AHEAD,
    ENDED,
    IDLE,
    LATE,
    LEASE,
    SKEW,
    TOMBSTONE,
    WORKING,
    Row,
    Rules,
    State,
    Worker,
    applied,
    holds,
    with_worker,
)
from tests.protocol.worker import PROGRAM


def steps(state: State, rules: Rules) -> Iterator[State]:
    """Every state that may come next."""
    yield from _world(state, rules)
    for number, worker in enumerate(state.workers):
        if worker.step == IDLE:
            yield from _begin(state, number, rules)
            break  # idle workers are alike
    for number, worker in enumerate(state.workers):
        if worker.step not in (IDLE, ENDED):
            yield from _live(state, number, worker, rules)


def _world(state: State, rules: Rules) -> Iterator[State]:
    """Time passes, late requests are carried out or lost, people stop the question."""
    if all(left for left, _ in state.late):
        workers = tuple(_aged(state, number) for number in range(len(state.workers)))
        late = tuple((left - 1, effect) for left, effect in state.late)
        yield state._replace(workers=workers, late=late)
    for index, (_, effect) in enumerate(state.late):
        rest = state._replace(late=state.late[:index] + state.late[index + 1 :])
        yield rest
        yield applied(rest, effect)
    if state.stops:
        row, stopped = state.row, state._replace(stops=0)
        if row is None:
            tombstone = Row(TOMBSTONE) if rules.tombstone else None
            yield stopped._replace(row=tombstone, stopped_before=True)
        elif row.state == WORKING:
            yield stopped._replace(row=row._replace(stopped=True))


def _aged(state: State, number: int) -> Worker:
    """A worker one tick later. The heart of the owner beats, unless it stands still."""
    worker = state.workers[number]
    if not worker.certain:
        worker = worker._replace(since=min(worker.since + 1, LATE + 1))
    at_work = worker.step not in (IDLE, ENDED)
    if holds(state, number) and (worker.paused or not at_work):
        worker = worker._replace(age=min(worker.age + 1, LEASE + SKEW))
    elif at_work and not holds(state, number):
        worker = worker._replace(age=LEASE)
    return worker


def _begin(state: State, number: int, rules: Rules) -> Iterator[State]:
    """A delivery is claimed, or an expired claim is taken over."""
    row = state.row
    if state.deliveries and row is None:  # with a row, a delivery changes nothing
        heard = state._replace(deliveries=state.deliveries - 1)
        claimed = heard._replace(row=Row(WORKING, owner=number))
        yield with_worker(claimed, number, Worker(step="count"))
        if state.faults and heard.deliveries:  # undecided: not acknowledged, so Slack repeats it
            yield heard._replace(faults=state.faults - 1)
    free_at = LEASE + SKEW if rules.margin else LEASE
    if row and row.state == WORKING and state.workers[row.owner].age + AHEAD >= free_at:
        taken = state._replace(row=row._replace(owner=number))
        yield with_worker(taken, number, Worker(step="adopt", certain=False))


def _live(state: State, number: int, worker: Worker, rules: Rules) -> Iterator[State]:
    row, held = state.row, holds(state, number)
    assert row is not None
    if worker.paused:
        woken = worker._replace(paused=False)
        if rules.fence and worker.age >= LEASE:  # it can write nothing before it has renewed
            woken = woken._replace(age=0) if held else Worker(step=ENDED)
        yield with_worker(state, number, woken)
        return
    if state.crashes and held:
        ended = Worker(step=ENDED, age=worker.age)
        yield with_worker(state._replace(crashes=state.crashes - 1), number, ended)
    if state.pauses and held:
        yield with_worker(state._replace(pauses=state.pauses - 1), number, worker._replace(paused=True))
    if worker.age:  # the heartbeat
        yield with_worker(state, number, worker._replace(age=0) if held else Worker(step=ENDED))
    yield from PROGRAM[worker.step](state, number, worker, row, rules)
