"""Functions that all listeners share."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from slack_bolt import Ack, BoltContext, BoltRequest

from slackapp.codes import IgnoreReason
from slackapp.listeners.incoming import Ignored
from slackapp.listeners.payloads import Body

log = logging.getLogger(__name__)

V = TypeVar("V")
Parse = Callable[[Body, str], V | Ignored]


def acknowledge(ack: Ack) -> None:
    """Slack waits three seconds for this, and for nothing else."""
    ack()


def our_user(context: BoltContext) -> str:
    return context.bot_user_id or ""


def is_first(request: BoltRequest) -> bool:
    """Whether Slack delivers this for the first time: over Socket Mode the number is then 0."""
    return (request.headers.get("x-slack-retry-num") or ["0"])[0] in ("", "0")


def is_request(parse: Parse[Any]) -> Callable[[dict[str, Any], BoltContext], bool]:
    """A matcher: whether the payload is a request to this app. Others are logged, without their text."""

    def matches(body: dict[str, Any], context: BoltContext) -> bool:
        parsed = parse(body, our_user(context))
        if isinstance(parsed, Ignored):
            level = logging.WARNING if parsed.reason is IgnoreReason.MALFORMED else logging.DEBUG
            fields = {"reason": parsed.reason, "event_id": body.get("event_id", "")}
            log.log(level, "ignored", extra={"fields": fields})
        return not isinstance(parsed, Ignored)

    return matches
