"""The Bolt app: it verifies signatures and passes requests through the listeners to the handler."""

import logging
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from slack_bolt import App, BoltContext, BoltResponse
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.lazy_listener.thread_runner import ThreadLazyListenerRunner

from slackapp import wording
from slackapp.listeners import registration
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The settings that acknowledging needs. The whole model takes longer to load than everything else."""

    bot_token: str = field(repr=False)
    signing_secret: str = field(repr=False)
    read_reaction: str = ""
    """The reaction that reads the links of a message."""


def build_app(
    credentials: Credentials,
    get_handler: GetRequestHandler,
    *,
    acceptance: Acceptance | None = None,
    on_lambda: bool = False,
    executor: Executor | None = None,
) -> App:
    """The app, for Socket Mode, HTTP or Lambda; `executor` runs the listeners' work.

    `acceptance` decides about requests before they are acknowledged. On Lambda another function does, and
    signatures were checked before: Bolt rejects those that are some minutes old.
    """

    def authorize(context: BoltContext) -> AuthorizeResult:
        """One workspace, one token. The payload has the app's own user, so Slack is not asked here: a failed
        `auth.test` would lose the event."""
        return AuthorizeResult(
            enterprise_id=context.enterprise_id,
            team_id=context.team_id,
            bot_token=credentials.bot_token,
            bot_user_id=context.get("our_user"),
        )

    logger = logging.getLogger("slackapp.bolt")
    logger.setLevel(logging.ERROR)  # Bolt warns of a token in the environment that it does not need
    app = App(
        name="slack-web-reader",
        logger=logger,
        process_before_response=on_lambda,
        signing_secret=credentials.signing_secret,
        request_verification_enabled=not on_lambda,
        before_authorize=store_own_user,
        authorize=authorize,
        user_facing_authorize_error_message=wording.failed(),
        attaching_conversation_kwargs_enabled=False,
    )
    logger.setLevel(logging.WARNING)
    if executor is not None:
        # Bolt's own threads acknowledge, so an acknowledgement never waits for an answer.
        app.listener_runner.lazy_listener_runner = ThreadLazyListenerRunner(logger=logger, executor=executor)
    app.use(note_limited_events)
    registration.register(app, get_handler, acceptance, read_reaction=credentials.read_reaction)
    return app


def store_own_user(body: dict[str, Any], context: BoltContext, next_: Callable[[], None]) -> None:
    """Put the app's own user id, which events have, into the context; commands and shortcuts need none."""
    for authorization in body.get("authorizations") or ():
        if authorization.get("is_bot"):
            context["our_user"] = authorization.get("user_id")
            break
    next_()


def note_limited_events(body: dict[str, Any], next_: Callable[[], None]) -> BoltResponse | None:
    """Log that Slack leaves out events for a time: questions are lost without any other sign.

    It is no `event_callback`, so no listener of Bolt takes it (docs.slack.dev, event `app_rate_limited`).
    """
    if body.get("type") == "app_rate_limited":
        fields = {"team": body.get("team_id"), "minute": body.get("minute_rate_limited")}
        log.warning("events_limited", extra={"fields": fields})
        return BoltResponse(status=200, body="")
    next_()
    return None
