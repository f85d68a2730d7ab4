"""What failures of AWS mean to the caller of an invocation, and how to stop reading a stream of AWS."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from fetcher import aws, logs
from fetcher.aws import AwsFailed, AwsFault
from fetcher.invoke.backends.contract import TimeLimit
from fetcher.invoke.response import (
    AgentNotFound,
    InvalidRequest,
    InvocationFailed,
    ServiceFailed,
    Throttled,
    TimedOut,
    Unclassified,
)

READ_SECONDS = 65
"""Longer than any invocation: its own deadline comes first."""

MEANINGS: dict[AwsFault, tuple[type[InvocationFailed], str]] = {
    AwsFault.INVALID: (InvalidRequest, "The service refused the request"),
    AwsFault.NOT_FOUND: (
        AgentNotFound,
        "The agent or its alias does not exist. Check agentId, agentAliasId and the region.",
    ),
    AwsFault.SETUP: (
        Unclassified,
        "The function may not invoke this agent, or is not set up for it. See its log.",
    ),
    AwsFault.THROTTLED: (
        Throttled,
        "Too many requests at the moment. Try again later, or raise the service's quota.",
    ),
    AwsFault.SERVICE: (ServiceFailed, "The service failed. Try again later."),
    AwsFault.TIMED_OUT: (TimedOut, "The service stopped answering. Try again later."),
    AwsFault.DISCONNECTED: (ServiceFailed, "The connection to the service broke. Try again later."),
}
MEANINGS |= {
    AwsFault.QUOTA: MEANINGS[AwsFault.THROTTLED],
    AwsFault.UNKNOWN: MEANINGS[AwsFault.SETUP],
}


@contextlib.contextmanager
def translating(limit: TimeLimit) -> Iterator[None]:
    """Turns every failure of AWS into an InvocationFailed."""
    try:
        with aws.translating():
            yield
    except AwsFailed as failure:
        raise translated(failure, begun=limit.begun) from failure


def translated(failure: AwsFailed, *, begun: bool = False) -> InvocationFailed:
    """What a failure of AWS means to the caller."""
    kind, message = MEANINGS[failure.fault]
    if failure.words is None:
        return kind(message, detail="" if kind is TimedOut else str(failure), begun=begun)
    words = logs.shortened(failure.words)
    if kind is InvalidRequest:  # only AWS knows what is to be changed
        message, words = f"{message}: {words}", ""
    # Missing rights are named for the log; other messages may quote what the user or an action said.
    detail = words if kind is Unclassified else ""
    return kind(message, code=failure.name or None, detail=detail, begun=begun)


def hanging_up(body: Any) -> Callable[[], None]:
    """How to stop reading a stream from another thread.

    Closing it would wait for the read in progress. Only urllib3's `shutdown` ends that, and botocore's
    streams keep the response that has it to themselves.
    """
    shutdown = getattr(getattr(body, "_raw_stream", None), "shutdown", None)

    def hang_up() -> None:
        with contextlib.suppress(OSError, ValueError):  # the stream has ended by itself
            if shutdown:
                shutdown()

    return hang_up
