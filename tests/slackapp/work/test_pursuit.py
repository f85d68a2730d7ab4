"""Claims that Slack does not deliver again are pursued until the store answers."""

import threading
from types import SimpleNamespace

import pytest

from slackapp.stores.contract import StoreUnavailable
from slackapp.work import acceptance
from slackapp.work.acceptance import Pursuit, RecentKeys
from tests.slackapp.requests import request


class Claims:
    """A store that fails so many times before it answers."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.tries = []
        self.decided = threading.Semaphore(0)

    def __call__(self, incoming, owner):
        self.tries.append(owner)
        if self.failures:
            failure = self.failures.pop(0)
            if failure is False:
                return False
            raise failure
        self.decided.release()
        return True


@pytest.fixture
def pursue():
    begun = []

    def made(claim, every=0.002):
        begun.append(Pursuit(claim, every=every))
        return begun[-1]

    yield made
    for each in begun:
        each.close()


def test_the_same_owner_tries_again_until_it_is_decided(pursue):
    claim = Claims(StoreUnavailable("x"), False, RuntimeError("unforeseen"))
    pursue(claim).add(request(), "me")
    assert claim.decided.acquire(timeout=60)
    assert claim.tries == ["me"] * 4


def test_all_are_pursued(pursue):
    claim = Claims(StoreUnavailable("x"))
    pursued = pursue(claim)
    for owner in ("a", "b", "c"):
        pursued.add(request(), owner)
    assert all(claim.decided.acquire(timeout=60) for _ in range(3))
    assert set(claim.tries) == {"a", "b", "c"}


def test_what_is_still_undecided_at_the_end_is_in_the_log(pursue, caplog):
    """The asker is told nothing: the claim may have been written."""
    pursued = pursue(Claims(), every=60)
    pursued.add(request(), "a")
    pursued.close()
    pursued.add(request(), "late")
    assert [record.message for record in caplog.records] == ["question_undecided"] * 2


def test_patience_ends(pursue, caplog, monkeypatch):
    monkeypatch.setattr(acceptance, "PATIENCE_SECONDS", 0.0)
    claim = Claims(*[StoreUnavailable("x")] * 5)
    pursued = pursue(claim)
    pursued.add(request(), "a")
    pursued._thread.join(60)
    assert claim.tries == ["a"]
    assert [record.message for record in caplog.records] == ["question_undecided"]


def test_keys_are_known_for_some_minutes(monkeypatch):
    now = SimpleNamespace(seconds=10.0)
    monkeypatch.setattr(acceptance, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    monkeypatch.setattr(acceptance, "MOST_RECENT", 2)
    keys = RecentKeys()
    assert "a" not in keys
    keys.add("a")
    assert "a" in keys
    now.seconds += acceptance.RECENT_SECONDS
    assert "a" not in keys
    for key in ("b", "c", "d"):
        keys.add(key)
    assert [key in keys for key in "abcd"] == [False, False, True, True]
    keys.discard("c")
    keys.discard("x")
    assert "c" not in keys
