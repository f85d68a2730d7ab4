"""Work that takes too long is given up, and told so."""

import threading

import pytest

from fetcher.invoke.errors import TimedOut
from fetcher.invoke.time_limit import TimeLimit, run_within


def test_what_work_returns_is_returned():
    assert run_within(5, lambda limit: 7) == 7


def test_what_work_raises_is_raised():
    def work(limit):
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        run_within(5, work)


def test_late_work_is_hung_up_on():
    """Whoever waits leaves in time, and the work ends too."""
    hung_up, ended = threading.Event(), threading.Event()

    def work(limit):
        limit.attach(hung_up.set)
        hung_up.wait(5)
        ended.set()

    with pytest.raises(TimedOut):
        run_within(0.05, work)
    assert ended.wait(5)


def test_work_that_attaches_too_late_is_hung_up_on_at_once():
    limit, calls = TimeLimit(), []
    limit.expire()
    limit.attach(lambda: calls.append(1))
    assert calls == [1]


@pytest.mark.parametrize("seconds", [0, -1.5])
def test_without_time_nothing_is_begun(seconds):
    begun: list[int] = []
    with pytest.raises(TimedOut):
        run_within(seconds, lambda limit: begun.append(1))
    assert begun == []
