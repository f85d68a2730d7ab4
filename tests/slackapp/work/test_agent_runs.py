"""Questions that the agent works on, how they end early, and the bridge to the agent's loop."""

import asyncio
import logging
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from fetcher.agent import Answer, AskRequest, Limits
from slackapp.work.agent_runs import AgentCancelled, Bridge, Interrupted, Runs, Stopped
from slackapp.work.lease import ClaimLost

REQUEST = AskRequest(question="いくら？")


class Busy:
    """Answers when it is let, and tells how it ended."""

    def __init__(self):
        self.begun, self.cancelled = threading.Event(), threading.Event()
        self.closed = 0
        self.loops = set()

    async def ask(self, request, on_progress):
        self.loops.add(asyncio.get_running_loop())
        self.begun.set()
        if request.question == "待って":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled.set()
                raise
        return Answer(text=request.question)

    async def aclose(self):
        self.closed += 1


@pytest.fixture
def agent():
    return Busy()


@pytest.fixture
def bridge(agent):
    opened = Bridge(lambda: agent)
    yield opened
    opened.close()


def test_questions_of_several_threads_are_answered_on_one_loop(bridge, agent):
    futures = [bridge.ask(REQUEST) for _ in range(5)]
    assert [future.result(60).text for future in futures] == ["いくら？"] * 5
    assert len(agent.loops) == 1


def test_a_cancelled_question_stops_the_agent(bridge, agent):
    future = bridge.ask(AskRequest(question="待って"))
    assert agent.begun.wait(60)
    future.cancel()
    assert agent.cancelled.wait(60)
    assert bridge.ask(REQUEST).result(60).text == "いくら？"


def test_closing_cuts_off_what_runs_and_hangs_up_once(bridge, agent):
    future = bridge.ask(AskRequest(question="待って"))
    assert agent.begun.wait(60)
    bridge.close()
    bridge.close()
    with pytest.raises(CancelledError):
        future.result(60)
    assert agent.closed == 1


@pytest.mark.parametrize("last_words", ["hangs", "breaks"])
def test_an_agent_that_does_not_close_delays_no_one_for_long(monkeypatch, caplog, last_words):
    """The process has a store to close afterwards."""

    class Rude(Busy):
        async def aclose(self):
            if last_words == "breaks":
                raise RuntimeError("no")
            await asyncio.Event().wait()

    monkeypatch.setattr("slackapp.work.agent_runs.CLOSE_SECONDS", 0.05)
    bridge = Bridge(Rude)
    assert bridge.ask(REQUEST).result(60).text == "いくら？"
    with caplog.at_level(logging.WARNING):
        bridge.close()
    assert [record.message for record in caplog.records] == ["agent_not_closed"]


def test_a_question_after_the_end_is_not_begun(bridge, agent):
    """A process that is about to end must not begin anew."""
    bridge.close()
    with pytest.raises(CancelledError):
        bridge.ask(REQUEST).result(60)
    assert not agent.begun.is_set()


def test_an_agent_that_could_not_be_opened_is_opened_with_the_next_question(agent):
    attempts = iter([ValueError("no key"), agent])

    def opened():
        attempt = next(attempts)
        if isinstance(attempt, Exception):
            raise attempt
        return attempt

    bridge = Bridge(opened)
    with pytest.raises(ValueError, match="no key"):
        bridge.ask(REQUEST).result(60)
    assert bridge.ask(REQUEST).result(60).text == "いくら？"
    bridge.close()


def test_an_unused_bridge_is_closed_without_an_agent():
    Bridge(lambda: pytest.fail("opened")).close()


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
def answers():
    return Asked()


@pytest.fixture
def runs(answers):
    return Runs(answers, threading.BoundedSemaphore(1), Limits())


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as threads:
        yield threads


@pytest.fixture
def ask(runs, answers, pool):
    """Asks in another thread, and waits until the agent has begun."""

    def asked(held):
        outcome = pool.submit(runs.answer, REQUEST, held, lambda _: None)
        assert answers.begun.acquire(timeout=60)
        return outcome

    return asked


def test_the_answer_is_what_the_agent_says(ask, answers):
    outcome = ask(lease())
    answers.futures[0].set_result(Answer(text="千円です。"))
    assert outcome.result(60).text == "千円です。"


def test_what_the_agent_raises_is_raised(ask, answers):
    outcome = ask(lease())
    answers.futures[0].set_exception(ValueError("x"))
    with pytest.raises(ValueError, match="x"):
        outcome.result(60)


def test_a_run_whose_lease_hears_of_a_stop_ends_at_once(ask, answers):
    held = lease()
    outcome = ask(held)
    assert held.watched.wait(60)
    held.stopped = True
    held.on_stop()
    with pytest.raises(Stopped):
        outcome.result(60)
    assert answers.futures[0].cancelled()


@pytest.mark.parametrize(
    ("flag", "raised"),
    [("stopped", Stopped), ("lost", ClaimLost), ("closing", Interrupted), (None, AgentCancelled)],
)
def test_a_cancelled_run_says_why(ask, answers, flag, raised):
    """A user stopped it, another worker has the claim, the process ends, or the agent itself gave it up."""
    held = lease()
    outcome = ask(held)
    if flag == "closing":
        answers.closing.set()
    elif flag:
        setattr(held, flag, True)
    answers.futures[0].cancel()
    with pytest.raises(raised):
        outcome.result(60)


@pytest.mark.parametrize(("flag", "raised"), [("stopped", Stopped), ("lost", ClaimLost)])
def test_a_run_that_was_over_before_it_began_is_cancelled(ask, flag, raised):
    held = lease()
    setattr(held, flag, True)
    with pytest.raises(raised):
        ask(held).result(60)


def test_whoever_has_to_wait_long_is_not_sent_away(answers, pool):
    class Places(threading.Semaphore):
        """Free at the third look, without waiting."""

        looks = iter((False, False, True))

        def acquire(self, blocking=True, timeout=None):
            return next(self.looks)

    runs = Runs(answers, Places(), Limits())
    outcome = pool.submit(runs.answer, REQUEST, lease(), lambda _: None)
    assert answers.begun.acquire(timeout=60)
    answers.futures[0].set_result(Answer(text="1,200円"))
    assert outcome.result(60).text == "1,200円"


def test_one_more_question_than_there_are_places_waits_for_its_turn(ask, runs, answers, pool):
    first = ask(lease("a"))
    second = pool.submit(runs.answer, REQUEST, lease("b"), lambda _: None)
    assert len(answers.futures) == 1
    answers.futures[0].set_result(Answer(text="一"))
    assert answers.begun.acquire(timeout=60)
    answers.futures[1].set_result(Answer(text="二"))
    assert [first.result(60).text, second.result(60).text] == ["一", "二"]


def test_whoever_is_stopped_while_waiting_waits_no_longer(ask, runs, answers, pool):
    first = ask(lease("a"))
    waiting = lease("b")
    waiting.stopped = True
    with pytest.raises(Stopped):
        pool.submit(runs.answer, REQUEST, waiting, lambda _: None).result(60)
    answers.futures[0].set_result(Answer(text="一"))
    assert first.result(60).text == "一"
    assert len(answers.futures) == 1
