"""The sweeper: what a worker left behind is run to its end."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from slackapp.stores.contract import Claim, StoreUnavailable
from slackapp.sweep import AT_ONCE, Sweeper, sweep
from tests.fakes.clock import FakeClock
from tests.slackapp.stage import Stage


def claim(key):
    return Claim(key=key, owner="gone", incoming="{}", lease_until=0)


class Desk:
    """Keeps what it was asked to resume."""

    def __init__(self, *rounds):
        self.rounds = list(rounds)
        self.resumed = []
        self.limits = []
        self.swept = threading.Semaphore(0)

    def expired(self, limit):
        self.limits.append(limit)
        self.swept.release()
        found = self.rounds.pop(0) if self.rounds else ()
        if isinstance(found, Exception):
            raise found
        return found

    def resume(self, left):
        self.resumed.append(left.key)


def test_every_expired_claim_is_resumed():
    desk = Desk((claim("a"), claim("b")))
    with ThreadPoolExecutor(2) as pool:
        for future in sweep(desk, pool):
            future.result(5)
    assert sorted(desk.resumed) == ["a", "b"]
    assert desk.limits == [AT_ONCE]


def test_a_store_that_fails_ends_no_sweeper(caplog):
    desk = Desk(StoreUnavailable("gone"), (claim("a"),))
    sweeper = Sweeper(lambda: desk, every=0.01)
    sweeper.start()
    for _ in range(4):
        assert desk.swept.acquire(timeout=5)
    sweeper.stop()
    assert desk.resumed == ["a"]
    assert "sweep_failed: gone" in caplog.text


def test_a_desk_that_cannot_be_opened_yet_is_opened_later():
    desk, doors = Desk(), iter([StoreUnavailable("not yet")])

    def opened():
        for error in doors:
            raise error
        return desk

    sweeper = Sweeper(opened, every=0.01)
    sweeper.start()
    assert desk.swept.acquire(timeout=5)
    sweeper.stop()


def test_a_sweeper_stops_between_two_rounds():
    desk = Desk()
    sweeper = Sweeper(lambda: desk, every=3600)
    sweeper.start()
    sweeper.stop()
    assert desk.limits == []


@pytest.mark.parametrize("written", ["{", "[]", "{}", '{"kind": "telepathy", "files": []}'])
def test_a_claim_that_cannot_be_read_is_done_with_and_logged(tmp_path, caplog, written):
    """Another version of the app may have written it; it would be swept for ever."""
    clock = FakeClock()
    now = clock.now().timestamp()
    with Stage({"sqlite_path": str(tmp_path / "s.sqlite3")}, clock=clock) as stage:
        stage.store.claim("k", written, owner="o", now=now, lease_until=now + 1, expires_at=now + 86400)
        clock.advance(2)
        assert stage.unfinished() == ["k"]
        assert stage.swept().unfinished() == []
    [line] = [record for record in caplog.records if record.getMessage() == "claim_unreadable"]
    assert (line.levelno, line.fields["key"]) == (logging.ERROR, "k")
