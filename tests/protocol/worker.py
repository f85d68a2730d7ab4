"""What a worker does, step by step. Every step is atomic: one write to the store, or one request to Slack
together with the fence before it (docs/protocol.md)."""

from collections.abc import Iterator

from tests.protocol.states import (
    BELOW,
    DONE,
    ENDED,
    LATE,
    LEASE,
    MOST_RUNS,
    NOTICE,
    PARTS,
    PROGRESS,
    Content,
    Effect,
    File,
    Row,
    Rules,
    State,
    Worker,
    applied,
    holds,
    with_worker,
)


def _sent(
    state: State, number: int, effect: Effect, then: Worker, rules: Rules, *, repeated: bool = True
) -> Iterator[State]:
    """One request, with the fence before it. Without a response it is made again, if it is `repeated`."""
    worker = state.workers[number]
    if rules.fence and worker.age >= LEASE:
        return  # it must renew first, which is another step, or ends there: the loser deletes nothing
    if effect.kind == "update" and isinstance(effect.content, str):
        over = next((each.content for each in state.messages if each.id == effect.target), "")
        state = state._replace(lessened=state.lessened or isinstance(over, int))
    posted = state.ids if then.step == "record" else -1
    yield with_worker(applied(state, effect), number, then._replace(posted=posted))
    if state.faults:
        unsure = (worker if repeated else then)._replace(certain=False, since=0)
        faulty = with_worker(state._replace(faults=state.faults - 1), number, unsure)
        yield faulty
        yield applied(faulty, effect)
        yield faulty._replace(late=(*faulty.late, (LATE, effect)))


def _stored(state: State, number: int, row: Row, then: Worker) -> Iterator[State]:
    """One write to the claim; a worker that is not its owner ends."""
    if holds(state, number):
        recorded = [each.content for each in state.messages if each.id in row.replies]
        is_whole = len(recorded) == len(PARTS) and recorded == recorded[:1] * len(PARTS)
        is_whole = is_whole and isinstance(recorded[0], int)
        yield with_worker(state._replace(row=row, whole=state.whole or is_whole), number, then)
    else:
        yield with_worker(state, number, Worker(step=ENDED))


def standing(state: State, row: Row) -> int:
    """The run whose answer stands in the first message of the reply; -1 if there is none."""
    first = next((each for each in state.messages if row.replies[:1] == (each.id,)), None)
    return first.content if first and isinstance(first.content, int) else -1


