"""The bridge between Slack's threads and the agent's loop."""

import asyncio
import logging
import threading
from concurrent.futures import CancelledError

import pytest

from fetcher.agent import Answer, AskRequest
from slackapp.work.agent_bridge import Bridge

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
    assert [future.result(5).text for future in futures] == ["いくら？"] * 5
    assert len(agent.loops) == 1


def test_a_cancelled_question_stops_the_agent(bridge, agent):
    future = bridge.ask(AskRequest(question="待って"))
    assert agent.begun.wait(5)
    future.cancel()
    assert agent.cancelled.wait(5)
    assert bridge.ask(REQUEST).result(5).text == "いくら？"


def test_closing_cuts_off_what_runs_and_hangs_up_once(bridge, agent):
    future = bridge.ask(AskRequest(question="待って"))
    assert agent.begun.wait(5)
    bridge.close()
    bridge.close()
    with pytest.raises(CancelledError):
        future.result(5)
    assert agent.closed == 1


@pytest.mark.parametrize("last_words", ["hangs", "breaks"])
def test_an_agent_that_does_not_close_delays_no_one_for_long(monkeypatch, caplog, last_words):
    """The process has a store to close afterwards."""

    class Rude(Busy):
        async def aclose(self):
            if last_words == "breaks":
                raise RuntimeError("no")
            await asyncio.Event().wait()

    monkeypatch.setattr("slackapp.work.agent_bridge.CLOSE_SECONDS", 0.05)
    bridge = Bridge(Rude)
    assert bridge.ask(REQUEST).result(5).text == "いくら？"
    with caplog.at_level(logging.WARNING):
        bridge.close()
    assert [record.message for record in caplog.records] == ["agent_not_closed"]


def test_a_question_after_the_end_is_not_begun(bridge, agent):
    """A process that is about to end must not begin anew."""
    bridge.close()
    with pytest.raises(CancelledError):
        bridge.ask(REQUEST).result(5)
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
        bridge.ask(REQUEST).result(5)
    assert bridge.ask(REQUEST).result(5).text == "いくら？"
    bridge.close()


def test_an_unused_bridge_is_closed_without_an_agent():
    Bridge(lambda: pytest.fail("opened")).close()
