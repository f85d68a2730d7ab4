"""The app over Socket Mode: no public address is needed."""

import logging
import signal
import threading
from collections.abc import Mapping
from types import FrameType

from slack_bolt.adapter.socket_mode import SocketModeHandler

from fetcher.settings import ConfigurationError
from slackapp.run.wiring import LazyHandler, RunningApp
from slackapp.settings import SlackSettings
from slackapp.slack.client import make_client
from slackapp.slack.errors import SLACK_FAILURES, post_error_from
from slackapp.stores.contract import StoreError

log = logging.getLogger(__name__)

WHERE = "see docs/deploy.md"
NEEDED = {
    "slack_bot_token": ("SLACK_BOT_TOKEN", "xoxb-", "OAuth & Permissions > Bot User OAuth Token"),
    "slack_app_token": (
        "SLACK_APP_TOKEN",
        "xapp-",
        "Basic Information > App-Level Tokens (connections:write)",
    ),
}
"""The tokens, how they begin, and where Slack shows them."""


def check(settings: SlackSettings) -> None:
    """Raises ConfigurationError with what to do about a token that is missing or is no token."""
    for name, (variable, prefix, place) in NEEDED.items():
        token = getattr(settings, name).get_secret_value()
        if not token:
            raise ConfigurationError(f"{variable} is not set. Copy it from {place}; {WHERE}.")
        if not token.startswith(prefix):
            raise ConfigurationError(f"{variable} should begin with {prefix}. Copy it from {place}; {WHERE}.")


def introduce(settings: SlackSettings) -> str:
    """Who we are to Slack; raises ConfigurationError where Slack does not take the token."""
    try:
        answer = make_client(settings).auth_test()
    except SLACK_FAILURES as error:
        mend = "Install the app again and copy its token"
        raise _refused(settings, error, "SLACK_BOT_TOKEN", mend) from error
    return f"{answer.get('user')} in {answer.get('team')}"


def _refused(settings: SlackSettings, error: Exception, variable: str, mend: str) -> ConfigurationError:
    """What to do: a Slack that does not answer says nothing about the token."""
    failure = post_error_from(error)
    if failure.retryable:
        place = settings.slack_api_url
        return ConfigurationError(f"Slack cannot be reached at {place} ({failure}). Check the network.")
    return ConfigurationError(f"Slack does not accept {variable} ({failure.code}). {mend}; {WHERE}.")


def serve(
    settings: SlackSettings, environ: Mapping[str, str], *, until: threading.Event | None = None
) -> None:
    """Answers until a signal comes, or `until` is set."""
    over = until or threading.Event()
    lazy_handler = LazyHandler(settings, environ=environ)
    _open(lazy_handler)
    with RunningApp(lazy_handler) as running:
        handler = SocketModeHandler(
            running.bolt, settings.slack_app_token.get_secret_value(), web_client=make_client(settings)
        )
        try:
            handler.connect()  # type: ignore[no-untyped-call]
        except SLACK_FAILURES as error:
            mend = "It needs connections:write, and Socket Mode must be on"
            raise _refused(settings, error, "SLACK_APP_TOKEN", mend) from error
        _on_signals(over)
        over.wait()
        handler.close()  # type: ignore[no-untyped-call]


def _open(lazy_handler: LazyHandler) -> None:
    """Opens what answers, before Slack hears that anybody listens; raises ConfigurationError."""
    try:
        lazy_handler.get()
    except StoreError as error:
        raise ConfigurationError(f"The store cannot be opened: {error}") from error


def _on_signals(over: threading.Event) -> None:
    if threading.current_thread() is not threading.main_thread():
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        over.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
