"""A claim lives as long as its worker, and no stumble of the store ends it early."""

import threading
import time
from typing import Any

import pytest

from slackapp.settings import SlackSettings
from slackapp.stores.contract import ReplyRecord, StoreUnavailable
from slackapp.work.lease import ClaimKeeper, ClaimLost
from tests.slackapp.requests import request

SETTINGS = SlackSettings(lease_seconds=60, heartbeat_seconds=5, clock_skew_seconds=4)
SKEW = 4
INCOMING = request()


class Stumbling:
    """A store that fails so many times before it works."""

    def __init__(self, store):
        self._store = store
        self.failures = 0

    def __getattr__(self, name):
        method = getattr(self._store, name)

        def call(*arguments, **named):
            if self.failures > 0:
                self.failures -= 1
                raise StoreUnavailable("stumbled")
            return method(*arguments, **named)

        return call


@pytest.fixture
def stumbling(store):
    return Stumbling(store)


@pytest.fixture
def keeper(stumbling, clock):
    """Sleeping moves the clock, and takes no time."""
    return ClaimKeeper(stumbling, SETTINGS, clock, sleep=clock.advance)


@pytest.fixture
def lease(keeper):
    return keeper.claim(INCOMING)


def taken(keeper, clock):
    """The claim in another worker's hands, after the first has gone silent."""
    clock.advance(60 + SKEW)
    (expired,) = keeper.expired_claims(10)
    return keeper.take_over(expired)


def test_a_request_is_claimed_once_with_everything_in_it(keeper):
    lease = keeper.claim(INCOMING)
    assert lease.incoming == INCOMING
    assert not lease.resumed
    assert keeper.claim(INCOMING) is None


def test_a_claim_that_is_done_stays_claimed_for_a_day(keeper, clock):
    """Slack's last retry comes minutes later."""
    keeper.claim(INCOMING).finish()
    clock.advance(24 * 3600)
    assert keeper.claim(INCOMING) is None


def test_a_silent_workers_claim_is_taken_over_once(keeper, clock, lease):
    lease.record(ReplyRecord(replies=("1.2",)))
    second = taken(keeper, clock)
    assert second.resumed
    assert second.incoming == INCOMING
    assert second.claim.reply_record == ReplyRecord(replies=("1.2",))
    assert keeper.take_over(lease.claim) is None
    assert keeper.expired_claims(10) == ()


def test_a_claim_that_is_released_is_taken_over_at_once(keeper, lease):
    """A worker that ends in good order lets no other wait; its heartbeat stops."""
    with lease:
        assert not lease.stopped
        lease.release()
        lease.renew()
        (expired,) = keeper.expired_claims(10)
        assert keeper.take_over(expired).resumed


def test_a_claim_that_cannot_be_released_runs_out(stumbling, keeper, clock, lease):
    stumbling.failures = 1
    lease.release()
    assert keeper.expired_claims(10) == ()
    assert taken(keeper, clock).resumed


def test_a_claim_that_is_somebody_elses_cannot_be_released(keeper, clock, lease):
    taken(keeper, clock)
    lease.release()
    assert keeper.expired_claims(10) == ()


def test_a_heartbeat_keeps_the_claim(keeper, clock, lease):
    clock.advance(59)
    lease.renew()
    clock.advance(59)
    assert keeper.expired_claims(10) == ()
    clock.advance(1 + SKEW - 0.1)
    assert keeper.expired_claims(10) == ()
    clock.advance(0.1)
    assert len(keeper.expired_claims(10)) == 1


def test_who_has_lost_the_claim_is_told_and_writes_no_more(keeper, clock, lease):
    lost = []
    lease.on_lost = lambda: lost.append(True)
    second = taken(keeper, clock)
    lease.renew()
    lease.renew()
    assert lease.lost
    assert lost == [True]
    with pytest.raises(ClaimLost):
        lease.record(ReplyRecord(replies=("9.9",)))
    with pytest.raises(ClaimLost):
        lease.finish()
    second.finish()


def test_a_record_that_comes_too_late_is_the_first_to_notice(keeper, clock, lease):
    taken(keeper, clock)
    with pytest.raises(ClaimLost):
        lease.record(ReplyRecord())
    assert lease.lost


def test_a_stop_is_heard_once(store, clock, lease):
    heard = []
    lease.on_stop = lambda: heard.append(True)
    lease.renew()
    assert not lease.stopped
    store.request_stop(INCOMING.key, now=clock.now().timestamp())
    lease.renew()
    lease.renew()
    assert lease.stopped
    assert heard == [True]
    assert not lease.lost


