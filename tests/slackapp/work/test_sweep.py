"""The sweeper: what a worker left behind is run to its end."""

import logging
import sqlite3
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing

import pytest

from slackapp.listeners.incoming import Incoming, Stop
from slackapp.listeners.payloads import from_event
from slackapp.stores.contract import Claim, StoreUnavailable
from slackapp.stores.opening import open_store
from slackapp.work.sweep import AT_ONCE, Sweeper, sweep, sweep_while
from tests.fakes.clock import FakeClock
from tests.slackapp.stage import CHANNEL, TEAM, ScriptedAgent, Stage


def claim(key):
    return Claim(key=key, owner="gone", incoming="{}", lease_until=0)


def question(body, stage):
    asked = from_event(body, stage.app.bot_user)
    assert isinstance(asked, Incoming)
    return asked


class Handler:
    """Keeps what it was asked to resume."""

    def __init__(self, *rounds):
        self.rounds = list(rounds)
        self.resumed = []
        self.limits = []
        self.swept = threading.Semaphore(0)

    def expired_claims(self, limit):
        self.limits.append(limit)
        self.swept.release()
        found = self.rounds.pop(0) if self.rounds else ()
        if isinstance(found, Exception):
            raise found
        return found

    def resume(self, left):
        self.resumed.append(left.key)


def test_every_expired_claim_is_resumed():
    handler = Handler((claim("a"), claim("b")))
    with ThreadPoolExecutor(2) as pool:
        for future in sweep(handler, pool):
            future.result(60)
    assert sorted(handler.resumed) == ["a", "b"]
    assert handler.limits == [AT_ONCE]


class Backlog(Handler):
    """Claims stay listed until they are taken over; one cannot be."""

    def __init__(self, count):
        super().__init__()
        self.left = [claim(f"k{number}") for number in range(count)]
        self.lock = threading.Lock()

    def expired_claims(self, limit):
        with self.lock:
            return tuple(self.left[:limit])

    def resume(self, left):
        super().resume(left)
        if left.key == "k0":
            raise RuntimeError("unforeseen")
        with self.lock:
            self.left.remove(left)


def test_a_sweep_goes_on_while_there_is_time():
    """Sixty claims in one round, each once; one that cannot be taken over keeps no other waiting."""
    handler = Backlog(60)
    sweep_while(handler, lambda: True)
    assert sorted(handler.resumed) == sorted(f"k{number}" for number in range(60))
    assert [left.key for left in handler.left] == ["k0"]


def test_claims_that_wait_for_a_thread_are_not_handed_over_again():
    """However many rounds find the pool busy, its queue does not grow."""
    handler, busy = Backlog(60), threading.Event()
    waiting: dict[tuple[str, str], Future[None]] = {}
    with ThreadPoolExecutor(1) as pool:
        pool.submit(busy.wait)
        begun = [len(sweep(handler, pool, waiting)) for _ in range(3)]
        busy.set()
    assert begun == [AT_ONCE, 0, 0]
    assert sorted(handler.resumed) == sorted({*handler.resumed})
    with ThreadPoolExecutor(1) as pool:
        assert len(sweep(handler, pool, waiting)) == AT_ONCE


def test_a_sweep_begins_with_no_claim_that_it_has_no_time_for():
    """What was begun is run to its end."""
    handler, looks = Backlog(60), iter([True, True])
    sweep_while(handler, lambda: next(looks, False))
    assert AT_ONCE <= len(handler.resumed) < 2 * AT_ONCE + 1


def test_a_claim_that_breaks_is_logged_and_stops_no_other(caplog):
    class Broken(Handler):
        def resume(self, left):
            super().resume(left)
            if left.key == "a":
                raise RuntimeError("unforeseen")

    handler = Broken((claim("a"), claim("b")))
    with ThreadPoolExecutor(1) as pool, caplog.at_level(logging.ERROR):
        sweep(handler, pool)
    assert handler.resumed == ["a", "b"]
    assert [(record.message, record.fields["key"]) for record in caplog.records] == [("not_resumed", "a")]


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as opened:
        yield opened


