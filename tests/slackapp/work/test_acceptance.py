"""What is decided about a question before Slack is acknowledged, where its deliveries overlap."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from slackapp.stores.contract import StoreRefused, StoreUnavailable
from slackapp.work.acceptance import ClaimFirst
from tests.slackapp.requests import request


class Handler:
    """Claims nothing: the first call waits until it is let go, and every call ends as planned."""

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.called, self.go = threading.Semaphore(0), threading.Event()
        self.owners, self.told = [], []

    def claim(self, incoming, *, owner):
        self.owners.append(owner)
        outcome = self.outcomes.pop(0) if self.outcomes else None
        self.called.release()
        if len(self.owners) == 1:
            self.go.wait(60)
        if outcome:
            raise outcome
        # None: another worker has it.

    def refuse_unclaimed(self, incoming):
        self.told.append(incoming.key)


@pytest.mark.parametrize(
    "second", [StoreUnavailable("no answer"), StoreRefused("full")], ids=["no answer", "refused"]
)
def test_the_last_delivery_does_not_end_with_one_that_slack_would_repeat(second):
    """The store keeps the first one waiting, Slack delivers again and for the last time, and both fail."""
    handler = Handler(StoreUnavailable("no answer"), second)
    with ThreadPoolExecutor(2) as pool:
        acceptance = ClaimFirst(lambda: cast("Any", handler), pool, decide_seconds=0.5, pursue_seconds=0.01)
        assert not acceptance.accept(request(), False)
        assert handler.called.acquire(timeout=60)
        assert not acceptance.accept(request(), True)
        assert handler.called.acquire(timeout=60)
        assert handler.told == []  # the first one may still be written
        handler.go.set()
        assert handler.called.acquire(timeout=60)  # it is pursued
        acceptance.close()
    assert len({*handler.owners}) == 2
    assert handler.told == []
