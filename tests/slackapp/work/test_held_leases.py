"""One thread renews every lease of a process."""

import threading
from types import SimpleNamespace

import pytest

from slackapp.work.held_leases import LEASES_A_THREAD, HeldLeases


class Lease:
    """Counts its renewals; the thread in which they happen is kept."""

    def __init__(self, key="k", owner="o", fails=False, instead=None):
        self.claim = SimpleNamespace(key=key, owner=owner)
        self.renewed = threading.Semaphore(0)
        self.threads, self.stops = set(), 0
        self.over = False
        self._fails = fails
        self.instead = instead

    def renew(self):
        if self.instead:
            self.instead()
            return
        self.threads.add(threading.current_thread())
        self.renewed.release()
        if self._fails:
            raise RuntimeError("unforeseen")

    def note_stop(self):
        self.stops += 1


@pytest.fixture
def held():
    leases = HeldLeases(0.002)
    yield leases
    leases.close()
    assert not any(thread.name == "heartbeat" for thread in threading.enumerate())


def test_one_thread_renews_all_leases_again_and_again(held):
    """A renewal that breaks ends neither the thread nor the turn of the others."""
    leases = [Lease(), Lease(fails=True), Lease()]
    for lease in leases:
        held.add(lease)
        held.add(lease)
    for _ in range(3):
        assert all(lease.renewed.acquire(timeout=60) for lease in leases)
    assert len(set.union(*(lease.threads for lease in leases))) == 1


def test_many_leases_are_renewed_beside_each_other(held):
    """A store that is slow for one of them keeps the others from their ends no longer than it must."""
    leases = [Lease() for _ in range(LEASES_A_THREAD + 1)]
    beside = threading.Barrier(2)
    for lease in leases[:2]:
        lease.instead = lambda: beside.wait(60)
    for lease in leases:
        held.add(lease)
    assert all(lease.renewed.acquire(timeout=60) for lease in leases[2:])
    assert not beside.broken
    for lease in leases[2:]:
        held.remove(lease)
    beside.abort()


def test_no_lease_is_renewed_by_two_threads(held):
    """Also if one renewal takes longer than the time between two."""
    slow, other, rest = Lease(), Lease(), [Lease() for _ in range(LEASES_A_THREAD)]
    inside, counted, done = threading.Semaphore(0), [], threading.Event()

    def renew():
        counted.append(inside.acquire(blocking=False))
        inside.release()
        assert all(other.renewed.acquire(timeout=60) for _ in range(3))
        inside.acquire()
        done.set()

    slow.instead = renew
    for lease in (slow, other, *rest):
        held.add(lease)
    assert done.wait(60)
    held.remove(slow)
    other.renewed.release(9)  # for the next renewal, if it has begun
    assert not any(counted)


def test_a_lease_that_is_over_or_removed_is_renewed_no_more(held):
    over, removed, other = Lease(), Lease(), Lease()
    for lease in (over, removed, other):
        held.add(lease)
    assert over.renewed.acquire(timeout=60)
    over.over = True
    held.remove(removed)
    for _ in range(5):
        assert other.renewed.acquire(timeout=60)
    over.threads.clear()
    removed.threads.clear()
    for _ in range(5):
        assert other.renewed.acquire(timeout=60)
    assert (over.threads, removed.threads) == (set(), set())


def test_the_thread_begins_anew_with_the_next_lease(held):
    first, second = Lease(), Lease()
    held.add(first)
    assert first.renewed.acquire(timeout=60)
    held.close()
    held.add(second)
    assert second.renewed.acquire(timeout=60)


def test_every_beat_is_told(held):
    """The queue releases then what has waited too long."""
    told = threading.Event()
    held.on_beat = told.set
    held.add(Lease())
    assert told.wait(60)


def test_a_stop_is_told_to_the_leases_of_that_claim_only(held):
    first, again, other = Lease("a", "1"), Lease("a", "2"), Lease("b", "3")
    for lease in (first, again, other):
        held.add(lease)
    held.stop("a")
    held.stop("elsewhere")
    assert (first.stops, again.stops, other.stops) == (1, 1, 0)


def test_owners_are_alive_as_long_as_their_leases_are_held(held):
    lease = Lease(owner="mine")
    held.add(lease)
    assert (held.holds("mine"), held.holds("another")) == (True, False)
    held.remove(lease)
    assert not held.holds("mine")
