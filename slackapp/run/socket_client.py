"""A Socket Mode client that notices a lost connection and opens another one.

The SDK's client takes up to a minute. It reads an ended connection as empty messages until five of its pings
have failed, and after a closing handshake it waits for its next round. Here the end of a connection is an
error at once, and one thread opens connections: the first try comes at once, the next ones after growing
pauses, or after as long as Slack asks for (`apps.connections.open` has a rate limit). A connection that ends
again soon after it was opened does not begin the pauses anew. What Slack could not deliver meanwhile it sends
again; a request's claim decides whether it was answered before.
"""

import logging
import re
import threading
import time
from collections.abc import Mapping
from typing import Any

from slack_sdk.socket_mode.builtin import SocketModeClient
from slack_sdk.web import WebClient

from slackapp.slack.client import NoFence, fenced
from slackapp.slack.errors import SLACK_FAILURES, RateLimited, post_error_from

log = logging.getLogger(__name__)

PING_SECONDS = 5.0
"""A server that is silent for four times as long counts as lost."""
CHECK_SECONDS = 0.2
PAUSES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds before each try; the last pause is repeated."""
REFUSED_SECONDS = 300.0
"""The pause when Slack refuses the token: an administrator must act."""
STEADY_SECONDS = 60.0
"""After this long, a connection that ends is tried anew without a pause."""


class ReconnectingClient(SocketModeClient):
    """The SDK's client; only its own thread opens connections after the first one."""

    def __init__(self, app_token: str, web_client: WebClient, *, concurrency: int = 10) -> None:
        super().__init__(
            app_token=app_token,
            web_client=web_client,
            ping_interval=PING_SECONDS,
            concurrency=concurrency,
            logger=sdk_log,
        )
        self._needed = threading.Event()
        """Set when another connection may be needed."""
        self._replaced = False
        """Whether Slack has asked for another connection."""
        self._reason = ""
        self._opened_at: float | None = None
        """None before the first connection is open."""
        self._opener = threading.Thread(target=self._keep_open, name="socket opener", daemon=True)

    def connect(self) -> None:
        """Open a connection. If that fails, the opener tries again; `is_connected` tells."""
        super().connect()
        session = self.current_session
        if session is not None and session.sock is not None:
            session.sock = _EndingSocket(session.sock)  # type: ignore[assignment]
            self._opened_at = time.monotonic()
        if not self._opener.is_alive() and not self.closed:
            # The opener itself waits and tries again.
            self.web_client = fenced(self.web_client, NoFence(), retries=False)
            self._opener.start()

    def connect_to_new_endpoint(self, force: bool = False) -> None:
        """Called by the SDK when Slack asks for another connection."""
        self._replaced |= force
        self._needed.set()

    def issue_new_wss_url(self) -> str:
        """The address of a connection; raises what the SDK raises, also for a rate limit."""
        return str(self.web_client.apps_connections_open(app_token=self.app_token)["url"])

    def close(self) -> None:
        self.closed = True
        self._needed.set()
        if self._opener.is_alive():
            self._opener.join()
        super().close()

    def _on_close(self, code: int, reason: str | None = None) -> None:
        self._note_loss(f"closed with {code}")

    def _on_error(self, error: Exception) -> None:
        self._note_loss(connection_failure(error))

    def _note_loss(self, reason: str) -> None:
        self._reason = reason
        self._needed.set()

    def _monitor_current_session(self) -> None:
        """Regularly: a ping, and whether the server still answers."""
        if self.current_session is not None:
            self.current_session.check_state()
        if not self.is_connected():
            self._note_loss(self._reason or "silent")

    def _keep_open(self) -> None:
        tries = 0
        while not self.closed:
            self._needed.wait(CHECK_SECONDS)  # the SDK ends a connection only after it has told of the end
            self._needed.clear()
            if self.closed or (self.is_connected() and not self._replaced):
                continue
            fields = {"reason": self._reason}
            if self._opened_at is None:
                _tell("socket_not_opened", "Slack cannot be reached over Socket Mode; trying again.", fields)
            elif self._replaced:
                _tell(
                    "socket_replaced", "Slack asked for another connection; opening it.", level=logging.INFO
                )
            else:
                _tell("socket_lost", "The connection to Slack was lost; opening another one.", fields)
            is_steady = self._opened_at is not None and time.monotonic() - self._opened_at >= STEADY_SECONDS
            tries = self._open_another(0 if is_steady or self._replaced else tries)

    def _open_another(self, tries: int) -> int:
        """Try until a connection is open; return the number of tries, which decides the next pause."""
        lost_at, pause = time.monotonic(), PAUSES[min(tries, len(PAUSES) - 1)]
        while not self._pause(pause):
            tries += 1
            pause, code = PAUSES[min(tries, len(PAUSES) - 1)], "not_connected"
            try:
                self.wss_uri = self.issue_new_wss_url()
                self.connect()
            except SLACK_FAILURES as error:
                failure = post_error_from(error)
                code = failure.code
                if isinstance(failure, RateLimited):
                    pause = max(pause, failure.retry_after)
                elif not failure.retryable:
                    pause = REFUSED_SECONDS
            if self.is_connected():
                self._replaced, self._reason = False, ""
                seconds = round(time.monotonic() - lost_at, 1)
                _tell("socket_reopened", "Connected to Slack.", {"tries": tries, "seconds": seconds})
                return tries
            fields = {"error_code": code, "reason": self._reason, "tries": tries, "next_seconds": pause}
            _tell("socket_not_reopened", "Slack could not be reached; trying again.", fields)
        return tries

    def _pause(self, seconds: float) -> bool:
        """Wait; whether the client was closed meanwhile."""
        until = time.monotonic() + seconds
        while not self.closed and (left := until - time.monotonic()) > 0:
            self._needed.wait(left)
            self._needed.clear()
        return self.closed


class _EndingSocket:
    """A socket whose end is an error, not an empty message: the SDK would read empty messages for ever."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def recv(self, size: int) -> bytes:
        received: bytes = self._inner.recv(size)
        if not received:
            raise ConnectionResetError("the server has ended the connection")
        return received

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def connection_failure(error: Exception) -> str:
    """Why a connection failed. The SDK's text quotes the proxy with its password: only its number is used."""
    refused = re.search(r"connect status code: ([0-9]{3})", str(error))
    return f"the proxy answered {refused[1]}" if refused else type(error).__name__


def _tell(
    event: str, sentence: str, fields: Mapping[str, Any] | None = None, level: int = logging.WARNING
) -> None:
    log.log(level, sentence, extra={"fields": {"event": event, **(fields or {})}})


sdk_log = logging.getLogger("slackapp.socket")
"""Where the SDK's clients of Socket Mode log."""
sdk_log.setLevel(logging.ERROR)  # at lower levels the SDK logs every ping and whole messages
# Lines about the connection are left out: this client tells of it in its own words.
sdk_log.addFilter(lambda record: record.funcName in ("run_message_listeners", "process_messages"))
