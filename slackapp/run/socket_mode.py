"""The app over Socket Mode: no public address is needed.

The SDK's client opens a lost connection again. It notices one that ended without a closing handshake only by
its pings, after about half a minute. What Slack could not deliver meanwhile it sends again; a request's claim
decides whether it was answered before.
"""

import logging
import re
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk.socket_mode.builtin import SocketModeClient

from fetcher.settings import ConfigurationError
from slackapp.commands.whitelist import how_to_let_in
from slackapp.guard.effective_policy import effective_policy
from slackapp.run.health import HealthServer, model_of
from slackapp.run.wiring import LazyHandler, RunningApp
from slackapp.settings import SlackSettings
from slackapp.slack.client import Identity, NoFence, fenced, make_client
from slackapp.slack.errors import SLACK_FAILURES, post_error_from
from slackapp.stores.contract import StoreError, StoreUnavailable
from slackapp.stores.store import Store

log = logging.getLogger(__name__)
sdk_log = logging.getLogger("slackapp.socket")
sdk_log.setLevel(logging.ERROR)  # at lower levels the SDK logs every ping and whole messages
# The first two quote the proxy with its password, the third tells of each ping that fails. Our own
# `socket_failed` and `socket_lost` say the same.
sdk_log.addFilter(lambda record: record.funcName not in ("connect", "_on_error", "check_state"))

HELP = "see docs/deploy.md"
PING_SECONDS = 5.0
"""A server that is silent for four times as long counts as lost."""
CHECK_SECONDS = 0.5
"""How often the log looks whether the connection is open."""
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
        advice = "Check the network, the firewall and HTTPS_PROXY; `python -m slackapp doctor` tells more"
        return ConfigurationError(f"Slack cannot be reached at {place} ({failure}). {advice}.")
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
        stack.callback(client.close)
        health.is_connected = client.is_connected
        watch(client, over, partial(announce, identity, settings, environ, lazy_handler.store))


def watch(client: SocketModeClient, over: threading.Event, on_start: Callable[[], None]) -> None:
    """Call `on_start` once the connection is open, and log when it is lost, and when it is open again."""
    has_started, was_open = False, True
    while not over.is_set():
        is_open = client.is_connected()
        if is_open and not has_started:
            has_started = True
            on_start()
        elif is_open and not was_open:
            sentence = "Connected to Slack again."
            log.warning(sentence, extra={"fields": {"event": "socket_reopened"}})
        elif was_open and not is_open:
            sentence = "There is no connection to Slack; it is opened again."
            log.warning(sentence, extra={"fields": {"event": "socket_lost"}})
        was_open = is_open
        over.wait(CHECK_SECONDS)


def open_client(settings: SlackSettings, bolt: App) -> SocketModeClient:
    """Connect the app to Slack; raises ConfigurationError if Slack refuses the token."""
    client = make_socket(settings, bolt)
    try:
        client.wss_uri = make_client(settings).apps_connections_open(app_token=client.app_token)["url"]
    except SLACK_FAILURES as error:
        client.close()
        advice = "It needs connections:write, and Socket Mode must be on"
        raise _token_error(settings, error, "SLACK_APP_TOKEN", advice) from error
    client.connect()
    return client


def make_socket(settings: SlackSettings, bolt: App) -> SocketModeClient:
    """The SDK's client, which passes requests to the Bolt app; it is opened by `connect`."""
    client = SocketModeHandler(
        bolt,
        settings.slack_app_token.get_secret_value(),
        logger=sdk_log,
        web_client=fenced(make_client(settings), NoFence(), retries=False),  # the SDK itself tries again
        ping_interval=PING_SECONDS,
        concurrency=THREADS,
    ).client
    client.on_error_listeners.append(_tell_failure)
    return client


def _tell_failure(error: Exception) -> None:
    """Log why a connection failed: the number of a proxy's answer, or the name of the error."""
    refused = re.search(r"connect status code: ([0-9]{3})", str(error))
    reason = f"the proxy answered {refused[1]}" if refused else type(error).__name__
    sentence = "A connection to Slack failed; another one is opened."
    log.warning(sentence, extra={"fields": {"event": "socket_failed", "reason": reason}})


def announce(identity: Identity, settings: SlackSettings, environ: Mapping[str, str], store: Store) -> None:
    """Log the start line; if this workspace is not let in, say so loudly, with the command that mends it."""
    team = identity.team_id
    fields = {"event": "started", "team": team, "store": store_place(settings), "model": model_of(environ)}
    sentence = (
        f"Answering in Slack as {identity.bot_name} in {identity.team_name} ({team}), over Socket Mode."
    )
    try:
        policy = effective_policy(store, settings)
    except StoreUnavailable as error:
        log.info(sentence, extra={"fields": {**fields, "access": "unknown"}})
        log.error("store_unavailable", extra={"fields": {"error": str(error)}})
        return
    log.info(sentence, extra={"fields": {**fields, "access": policy.summary}})
    if policy.refusal(team=team):
        why = "the whitelist is empty" if policy.refuses_everyone else f"the whitelist does not list {team}"
        sentence = f"NO QUESTION WILL BE ANSWERED: {why}. To let this workspace in: {how_to_let_in(team)}"
        log.warning(sentence, extra={"fields": {"event": "whitelist_refuses_all"}})


def store_place(settings: SlackSettings) -> str:
    """Which store it is, and where."""
    is_file = settings.store_kind == "sqlite"
    return f"{settings.store_kind}, {settings.sqlite_file if is_file else settings.place_of('dedupe')}"
