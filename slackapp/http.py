"""The Bolt app behind a plain HTTP server: what the playground and the tests send Slack's requests to."""

import logging
import re
from collections.abc import Sequence

from slack_bolt import App, BoltRequest, BoltResponse

from fetcher.loopback import LocalHandler, LocalServer

log = logging.getLogger(__name__)

Headers = dict[str, str | Sequence[str]]

MAX_BODY_BYTES = 1024 * 1024
"""More than Slack ever sends."""


class HttpServer(LocalServer):
    """Serves an app on loopback until it is closed."""

    def __init__(self, app: App) -> None:
        super().__init__(_handler_of(app), name="slack-http")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/slack/events"


def _handler_of(app: App) -> type[LocalHandler]:
    class Handler(LocalHandler):
        def do_POST(self) -> None:  # noqa: N802  # the base class has it so
            body = self._body()
            headers: Headers = {name.lower(): value for name, value in self.headers.items()}
            response = dispatch(app, body, headers) if body is not None else BoltResponse(status=413)
            self.reply(response.status, response.first_headers_without_set_cookie(), response.body.encode())

        def _body(self) -> str | None:
            """What was sent; None when it is too long to be Slack's."""
            length = self.headers.get("Content-Length", "")
            if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MAX_BODY_BYTES:
                self.close_connection = True
                return None
            return self.rfile.read(int(length)).decode("utf-8", "replace")

    return Handler


def dispatch(app: App, body: str, headers: Headers) -> BoltResponse:
    """The app's response; what cannot be parsed never reaches it."""
    try:
        request = BoltRequest(body=body, headers=headers)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        log.warning("unreadable_request", extra={"fields": {"bytes": len(body)}})
        return BoltResponse(status=400, body="")
    return app.dispatch(request)
