"""What the server remembers, and what it forgets."""

import asyncio

import pytest
from a2a.server.context import ServerCallContext
from a2a.types import Artifact, ListTasksRequest, Part, Task, TaskState, TaskStatus

from fetcher.a2a.tasks import RecentTasks

CONTEXT = ServerCallContext()


def _task(name, state=TaskState.TASK_STATE_COMPLETED, size=0):
    artifact = Artifact(artifact_id="a", parts=[Part(raw=b"x" * size)])
    return Task(id=name, context_id="c", status=TaskStatus(state=state), artifacts=[artifact])


def _kept(store, *tasks):
    async def story():
        for task in tasks:
            await store.save(task, CONTEXT)
        page = await store.list(ListTasksRequest(), CONTEXT)
        return {task.id for task in page.tasks}

    return asyncio.run(story())


def test_the_oldest_finished_tasks_are_forgotten():
    assert _kept(RecentTasks(2), *(_task(name) for name in "abcd")) == {"c", "d"}


def test_tasks_that_are_worked_on_are_never_forgotten():
    working = [_task(name, TaskState.TASK_STATE_WORKING) for name in "abc"]
    assert _kept(RecentTasks(1), *working, _task("d"), _task("e")) == {"a", "b", "c", "e"}


def test_large_tasks_are_forgotten_sooner_but_never_the_newest():
    store = RecentTasks(100, most_bytes=1000)
    assert _kept(store, _task("a", size=600), _task("b", size=600), _task("c", size=5000)) == {"c"}
    assert _kept(store, _task("d", size=300), _task("e", size=300)) == {"d", "e"}


def test_saving_a_task_again_does_not_count_it_twice():
    store = RecentTasks(2, most_bytes=1000)
    assert _kept(store, *[_task("a", size=400)] * 5, _task("b", size=400)) == {"a", "b"}


@pytest.mark.parametrize("state", ["TASK_STATE_CANCELED", "TASK_STATE_FAILED", "TASK_STATE_REJECTED"])
def test_every_way_to_end_counts(state):
    ended = [_task(name, TaskState.Value(state)) for name in "ab"]
    assert _kept(RecentTasks(1), *ended) == {"b"}


def test_a_deleted_task_makes_room():
    store = RecentTasks(2)
    _kept(store, _task("a"), _task("b"))
    asyncio.run(store.delete("b", CONTEXT))
    assert asyncio.run(store.get("b", CONTEXT)) is None
    assert _kept(store, _task("c")) == {"a", "c"}
