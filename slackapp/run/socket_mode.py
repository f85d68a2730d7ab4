"""The app over Socket Mode: no public address is needed."""

import logging
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack

from slack_bolt import App
from slack_bolt.adapter.socket_mode.internals import run_bolt_app, send_response
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from fetcher.settings import ConfigurationError
from slackapp.run.health import HealthServer
from slackapp.run.socket_client import ReconnectingClient
from slackapp.run.start_line import announce
from slackapp.run.wiring import LazyHandler, RunningApp
from slackapp.settings import SlackSettings
from slackapp.slack.client import Identity, make_client
from slackapp.slack.errors import SLACK_FAILURES, post_error_from
from slackapp.stores.contract import StoreError

log = logging.getLogger(__name__)

HELP = "see docs/deploy.md"
CONNECTING_SECONDS = 0.1
"""How often a connection that is being opened is looked at."""
THREADS = 200
"""Requests that are handled at a time. Those that wait for the store are fewer (`work/acceptance.py`)."""
NEEDED = {
    "slack_bot_token": ("SLACK_BOT_TOKEN", "xoxb-", "OAuth & Permissions > Bot User OAuth Token"),
    "slack_app_token": (
        "SLACK_APP_TOKEN",
        "xapp-",
        "Basic Information > App-Level Tokens (connections:write)",
    ),
}
"""The tokens, their prefixes, and where Slack shows them."""


def check_tokens(settings: SlackSettings) -> None:
    """Raise ConfigurationError with advice if a token is missing or has the wrong form."""
    for name, (variable, prefix, place) in NEEDED.items():
        token = getattr(settings, name).get_secret_value()
        if not token:
            raise ConfigurationError(f"{variable} is not set. Copy it from {place}; {HELP}.")
        if not token.startswith(prefix):
            raise ConfigurationError(f"{variable} should begin with {prefix}. Copy it from {place}; {HELP}.")


def identify(settings: SlackSettings) -> Identity:
    """Ask Slack who the bot is; raises ConfigurationError if Slack refuses the token."""
    try:
        answer = make_client(settings).auth_test()
    except SLACK_FAILURES as error:
        advice = "Install the app again and copy its token"
        raise _token_error(settings, error, "SLACK_BOT_TOKEN", advice) from error
    return Identity.from_answer(answer)


def _token_error(settings: SlackSettings, error: Exception, variable: str, advice: str) -> ConfigurationError:
    """An error with advice; if Slack does not answer, the token may be right."""
    failure = post_error_from(error)
    if failure.retryable:
        place = settings.slack_api_url
        return ConfigurationError(f"Slack cannot be reached at {place} ({failure}). Check the network.")
    return ConfigurationError(f"Slack does not accept {variable} ({failure.code}). {advice}; {HELP}.")


def serve(
    settings: SlackSettings, environ: Mapping[str, str], *, until: threading.Event | None = None
) -> None:
    """Answer until a signal arrives, or `until` is set."""
    over = until or threading.Event()
    lazy_handler = LazyHandler(settings, environ=environ)
    health, address = lazy_handler.health, settings.health_address
    health.is_connected = lambda: False
    with ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            # From the start: the first process of a container would else ignore them.
            for number in (signal.SIGINT, signal.SIGTERM):
                before = signal.signal(number, lambda _number, _frame: over.set())
                stack.callback(signal.signal, number, before)
        try:
            lazy_handler.get()  # built before the app connects to Slack, so that errors show at once
        except StoreError as error:
            raise ConfigurationError(f"The store cannot be opened: {error}") from error
        identity = identify(settings)
        running = stack.enter_context(RunningApp(lazy_handler))
        if address:
            stack.enter_context(HealthServer(address, health))
        client = open_client(settings, running.bolt)
        health.is_connected = client.is_connected
        while not client.is_connected() and not over.wait(CONNECTING_SECONDS):
            pass  # the client says itself why, and tries again
        if not over.is_set():
            announce(identity, settings, environ, lazy_handler.store)
        over.wait()
        client.close()


def open_client(settings: SlackSettings, bolt: App) -> ReconnectingClient:
    """Connect the app to Slack; raises ConfigurationError if Slack refuses the token."""
    client = make_socket(settings, bolt)
    try:
        client.connect()
    except SLACK_FAILURES as error:
        advice = "It needs connections:write, and Socket Mode must be on"
        raise _token_error(settings, error, "SLACK_APP_TOKEN", advice) from error
    return client


def make_socket(settings: SlackSettings, bolt: App) -> ReconnectingClient:
    """A connection that passes requests to the Bolt app; it is opened by `connect`."""
    token = settings.slack_app_token.get_secret_value()
    client = ReconnectingClient(token, make_client(settings), concurrency=THREADS)

    def handle(_: BaseSocketModeClient, request: SocketModeRequest) -> None:
        """As Bolt's own handler does, which always uses the SDK's client."""
        began = time.time()
        send_response(client, request, run_bolt_app(bolt, request), began)

    client.socket_mode_request_listeners.append(handle)
    return client
