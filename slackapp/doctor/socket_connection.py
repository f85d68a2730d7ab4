"""The Socket Mode connection: the app's token, the connection itself, and that both tokens are of one app."""

import threading
from collections.abc import Iterator
from typing import Any

from slack_sdk.socket_mode.builtin import SocketModeClient

from slackapp.doctor.findings import Examination, Finding, bad, good, skipped
from slackapp.doctor.slack_failures import explain
from slackapp.run.socket_client import connection_failure, sdk_log
from slackapp.run.socket_mode import NEEDED
from slackapp.slack.errors import SLACK_FAILURES

GREETING_SECONDS = 10.0


def check_socket(examination: Examination) -> Iterator[Finding]:
    """Open a connection as the app does, and wait for Slack's greeting.

    An event that Slack sends here in this moment is not acknowledged, so Slack sends it again to the app.
    """
    variable, prefix, place = NEEDED["slack_app_token"]
    token = examination.settings.slack_app_token.get_secret_value()
    if not token and examination.settings.slack_signing_secret.get_secret_value():
        yield skipped(f"Socket Mode: {variable} is not set, so Slack calls the app's address")
        return
    if not token.startswith(prefix):
        said = f"{variable} does not begin with {prefix}" if token else f"{variable} is not set"
        yield bad(said, f"Copy it from {place} at api.slack.com/apps into .env.")
        return
    greeting: list[dict[str, Any]] = []
    failures: list[str] = []
    greeted = threading.Event()

    def listen(_: Any, message: dict[str, Any], __: str | None) -> None:
        if message.get("type") == "hello":
            greeting.append(message)
            greeted.set()

    def note(error: Exception) -> None:
        failures.append(connection_failure(error))
        greeted.set()

    client = SocketModeClient(
        app_token=token,
        web_client=examination.client(),
        auto_reconnect_enabled=False,
        logger=sdk_log,
        on_error_listeners=[note],
    )
    client.message_listeners.append(listen)
    try:
        client.wss_uri = str(client.web_client.apps_connections_open(app_token=token)["url"])
        client.connect()
        if client.is_connected():
            greeted.wait(GREETING_SECONDS)
    except SLACK_FAILURES as error:
        yield explain(
            error,
            examination,
            f"{variable}: It needs connections:write, and Socket Mode must be on ({place}).",
        )
        return
    finally:
        client.close()
    if not greeting:
        reason = failures[0] if failures else "it was refused, or Slack was silent"
        yield bad(
            f"the Socket Mode connection cannot be opened: {reason}",
            "Outgoing WebSockets (wss://wss-primary.slack.com:443) must be allowed; behind a proxy set "
            "HTTPS_PROXY, and let it pass CONNECT.",
        )
        return
    count = greeting[0].get("num_connections", 1) - 1
    yield good(
        f"Socket Mode connects; {count} other connection{'' if count == 1 else 's'} of the app are open"
    )
    yield from _compare_apps(examination, str((greeting[0].get("connection_info") or {}).get("app_id") or ""))


def _compare_apps(examination: Examination, app_id: str) -> Iterator[Finding]:
    """Slack delivers nothing if the tokens are those of two apps, and says nothing either."""
    if not examination.identity or not app_id:
        return
    try:
        answer = examination.client().bots_info(bot=examination.identity.bot_id)
    except SLACK_FAILURES as error:
        yield skipped(f"whether both tokens are of one app: {explain(error, examination).said}")
        return
    other = str((answer.get("bot") or {}).get("app_id") or "")
    if other == app_id:
        yield good(f"both tokens are of the app {app_id}")
    else:
        yield bad(
            f"SLACK_BOT_TOKEN is of the app {other}, SLACK_APP_TOKEN of {app_id}",
            "Copy both from the same app at api.slack.com/apps: Slack sends events to the second one.",
        )
