"""The Bolt app: signatures are checked, listeners listen, work is handed to a get_handler."""

import logging
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from slack_bolt import App, BoltContext
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.lazy_listener.thread_runner import ThreadLazyListenerRunner

from slackapp import messages_ja
from slackapp.listeners import registration
from slackapp.listeners.request_handler import GetRequestHandler


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """All that acknowledging needs of the settings, whose model takes longer to load than all the rest."""

    bot_token: str = field(repr=False)
    signing_secret: str = field(repr=False)


def build_app(
    credentials: Credentials,
    get_handler: GetRequestHandler,
    *,
    on_lambda: bool = False,
    executor: Executor | None = None,
) -> App:
    """The app, before it is bound to Socket Mode, HTTP or Lambda; `executor` runs what is asked."""

    def authorize(context: BoltContext) -> AuthorizeResult:
        """One workspace, one token. Slack says in the payload who we are, so that nobody needs to be asked:
        an `auth.test` that failed here would lose the event."""
        return AuthorizeResult(
            enterprise_id=context.enterprise_id,
            team_id=context.team_id,
            bot_token=credentials.bot_token,
            bot_user_id=context.get("our_user"),
        )

    logger = logging.getLogger("slackapp.bolt")
    logger.setLevel(logging.ERROR)  # Bolt warns of the token that it finds and needs not
    app = App(
        name="slack-web-reader",
        logger=logger,
        process_before_response=on_lambda,
        signing_secret=credentials.signing_secret,
        before_authorize=note_our_user,
        authorize=authorize,
        user_facing_authorize_error_message=messages_ja.failed(),
        attaching_conversation_kwargs_enabled=False,
    )
    logger.setLevel(logging.WARNING)
    if executor is not None:
        # Bolt's own threads acknowledge: an acknowledgement never waits for a question to be answered.
        app.listener_runner.lazy_listener_runner = ThreadLazyListenerRunner(logger=logger, executor=executor)
    registration.register(app, get_handler)
    return app


def note_our_user(body: dict[str, Any], context: BoltContext, next_: Callable[[], None]) -> None:
    """Our own user id, as events carry it; commands and shortcuts have none and need none."""
    for authorization in body.get("authorizations") or ():
        if authorization.get("is_bot"):
            context["our_user"] = authorization.get("user_id")
            break
    next_()
