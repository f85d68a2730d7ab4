"""An agent is asked again where that may help, and given up when its time is over."""

import threading

import pytest

from fetcher.invoke import response
from fetcher.invoke.backends.contract import AgentCall, TimeLimit, invoke_within_time
from fetcher.invoke.invoker import Invoker, pause_after
from fetcher.invoke.request import AgentInvocationRequest
from fetcher.invoke.response import AgentReply, Throttled, TimedOut
from fetcher.invoke.settings import InvokeSettings
from tests.fetcher.invoke.lambda_world import LambdaContext, Time, asking


class Scripted:
    """Fails as it is told, then answers."""

    def __init__(self, *failures):
        self.left, self.calls = list(failures), 0

    def invoke(self, call, limit):
        self.calls += 1
        if self.left:
            raise self.left.pop(0)
        return AgentReply(output="done")


def _run(*failures, chance=1.0, **changes):
    """How often the agent was asked, the pauses between, and the answer."""
    time, agent = Time(), Scripted(*failures)
    invoker = Invoker(InvokeSettings, lambda _: agent, time.environment(chance))
    answer = invoker.answer(asking(**changes), LambdaContext())
    return agent.calls, time.pauses, answer.get("errorMessage", answer["status"])


def test_a_success_is_not_repeated():
    assert _run() == (1, [], "success")


@pytest.mark.parametrize("kind", [response.Throttled, response.ServiceFailed])
def test_transient_failures_are_tried_again(kind):
    assert _run(kind("a"), kind("b")) == (3, [0.5, 1.0], "success")


@pytest.mark.parametrize(
    "kind", [response.InvalidRequest, response.AgentNotFound, response.TimedOut, response.Unclassified]
)
def test_other_failures_are_final(kind):
    assert _run(kind("a")) == (1, [], "a")


@pytest.mark.parametrize("retries", [0, 1, 5])
def test_max_retries_is_honoured(retries):
    """Each retry is one attempt more than the first."""
    calls, pauses, told = _run(*[Throttled(str(n)) for n in range(9)], maxRetries=retries, timeout=60)
    assert (calls, len(pauses), told) == (retries + 1, retries, str(retries))


def test_nothing_is_tried_again_after_the_agent_has_begun():
    calls, pauses, told = _run(Throttled("a", begun=True))
    assert (calls, pauses) == (1, [])
    assert "twice" in told


def test_no_pause_goes_beyond_the_time_that_is_left():
    """What there is no time for is not waited for."""
    assert _run(*[Throttled("busy")] * 6, maxRetries=5, timeout=2) == (3, [0.5, 1.0], "busy")


@pytest.mark.parametrize(("attempt", "least", "most"), [(1, 0.25, 0.5), (2, 0.5, 1), (5, 4, 8), (6, 4, 8)])
def test_pauses_grow_and_are_random_by_half(attempt, least, most):
    assert (pause_after(attempt, 0.0), pause_after(attempt, 1.0)) == (least, most)


class Working:
    """A backend that works until it is stopped."""

    def __init__(self, *, begun):
        self._begun, self.ended = begun, threading.Event()

    def invoke(self, call, limit):
        stopped = threading.Event()
        limit.begun = self._begun
        limit.attach(stopped.set)
        stopped.wait(60)
        self.ended.set()
        return AgentReply(output="late")


def _call(seconds):
    request = AgentInvocationRequest.from_payload(asking())
    return AgentCall(request=request, session_id="s", request_id="r", seconds=seconds)


@pytest.mark.parametrize("begun", [False, True])
def test_late_work_is_stopped_and_retryable_only_if_nothing_had_begun(begun):
    """The caller leaves in time, and the work ends too."""
    backend = Working(begun=begun)
    with pytest.raises(TimedOut) as caught:
        invoke_within_time(backend, _call(0.05))
    assert caught.value.retryable is not begun
    assert ("Try again" in caught.value.message, "twice" in caught.value.message) == (not begun, begun)
    assert backend.ended.wait(60)


def test_work_that_attaches_too_late_is_stopped_at_once():
    limit, calls = TimeLimit(), []
    limit.expire()
    limit.attach(lambda: calls.append(1))
    assert calls == [1]


def test_without_time_nothing_is_begun():
    agent = Scripted()
    with pytest.raises(TimedOut):
        invoke_within_time(agent, _call(0))
    assert agent.calls == 0