@pytest.mark.parametrize("error", [StoreUnavailable("gone"), TypeError("gone")])
def test_a_round_that_fails_is_not_the_last_one(pool, caplog, error):
    """Neither an unavailable store nor an unreadable row ends the sweeper."""
    handler = Handler(error, (claim("a"),))
    sweeper = Sweeper(lambda: handler, pool, every=0.01)
    sweeper.start()
    for _ in range(4):
        assert handler.swept.acquire(timeout=60)
    sweeper.stop()
    pool.shutdown()
    assert handler.resumed == ["a"]
    [line] = [record for record in caplog.records if record.getMessage() == "sweep_failed"]
    assert "gone" in f"{getattr(line, 'fields', '')} {line.exc_info}"


def test_a_desk_that_cannot_be_opened_yet_is_opened_later(pool):
    handler, doors = Handler(), iter([StoreUnavailable("not yet")])

    def opened():
        for error in doors:
            raise error
        return handler

    sweeper = Sweeper(opened, pool, every=0.01)
    sweeper.start()
    assert handler.swept.acquire(timeout=60)
    sweeper.stop()


def test_a_sweeper_stops_between_two_rounds(pool):
    handler = Handler()
    sweeper = Sweeper(lambda: handler, pool, every=3600)
    sweeper.start()
    sweeper.stop()
    assert handler.limits == []


@pytest.mark.parametrize("written", ["{", "[]", "{}", '{"kind": "telepathy", "files": []}'])
def test_a_claim_that_cannot_be_read_is_done_with_and_logged(tmp_path, caplog, written):
    """Another version of the app may have written it; it would be swept for ever."""
    clock = FakeClock()
    now = clock.now().timestamp()
    with Stage({"sqlite_path": str(tmp_path / "s.sqlite3")}, clock=clock) as stage:
        stage.store.claim("k", written, owner="o", now=now, lease_until=now + 1, expires_at=now + 86400)
        clock.advance(10)
        assert stage.unfinished() == ["k"]
        assert stage.swept().unfinished() == []
    [line] = [record for record in caplog.records if record.getMessage() == "claim_unreadable"]
    assert (line.levelno, line.fields["key"]) == (logging.ERROR, "k")


def test_a_claim_that_cannot_be_read_is_nobodys_to_stop(tmp_path):
    """But it ends with the message that it came from."""
    clock = FakeClock()
    now = clock.now().timestamp()
    with Stage({"sqlite_path": str(tmp_path / "s.sqlite3")}, clock=clock) as stage:
        stage.store.claim("k", "{}", owner="o", now=now, lease_until=now + 60, expires_at=now + 86400)
        handler = stage.running.lazy_handler.get()
        for user, stopped in (("U0SATO", False), ("", True)):
            handler.stop_run(Stop(key="k", team=TEAM, channel=CHANNEL, user=user))
            working = stage.store.unfinished_claim("k", now=now)
            assert working is not None
            assert working.stopped is stopped
        stage.store.finish("k", owner="o")


def test_a_delivery_that_a_later_version_wrote_is_taken_up(tmp_path):
    """What this version does not know of it is left alone; the claim is swept like any other."""
    clock = FakeClock()
    where = tmp_path / "s.sqlite3"
    with Stage({"sqlite_path": str(where)}, clock=clock) as stage:
        body = stage.slack.bodies(CHANNEL, ts := stage.mention(deliver=False))[0]
        asked = question(body, stage)
        now = clock.now().timestamp()
        stage.store.claim(
            asked.key, asked.to_json(), owner="o", now=now, lease_until=now + 1, expires_at=now + 86400
        )
        with closing(sqlite3.connect(where)) as connection, connection:
            connection.execute("""UPDATE dedupe SET delivery = '{"mood": "good"}'""")
        clock.advance(10)
        assert len(stage.swept().replies(ts)) == 1


def test_what_waits_at_the_end_is_claimed_for_another_process(tmp_path):
    """It was acknowledged: Slack will not send it again."""
    hold = threading.Event()
    agent = ScriptedAgent(hold=hold)
    store = {"sqlite_path": str(tmp_path / "s.sqlite3")}
    with Stage(store, agent=agent, executor=ThreadPoolExecutor(1)) as stage:
        bodies = [stage.slack.bodies(CHANNEL, stage.mention(deliver=False))[0] for _ in range(3)]
        for body in bodies:
            [delivered] = stage.slack.deliver(body)
            assert delivered.result(60).status == 200
        assert agent.begun.acquire(timeout=60)
    hold.set()
    with closing(open_store(stage.settings)) as left:
        claims = left.expired_claims(now=time.time() + 3600, limit=10)
    assert sorted(claim.key for claim in claims) == sorted(question(body, stage).key for body in bodies)