def test_a_stop_that_a_dead_worker_did_not_hear_is_heard_at_once(store, keeper, clock, lease):
    store.request_stop(INCOMING.key, now=clock.now().timestamp())
    second = taken(keeper, clock)
    heard = []
    second.on_stop = lambda: heard.append(True)
    with second:
        assert heard == [True]


@pytest.mark.parametrize("failures", [1, 5, 11])
def test_a_stumble_shorter_than_the_lease_loses_nothing(stumbling, clock, lease, failures):
    """Every five seconds one try; the eleventh still comes before the sixtieth second."""
    stumbling.failures = failures
    lease.record(ReplyRecord(root="1.0"))
    assert not lease.lost
    lease.finish()


def test_a_stumble_as_long_as_the_lease_loses_the_claim(stumbling, clock, lease):
    """Another worker may have the claim by now."""
    stumbling.failures = 100
    with pytest.raises(ClaimLost):
        lease.record(ReplyRecord())
    assert lease.lost
    assert stumbling.failures == 87


def test_heartbeats_that_fail_for_the_length_of_a_lease_lose_the_claim(stumbling, clock, lease):
    lost = []
    lease.on_lost = lambda: lost.append(clock.now())
    stumbling.failures = 100
    for _ in range(11):
        clock.advance(5)
        lease.renew()
    assert not lease.lost
    clock.advance(5)
    lease.renew()
    assert lease.lost
    assert len(lost) == 1


def test_a_heartbeat_between_failures_starts_the_time_anew(stumbling, clock, lease):
    for _ in range(3):
        stumbling.failures = 1
        clock.advance(50)
        lease.renew()
        lease.renew()
    assert not lease.lost


def test_what_is_finished_is_not_lost_by_a_late_heartbeat(lease):
    lease.finish()
    lease.renew()
    assert not lease.lost


def test_the_heart_beats_while_the_work_goes_on_and_no_longer(store, clock):
    """In a thread of its own."""
    beaten, before = threading.Semaphore(0), set(threading.enumerate())

    class Watched(Stumbling):
        def renew(self, *arguments, **named):
            beaten.release()
            return store.renew(*arguments, **named)

    quick = SlackSettings(lease_seconds=60, heartbeat_seconds=0.002)
    watched: Any = Watched(store)
    keeper = ClaimKeeper(watched, quick, clock)
    lease = keeper.claim(INCOMING)
    assert lease
    with lease:
        for _ in range(3):
            assert beaten.acquire(timeout=60)
    keeper.held.close()
    assert not any(thread.name == "heartbeat" for thread in {*threading.enumerate()} - before)


def test_a_run_that_fails_leaves_its_claim_to_the_next(keeper, clock, lease):
    with pytest.raises(RuntimeError), lease:
        raise RuntimeError
    assert taken(keeper, clock).claim.attempt == 2


def test_a_store_that_is_down_when_claiming_is_told(keeper, stumbling):
    stumbling.failures = 1
    with pytest.raises(StoreUnavailable):
        keeper.claim(INCOMING)


def test_only_a_lease_that_is_ours_by_the_wall_clock_allows_a_write(keeper, clock, lease):
    """The heart of a worker that stood still has not beaten: the next write finds out."""
    lease.require()
    clock.advance(59)
    lease.require()
    second = taken(keeper, clock)
    with pytest.raises(ClaimLost):
        lease.require()
    second.require()


def test_a_lease_that_is_over_and_still_ours_is_renewed_before_a_write(keeper, clock, lease):
    """A worker that stood still for long goes on if no other worker has come."""
    clock.advance(3600)
    lease.require()
    assert keeper.expired_claims(10) == ()


def test_a_lease_that_is_over_allows_no_write_while_the_store_is_silent(stumbling, clock, lease):
    stumbling.failures = 1
    clock.advance(60)
    with pytest.raises(ClaimLost):
        lease.require()


def test_a_wall_clock_that_is_set_back_makes_no_lease_longer(keeper, monkeypatch, stumbling, lease):
    """The monotonic clock counts too."""
    at = time.monotonic() + 61
    monkeypatch.setattr("slackapp.work.lease.time.monotonic", lambda: at)
    stumbling.failures = 1
    with pytest.raises(ClaimLost):
        lease.require()


def test_a_claim_that_this_process_holds_is_not_swept(keeper, clock, lease):
    """After a machine has slept, the sweeper may be faster than the heartbeat."""
    with lease:
        clock.advance(3600)
        assert keeper.expired_claims(10) == ()
    assert len(keeper.expired_claims(10)) == 1


def test_a_claim_may_be_released_for_later(keeper, clock, lease):
    """Slack has said when it is worth trying again."""
    lease.release(after=100)
    clock.advance(99)
    assert keeper.expired_claims(10) == ()
    clock.advance(1)
    assert len(keeper.expired_claims(10)) == 1
