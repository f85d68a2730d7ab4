"""The Bolt app behind a plain HTTP server, for the playground and the tests."""

import logging
import re

from slack_bolt import App, BoltResponse

from fetcher.loopback import LocalHandler, LocalServer
from slackapp.run.signed_requests import (
    MAX_BODY_BYTES,
    ReceivedRequest,
    RequestRejected,
    received_headers,
    verified_request,
)

log = logging.getLogger(__name__)


class SlackRequestServer(LocalServer):
    """Serves an app on loopback until it is closed."""

    def __init__(self, app: App, signing_secret: str) -> None:
        class Handler(LocalHandler):
            def do_POST(self) -> None:  # noqa: N802  # the name of the base class
                lengths = self.headers.get_all("Content-Length", [""])
                is_clear = len(lengths) == 1 and re.fullmatch("[0-9]{1,9}", lengths[0])
                try:
                    if (
                        not is_clear
                        or "Transfer-Encoding" in self.headers
                        or int(lengths[0]) > MAX_BODY_BYTES
                    ):
                        self.close_connection = True
                        raise RequestRejected(413, "too_large")
                    body = self.rfile.read(int(lengths[0]))
                    request = ReceivedRequest(body=body, headers=received_headers(self.headers.items()))
                    response = app.dispatch(verified_request(request, lambda: signing_secret))
                except RequestRejected as rejected:
                    log.warning("request_rejected", extra={"fields": rejected.fields})
                    response = BoltResponse(status=rejected.status, body="")
                headers = response.first_headers_without_set_cookie()
                self.reply(response.status, headers, response.body.encode())

        super().__init__(Handler, name="slack-http")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/slack/events"
