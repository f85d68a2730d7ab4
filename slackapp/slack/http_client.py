"""Sends and gets bytes at the URLs that Slack gives us: uploads, files, response URLs. The SDK does the rest.

httpx2 is imported with the first call: acknowledging an event does not need it.
"""

import logging
import ssl
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from slack_sdk import WebClient

from slackapp.slack.client import TIMEOUT_SECONDS
from slackapp.slack.errors import SlackDown

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx2

logging.getLogger("httpx2").setLevel(logging.WARNING)  # at lower levels it logs whole URLs


class HttpReply(NamedTuple):
    status: int
    retry_after: str
    """The header of that name; empty if there is none."""


class Download(NamedTuple):
    """What Slack answered to a request for a file; without a status it did not answer."""

    status: int = 0
    content: bytes = b""
    content_type: str = ""
    location: str = ""
    """Where a redirect leads; it is not followed."""
    too_long: bool = False
    host: str = ""

    @property
    def refused(self) -> bool:
        return self.status != 200


def post_bytes(client: WebClient, url: str, content: bytes, content_type: str) -> HttpReply:
    """POST through the proxy and with the certificates of the SDK's client; follow no redirect.

    Raises SlackDown if no response comes.
    """
    with _http(client) as http:
        response = http.post(url, content=content, headers={"Content-Type": content_type})
    return HttpReply(response.status_code, response.headers.get("retry-after", ""))


def get_bytes(client: WebClient, url: str, *, most_bytes: int, seconds: float) -> Download:
    """GET a file with the token of the SDK's client; follow no redirect.

    A body that is too long is given up before it is read, or while it is read. Raises SlackDown if no
    response comes, or none within so many seconds.
    """
    # Without compression, a short body cannot become a long one.
    headers = {"Authorization": f"Bearer {client.token}", "Accept-Encoding": "identity"}
    until, content = monotonic() + seconds, bytearray()
    with _http(client) as http, http.stream("GET", url, headers=headers) as response:
        given = response.headers
        answer = Download(
            status=response.status_code,
            content_type=given.get("content-type", "").partition(";")[0].strip().lower(),
            location=given.get("location", "") if response.is_redirect else "",
            host=response.url.host,
        )
        if answer.refused:
            return answer
        if given.get("content-encoding", "identity") != "identity":
            raise SlackDown("slack_unreachable", "an encoding that was not asked for")
        length = given.get("content-length", "")
        if length.isdecimal() and int(length) > most_bytes:
            return answer._replace(too_long=True)
        for piece in response.iter_raw():
            content += piece
            if len(content) > most_bytes:
                return answer._replace(too_long=True)
            if monotonic() > until:
                raise SlackDown("slack_unreachable", "too slow")
    return answer._replace(content=bytes(content))


@contextmanager
def _http(client: WebClient) -> "Iterator[httpx2.Client]":
    """A connection through the proxy and with the certificates of the SDK's client."""
    import httpx2

    with httpx2.Client(
        proxy=client.proxy or None,
        verify=client.ssl or ssl.create_default_context(),
        trust_env=False,
        timeout=TIMEOUT_SECONDS,
    ) as http:
        try:
            yield http
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise SlackDown("slack_unreachable", type(error).__name__) from error
