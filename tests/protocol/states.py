"""The states of the model: the claim, the workers, Slack, and what may still go wrong.

The reply has two parts and a file. Time is counted in ticks: a lease lives one tick, clocks differ by one at
most, and a late effect happens within one tick after it was sent.
"""

from dataclasses import dataclass
from typing import NamedTuple

LEASE, SKEW, LATE = 1, 1, 1
AHEAD = 1
"""How far the clock of a sweeper is ahead. Smaller differences are included: it may take over later."""
MOST_RUNS = 2
PROGRESS, NOTICE = "progress", "notice"
PARTS = (0, 1)
BELOW = 2
"""The part of a notice below an answer that stands."""
WORKING, DONE, TOMBSTONE = "working", "done", "tombstone"
IDLE, ENDED = "idle", "ended"

Content = str | int
"""What a message says; a number is an answer, namely that of this run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What of the protocol is in force; a test switches one off."""

    fence: bool = True
    read_back: bool = True
    tombstone: bool = True
    margin: bool = True
    """Whether a sweeper waits for the skew after a lease's end."""


class Row(NamedTuple):
    """The claim."""

    state: str
    owner: int = -1
    stopped: bool = False
    runs: int = 0
    replies: tuple[int, ...] = ()
    upload: int = -1
    abandoned: tuple[int, ...] = ()
    wanted: int = -1
    """The run whose answer was posted completely."""


class Worker(NamedTuple):
    step: str = IDLE
    age: int = 0
    """Ticks since it claimed, took over or renewed; all that it knows of its lease."""
    paused: bool = False
    certain: bool = True
    since: int = 0
    """Ticks since its last uncertain call, or since it took the claim over."""
    posted: int = -1
    """A message that it has posted and not recorded yet."""
    run: int = -1
    """The answer that it posts; -1 while it has none, or posts a notice."""


class Message(NamedTuple):
    id: int
    part: int
    content: Content


class File(NamedTuple):
    id: int
    run: int
    shared: bool = False


class Effect(NamedTuple):
    """A request that changes something in Slack."""

    kind: str
    target: int
    """The part of a new message, else the id of a message or file."""
    content: Content = -1


class State(NamedTuple):
    row: Row | None = None
    workers: tuple[Worker, ...] = ()
    messages: tuple[Message, ...] = ()
    files: tuple[File, ...] = ()
    late: tuple[tuple[int, Effect], ...] = ()
    """Requests that Slack has not carried out yet, and for how many ticks it may still wait."""
    ids: int = 0
    deliveries: int = 2
    crashes: int = 1
    pauses: int = 1
    faults: int = 1
    stops: int = 1
    stopped_before: bool = False
    lessened: bool = False
    """Whether a worker has put something else in the place of an answer that stood."""


def holds(state: State, number: int) -> bool:
    return state.row is not None and state.row.owner == number and state.row.state == WORKING


def applied(state: State, effect: Effect) -> State:
    """Slack after it has carried out a request."""
    messages, files, ids = state.messages, state.files, state.ids
    if effect.kind == "post":
        messages, ids = (*messages, Message(ids, effect.target, effect.content)), ids + 1
    elif effect.kind == "update":
        messages = tuple(
            each._replace(content=effect.content) if each.id == effect.target else each for each in messages
        )
    elif effect.kind == "delete":
        messages = tuple(each for each in messages if each.id != effect.target)
    else:
        shared = effect.kind == "share"
        files = tuple(each._replace(shared=shared) if each.id == effect.target else each for each in files)
    return state._replace(messages=messages, files=files, ids=ids)


def with_worker(state: State, number: int, worker: Worker) -> State:
    return state._replace(workers=(*state.workers[:number], worker, *state.workers[number + 1 :]))
