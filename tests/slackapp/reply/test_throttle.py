"""Work that is done when there is need, but not too often."""

import itertools
import threading
import time

import pytest

from slackapp.reply.progress import ThrottledThread


def test_many_nudges_are_one_call():
    """The next call sees what came since."""
    calls, done = [], threading.Event()

    def work():
        calls.append(1)
        done.set()

    pacer = ThrottledThread(work, interval=0.05, idle=10)
    pacer.start()
    for _ in range(100):
        pacer.nudge()
    assert done.wait(60)
    pacer.stop()
    assert len(calls) == 1


def test_calls_keep_their_distance():
    calls, enough = [], threading.Event()

    def work():
        calls.append(time.monotonic())
        if len(calls) == 3:
            enough.set()
        pacer.nudge()

    pacer = ThrottledThread(work, interval=0.05, idle=10)
    pacer.start()
    pacer.nudge()
    assert enough.wait(60)
    pacer.stop()
    assert all(after - before >= 0.05 for before, after in itertools.pairwise(calls))


def test_without_a_nudge_it_looks_now_and_then():
    """A stream must be replaced even when nothing happens in it."""
    looked = threading.Event()
    pacer = ThrottledThread(looked.set, interval=0, idle=0.01)
    pacer.start()
    assert looked.wait(60)
    pacer.stop()


def test_after_the_end_nothing_is_done():
    """What is under way is waited for."""
    begun, hold, calls = threading.Event(), threading.Event(), []

    def work():
        begun.set()
        hold.wait(60)
        calls.append(1)

    pacer = ThrottledThread(work, interval=0, idle=10)
    pacer.start()
    pacer.nudge()
    assert begun.wait(60)
    threading.Timer(0.05, hold.set).start()
    pacer.stop()
    pacer.nudge()
    assert calls == [1]


def test_what_went_wrong_is_told_at_the_end():
    """Once, and only to those who want to hear it."""
    raised = threading.Event()

    def work():
        raised.set()
        raise LookupError

    pacer = ThrottledThread(work, interval=0, idle=10)
    pacer.start()
    pacer.nudge()
    assert raised.wait(60)
    pacer.abandon()
    with pytest.raises(LookupError):
        pacer.stop()
    pacer.stop()


def test_what_never_began_ends_quietly():
    pacer = ThrottledThread(lambda: None, interval=0, idle=0)
    pacer.stop()
