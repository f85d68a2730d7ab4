"""The Bolt app: signatures are checked, listeners listen, work is handed to a desk."""

import logging
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from slack_bolt import App, BoltContext
from slack_bolt.authorization import AuthorizeResult

from slackapp import listeners, messages_ja
from slackapp.desk import OpenDesk
from slackapp.settings import SlackSettings


def build_app(
    settings: SlackSettings, desk: OpenDesk, *, on_lambda: bool = False, executor: Executor | None = None
) -> App:
    """The app, before it is bound to Socket Mode, HTTP or Lambda."""
    token = settings.slack_bot_token.get_secret_value()

    def authorize(context: BoltContext) -> AuthorizeResult:
        """One workspace, one token. Slack says in the payload who we are, so that nobody needs to be asked:
        an `auth.test` that failed here would lose the event."""
        return AuthorizeResult(
            enterprise_id=context.enterprise_id,
            team_id=context.team_id,
            bot_token=token,
            bot_user_id=context.get("our_user"),
        )

    logger = logging.getLogger("slackapp.bolt")
    logger.setLevel(logging.ERROR)  # Bolt warns of the token that it finds and needs not
    app = App(
        name="slack-web-reader",
        logger=logger,
        process_before_response=on_lambda,
        signing_secret=settings.slack_signing_secret.get_secret_value(),
        before_authorize=note_our_user,
        authorize=authorize,
        user_facing_authorize_error_message=messages_ja.failed(),
        listener_executor=executor,
        attaching_conversation_kwargs_enabled=False,
    )
    logger.setLevel(logging.WARNING)
    listeners.register(app, desk)
    return app


def note_our_user(body: dict[str, Any], context: BoltContext, next_: Callable[[], None]) -> None:
    """Our own user id, as events carry it; commands and shortcuts have none and need none."""
    for authorization in body.get("authorizations") or ():
        if authorization.get("is_bot"):
            context["our_user"] = authorization.get("user_id")
            break
    next_()
