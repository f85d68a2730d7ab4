"""Attempts are repeated where that may help, and only there."""

import pytest

from fetcher.invoke import errors
from fetcher.invoke.context import InvocationConfig, InvocationContext, InvocationDeadline
from fetcher.invoke.errors import InvocationFailed, Throttled
from fetcher.invoke.reply import AgentReply
from fetcher.invoke.retry import pause_after, run_with_retries
from tests.fetcher.invoke.lambda_world import Time

DONE = AgentReply(output="done")


def _run(*outcomes, retries=3, seconds=30.0, chance=1.0):
    """The contexts of all attempts, the pauses between them, and how it ended."""
    time, seen, left = Time(), [], list(outcomes)

    def attempt(context):
        seen.append(context)
        outcome = left.pop(0)
        if isinstance(outcome, InvocationFailed):
            raise outcome
        return outcome

    context = InvocationContext(
        request_id="r",
        start_time=0.0,
        config=InvocationConfig(timeout=seconds, max_retries=retries, log_level="INFO"),
    )
    deadline = InvocationDeadline(at=time.now + seconds, monotonic=lambda: time.now)
    try:
        end, _ = run_with_retries(attempt, context, deadline, time.environment(chance))
    except InvocationFailed as failure:
        return seen, time.pauses, failure
    return seen, time.pauses, end


def test_a_success_is_not_repeated():
    seen, pauses, end = _run(DONE)
    assert (len(seen), pauses, end) == (1, [], DONE)


@pytest.mark.parametrize("kind", [errors.Throttled, errors.ServiceFailed])
def test_transient_failures_are_tried_again(kind):
    seen, pauses, end = _run(kind("a"), kind("b"), DONE)
    assert end is DONE
    assert pauses == [0.5, 1.0]
    assert [context.attempt for context in seen] == [1, 2, 3]
    assert [failure.message for failure in seen[-1].errors] == ["a", "b"]


@pytest.mark.parametrize(
    "kind", [errors.InvalidRequest, errors.AgentNotFound, errors.TimedOut, errors.Unclassified]
)
def test_other_failures_are_final(kind):
    seen, pauses, end = _run(kind("a"), DONE)
    assert (len(seen), pauses, end.message) == (1, [], "a")


@pytest.mark.parametrize("retries", range(6))
def test_max_retries_is_honoured(retries):
    """Each retry is one attempt more than the first."""
    seen, pauses, end = _run(*[Throttled(str(number)) for number in range(9)], retries=retries)
    assert len(seen) == retries + 1
    assert len(pauses) == retries
    assert end.message == str(retries)


def test_nothing_is_tried_again_after_the_agent_has_begun():
    seen, _, end = _run(Throttled("a", begun=True), DONE)
    assert (len(seen), end.message) == (1, "a")


def test_no_pause_goes_beyond_the_time_that_is_left():
    """What there is no time for is not waited for."""
    seen, pauses, end = _run(*[Throttled("busy")] * 6, retries=5, seconds=2.0)
    assert pauses == [0.5, 1.0]
    assert len(seen) == 3
    assert isinstance(end, Throttled)


@pytest.mark.parametrize(
    ("attempt", "least", "most"), [(1, 0.25, 0.5), (2, 0.5, 1), (3, 1, 2), (4, 2, 4), (5, 4, 8), (6, 4, 8)]
)
def test_pauses_grow_and_are_random_by_half(attempt, least, most):
    assert (pause_after(attempt, 0.0), pause_after(attempt, 1.0)) == (least, most)