def _adopt(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    """Find the messages of earlier workers by their marks, and record them."""
    replies = list(row.replies)
    for part in PARTS[len(replies) :]:
        found = [each.id for each in state.messages if each.part == part]
        if not found or len(replies) != part:
            break
        replies.append(found[0])
    adopted = row._replace(replies=tuple(replies))
    file = next((each for each in state.files if each.id == row.upload), None)
    whole = [each for each in state.messages if each.content == row.wanted and each.id in replies]
    is_shared = not state.has_file or (file is not None and file.shared)
    if row.wanted >= 0 and len(whole) == len(PARTS) and is_shared:
        yield from _stored(state, number, adopted, worker._replace(step="look", run=row.wanted))
    else:
        yield from _stored(state, number, adopted, worker._replace(step="count"))


def _count(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    """A run begins, unless there were enough of them."""
    if row.runs >= MOST_RUNS or row.stopped:
        yield from _stored(state, number, row, worker._replace(step="notice"))
    else:
        counted = row._replace(runs=row.runs + 1)
        yield from _stored(state, number, counted, worker._replace(step="open"))


def _post(
    state: State, number: int, worker: Worker, part: int, content: Content, rules: Rules, *, then: str
) -> Iterator[State]:
    """Post a new message; if an earlier try may have succeeded, search for it first."""
    wanted = [] if worker.certain else [(part, content)]
    found = [each.id for each in state.messages if (each.part, each.content) in wanted]
    if found:
        yield with_worker(state, number, worker._replace(step=then, posted=found[0]))
    else:
        effect = Effect("post", part, content)
        yield from _sent(state, number, effect, worker._replace(step=then), rules)


def _open(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    if row.replies:
        yield with_worker(state, number, worker._replace(step="progress"))
    else:
        yield from _post(state, number, worker, 0, PROGRESS, rules, then="record")


def _record(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    """Record a posted message, and go on with the next thing."""
    recorded = row._replace(replies=(*row.replies, worker.posted))
    if worker.run >= 0:
        step = "upload"
    else:
        step = "progress" if worker.posted >= 0 and len(row.replies) == 0 else "look"
    yield from _stored(state, number, recorded, worker._replace(step=step, posted=-1))


def _progress(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    """The agent runs. Progress is shown or not; then the run was stopped, or there is an answer."""
    if standing(state, row) < 0 and row.replies:
        then = worker._replace(step="answer")
        effect = Effect("update", row.replies[0], PROGRESS)
        yield from _sent(state, number, effect, then, rules, repeated=False)
    if row.stopped:
        yield with_worker(state, number, worker._replace(step="notice"))
    else:
        yield with_worker(state, number, worker._replace(step="answer"))


def _answer(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    if not row.replies:  # another worker's row: with the fence this cannot be
        yield with_worker(state, number, Worker(step=ENDED))
        return
    if standing(state, row) not in (-1, number) and rules.beside:
        yield from _post(state, number, worker, 0, number, rules, then="beside")
        return
    then = worker._replace(step="second", run=number)
    yield from _sent(state, number, Effect("update", row.replies[0], number), then, rules)


def _second(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    if len(row.replies) > 1:
        effect = Effect("update", row.replies[1], number)
        yield from _sent(state, number, effect, worker._replace(step="upload"), rules)
    else:
        yield from _post(state, number, worker, 1, number, rules, then="record")


def _beside(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    """The answer of an earlier run stands until the new one is whole."""
    yield from _post(state, number, worker, 1, number, rules, then="replace")


def _replace(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    """Record the new answer at once; the older one is surplus from now on, which a look deletes."""
    posted = {each.part: each.id for each in reversed(state.messages) if each.content == number}
    replaced = row._replace(replies=tuple(posted[part] for part in PARTS if part in posted))
    yield from _stored(state, number, replaced, worker._replace(step="upload", run=number, posted=-1))


def _upload(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    """Begin an upload and record it; the one of another answer is abandoned."""
    if not state.has_file:
        yield with_worker(state, number, worker._replace(step="want"))
        return
    before = (*row.abandoned, row.upload) if row.upload >= 0 else row.abandoned
    begun = state._replace(files=(*state.files, File(state.ids, worker.run)), ids=state.ids + 1)
    recorded = row._replace(upload=state.ids, abandoned=before)
    yield from _stored(begun, number, recorded, worker._replace(step="share"))


def _share(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    file = next((each for each in state.files if each.id == row.upload), None)
    if file and file.shared and file.run == worker.run:
        yield with_worker(state, number, worker._replace(step="want"))
    else:
        effect = Effect("share", row.upload)
        yield from _sent(state, number, effect, worker._replace(step="want"), rules)


def _want(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    """Record that the answer is complete, if its end may take time."""
    wanted = row if worker.certain else row._replace(wanted=worker.run)
    yield from _stored(state, number, wanted, worker._replace(step="look"))


def corrections(state: State, row: Row, run: int) -> Iterator[Effect]:
    """What a look finds to put right; `run` is the answer that is wanted, or -1 for a notice."""
    kept = standing(state, row) if run < 0 else run
    if run < 0 and kept < 0:
        wanted: dict[int, Content] = {0: NOTICE}
    elif run < 0:  # beside the notice stay the parts of that answer
        parts = (each.part for each in state.messages if each.content == kept and each.part in PARTS)
        wanted = dict.fromkeys(parts, kept) | {BELOW: NOTICE}
    else:
        wanted = dict.fromkeys(PARTS, run)
    seen: set[int] = set()
    for each in state.messages:
        recorded = row.replies[each.part : each.part + 1] if each.part in PARTS else ()
        twice = each.part in seen or bool(recorded and recorded != (each.id,))
        if each.part not in wanted or twice:
            yield Effect("delete", each.id)
            continue
        seen.add(each.part)
        if each.content != wanted[each.part]:
            yield Effect("update", each.id, wanted[each.part])
    yield from (
        Effect("post", part, NOTICE) for part in wanted if wanted[part] == NOTICE and part not in seen
    )
    for file in state.files:
        surplus = kept < 0 or file.id != row.upload
        if file.shared and surplus:
            yield Effect("unshare", file.id)


def _look(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    """Read back and put right; when that finds nothing after the last late effect, finish."""
    settled = worker.certain or not rules.read_back
    wrong = None if settled else next(corrections(state, row, worker.run), None)
    if wrong is not None:
        yield from _sent(state, number, wrong, worker, rules)
    elif settled or worker.since > LATE:
        yield from _stored(state, number, row._replace(state=DONE), Worker(step=ENDED))


def _notice(state: State, number: int, worker: Worker, row: Row, rules: Rules) -> Iterator[State]:
    """A notice replaces the progress, or stands below an answer."""
    wrong = next(corrections(state, row, -1), None)
    if wrong is not None:
        yield from _sent(state, number, wrong, worker._replace(run=-1), rules)
    else:
        yield with_worker(state, number, worker._replace(step="look", run=-1))


PROGRAM = {
    "adopt": _adopt,
    "count": _count,
    "open": _open,
    "record": _record,
    "progress": _progress,
    "answer": _answer,
    "second": _second,
    "beside": _beside,
    "replace": _replace,
    "upload": _upload,
    "share": _share,
    "want": _want,
    "look": _look,
    "notice": _notice,
}
"""What a worker does in each of its steps."""
