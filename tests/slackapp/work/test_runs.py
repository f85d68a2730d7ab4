"""Questions that the agent works on, and how they end early."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from fetcher.agent import Answer, AskRequest, Limits
from slackapp.work.lease import ClaimLost
from slackapp.work.runs import AgentCancelled, Interrupted, Runs, Stopped

REQUEST = AskRequest(question="いくら？")


class Asked:
    """A bridge whose answers come when a test gives them."""

    def __init__(self):
        self.futures = []
        self.closing = threading.Event()
        self.begun = threading.Semaphore(0)

    def ask(self, _request, _on_progress):
        future: Future[Answer] = Future()
        self.futures.append(future)
        self.begun.release()
        return future


class Held:
    """A claim that is ours, as far as runs care."""

    def __init__(self, key):
        self.claim = SimpleNamespace(key=key)
        self.stopped = self.lost = False
        self.watched = threading.Event()

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name == "on_lost":
            self.watched.set()


def lease(key="k"):
    return Held(key)


@pytest.fixture
def bridge():
    return Asked()


@pytest.fixture
def runs(bridge):
    return Runs(bridge, threading.BoundedSemaphore(1), Limits())


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as threads:
        yield threads


@pytest.fixture
def ask(runs, bridge, pool):
    """Asks in another thread, and waits until the agent has begun."""

    def asked(held):
        outcome = pool.submit(runs.answer, REQUEST, held, lambda _: None)
        assert bridge.begun.acquire(timeout=5)
        return outcome

    return asked


def test_the_answer_is_what_the_agent_says(ask, bridge):
    outcome = ask(lease())
    bridge.futures[0].set_result(Answer(text="千円です。"))
    assert outcome.result(5).text == "千円です。"


def test_what_the_agent_raises_is_raised(ask, bridge):
    outcome = ask(lease())
    bridge.futures[0].set_exception(ValueError("x"))
    with pytest.raises(ValueError, match="x"):
        outcome.result(5)


def test_a_run_whose_lease_hears_of_a_stop_ends_at_once(ask, bridge):
    held = lease()
    outcome = ask(held)
    assert held.watched.wait(5)
    held.stopped = True
    held.on_stop()
    with pytest.raises(Stopped):
        outcome.result(5)
    assert bridge.futures[0].cancelled()


@pytest.mark.parametrize(
    ("flag", "raised"),
    [("stopped", Stopped), ("lost", ClaimLost), ("closing", Interrupted), (None, AgentCancelled)],
)
def test_a_cancelled_run_says_why(ask, bridge, flag, raised):
    """A user stopped it, another worker has the claim, the process ends, or the agent itself gave it up."""
    held = lease()
    outcome = ask(held)
    if flag == "closing":
        bridge.closing.set()
    elif flag:
        setattr(held, flag, True)
    bridge.futures[0].cancel()
    with pytest.raises(raised):
        outcome.result(5)


@pytest.mark.parametrize(("flag", "raised"), [("stopped", Stopped), ("lost", ClaimLost)])
def test_a_run_that_was_over_before_it_began_is_cancelled(ask, flag, raised):
    held = lease()
    setattr(held, flag, True)
    with pytest.raises(raised):
        ask(held).result(5)


def test_whoever_has_to_wait_long_is_not_sent_away(bridge, pool):
    class Places(threading.Semaphore):
        """Free at the third look, without waiting."""

        looks = iter((False, False, True))

        def acquire(self, blocking=True, timeout=None):
            return next(self.looks)

    runs = Runs(bridge, Places(), Limits())
    outcome = pool.submit(runs.answer, REQUEST, lease(), lambda _: None)
    assert bridge.begun.acquire(timeout=5)
    bridge.futures[0].set_result(Answer(text="1,200円"))
    assert outcome.result(5).text == "1,200円"


def test_one_more_question_than_there_are_places_waits_for_its_turn(ask, runs, bridge, pool):
    first = ask(lease("a"))
    second = pool.submit(runs.answer, REQUEST, lease("b"), lambda _: None)
    assert len(bridge.futures) == 1
    bridge.futures[0].set_result(Answer(text="一"))
    assert bridge.begun.acquire(timeout=5)
    bridge.futures[1].set_result(Answer(text="二"))
    assert [first.result(5).text, second.result(5).text] == ["一", "二"]


def test_whoever_is_stopped_while_waiting_waits_no_longer(ask, runs, bridge, pool):
    first = ask(lease("a"))
    waiting = lease("b")
    waiting.stopped = True
    with pytest.raises(Stopped):
        pool.submit(runs.answer, REQUEST, waiting, lambda _: None).result(5)
    bridge.futures[0].set_result(Answer(text="一"))
    assert first.result(5).text == "一"
    assert len(bridge.futures) == 1
