"""Claimed questions wait for a thread, in a queue that is bounded in length and age."""

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from slackapp.work import acceptance
from slackapp.work.acceptance import AcceptedWork
from tests.slackapp.requests import request


class Held:
    """A claim, and whether it was given back."""

    def __init__(self, owner):
        self.claim = SimpleNamespace(owner=owner, key=f"key of {owner}")
        self.released = False

    def release(self):
        self.released = True


@pytest.fixture
def busy():
    """One thread, which is busy until the event is set."""
    free = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(free.wait, 10)
        yield SimpleNamespace(pool=pool, free=free)
        free.set()


@pytest.fixture
def now(monkeypatch):
    """Seconds that tests move."""
    clock = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(acceptance, "time", SimpleNamespace(monotonic=lambda: clock.seconds))
    return clock


def put(queue, *owners, run=None):
    """Has questions wait; their leases, and the owners of those that have run."""
    ran = []
    leases = [Held(owner) for owner in owners]
    for lease in leases:
        queue.put(lease, request(), run or (lambda held, _: ran.append(held.claim.owner)))
    return leases, ran


def test_questions_run_in_the_order_in_which_they_came(busy):
    leases, run = put(AcceptedWork(busy.pool), "a", "b", "c")
    busy.free.set()
    busy.pool.shutdown()
    assert run == ["a", "b", "c"]
    assert not any(lease.released for lease in leases)


def test_what_exceeds_the_longest_length_is_released_and_never_run(busy):
    leases, run = put(AcceptedWork(busy.pool, longest=2), "a", "b", "c")
    assert [lease.released for lease in leases] == [False, False, True]
    busy.free.set()
    busy.pool.shutdown()
    assert run == ["a", "b"]


def test_what_has_waited_too_long_is_released_and_never_run(busy, now):
    queue = AcceptedWork(busy.pool, oldest_seconds=60)
    old, run_old = put(queue, "a")
    now.seconds += 30
    young, run_young = put(queue, "b")
    queue.release_aged()
    assert not old[0].released
    now.seconds += 30
    queue.release_aged()
    assert (old[0].released, young[0].released) == (True, False)
    busy.free.set()
    busy.pool.shutdown()
    assert (run_old, run_young) == ([], ["b"])


def test_a_clean_end_releases_what_waits_and_what_still_comes(busy):
    queue = AcceptedWork(busy.pool)
    waiting, run = put(queue, "a", "b")
    queue.close()
    late, _ = put(queue, "c")
    assert all(lease.released for lease in (*waiting, *late))
    busy.free.set()
    busy.pool.shutdown()
    assert run == []


def test_a_pool_that_has_ended_releases_the_claim():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    [lease], _ = put(AcceptedWork(pool), "a")
    assert lease.released


def test_a_question_that_breaks_does_not_stop_the_next(busy, caplog):
    queue = AcceptedWork(busy.pool)

    def broken(_lease, _incoming):
        raise RuntimeError("unforeseen")

    put(queue, "a", run=broken)
    _, run = put(queue, "b")
    busy.free.set()
    busy.pool.shutdown()
    assert run == ["b"]
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "question_not_run"
    ]
