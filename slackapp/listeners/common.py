"""Functions that all listeners share."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from slack_bolt import Ack, BoltContext, BoltRequest, BoltResponse

from slackapp.codes import IgnoreReason
from slackapp.listeners.incoming import Ignored
from slackapp.listeners.payloads import Body

log = logging.getLogger(__name__)

V = TypeVar("V")
Parse = Callable[[Body, str], V | Ignored]
Decide = Callable[[V, bool], bool]
"""Whether it is decided what becomes of a request; the second argument says that Slack repeats it no more."""

LAST_RETRY = 3
"""Slack delivers an event again three times, if it is not acknowledged."""
UNDECIDED = 503
QUESTION = "answer_later"
"""The name of the lazy function that answers a question; other requests have other names."""


def acknowledge(ack: Ack) -> None:
    """Slack waits three seconds for this, and for nothing else."""
    ack()


def listen(
    register: Callable[..., Any],
    parse: Parse[V],
    handle: Callable[[V], None],
    decide: Decide[V] | None = None,
    *,
    matches: Parse[Any] | None = None,
    ack: Callable[..., None] = acknowledge,
    is_repeated: bool = True,
    name: str = QUESTION,
) -> None:
    """Listen with `register`, a method of Bolt's app and its constraint, for what `matches` or `parse` takes.

    With `decide`, a request is acknowledged only once it is decided what becomes of it; what Slack does not
    repeat is acknowledged in any case. Bolt acknowledges an event before any listener function runs, and
    does not wait for `ack`. A response of listener middleware ends the request instead: if it is not 200,
    the event is not acknowledged, also over Socket Mode, and Slack delivers it again.

    Without `decide`, a lazy function of this name handles the request after it is acknowledged; on Lambda
    that is another invocation.
    """

    def handle_later(body: dict[str, Any], context: BoltContext) -> None:
        parsed = parse(body, context.bot_user_id or "")
        if not isinstance(parsed, Ignored):
            handle(parsed)

    def decide_first(
        body: dict[str, Any], context: BoltContext, request: BoltRequest, next_: Callable[[], None]
    ) -> BoltResponse | None:
        parsed = parse(body, context.bot_user_id or "")
        # The first delivery has no number; over Socket Mode it has 0.
        [number, *_] = request.headers.get("x-slack-retry-num") or [""]
        last = not is_repeated or (number.isdecimal() and int(number) >= LAST_RETRY)
        if decide and not isinstance(parsed, Ignored) and not decide(parsed, last) and not last:
            return BoltResponse(status=UNDECIDED, body="")
        next_()
        return None

    matchers = [is_request(matches or parse)]
    if decide is None:
        handle_later.__name__ = name
        register(matchers=matchers)(ack=ack, lazy=[handle_later])
    else:
        register(matchers=matchers, middleware=[decide_first])(ack)


def is_request(parse: Parse[Any]) -> Callable[[dict[str, Any], BoltContext], bool]:
    """A matcher: whether the payload is a request to this app. Others are logged, without their text."""

    def matches(body: dict[str, Any], context: BoltContext) -> bool:
        parsed = parse(body, context.bot_user_id or "")
        if isinstance(parsed, Ignored):
            level = logging.WARNING if parsed.reason is IgnoreReason.MALFORMED else logging.DEBUG
            fields = {"reason": parsed.reason, "event_id": body.get("event_id", "")}
            log.log(level, "ignored", extra={"fields": fields})
        return not isinstance(parsed, Ignored)

    return matches
