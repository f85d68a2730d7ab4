"""The Bolt app behind a plain HTTP server: what the playground and the tests send Slack's requests to."""

import logging
import re

from slack_bolt import App, BoltResponse

from fetcher.loopback import LocalHandler, LocalServer
from slackapp.run.signed_requests import (
    MAX_BODY_BYTES,
    Received,
    RequestRejected,
    admitted,
    from_outside,
    joined,
)

log = logging.getLogger(__name__)


class SlackRequestServer(LocalServer):
    """Serves an app on loopback until it is closed."""

    def __init__(self, app: App, signing_secret: str) -> None:
        super().__init__(_handler_of(app, signing_secret), name="slack-http")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/slack/events"


def _handler_of(app: App, signing_secret: str) -> type[LocalHandler]:
    class Handler(LocalHandler):
        def do_POST(self) -> None:  # noqa: N802  # the base class has it so
            try:
                headers = from_outside(joined(self.headers.items()))
                received = Received(body=self._body(), headers=headers)
                response = app.dispatch(admitted(received, lambda: signing_secret))
            except RequestRejected as rejected:
                log.warning("request_rejected", extra={"fields": rejected.fields})
                response = BoltResponse(status=rejected.status, body="")
            self.reply(response.status, response.first_headers_without_set_cookie(), response.body.encode())

        def _body(self) -> bytes:
            """What was sent; raises RequestRejected where its length is not plain, or not Slack's."""
            lengths = self.headers.get_all("Content-Length", [""])
            plain = len(lengths) == 1 and re.fullmatch("[0-9]{1,9}", lengths[0])
            if not plain or "Transfer-Encoding" in self.headers or int(lengths[0]) > MAX_BODY_BYTES:
                self.close_connection = True
                raise RequestRejected(413, "too_large")
            return self.rfile.read(int(lengths[0]))

    return Handler
