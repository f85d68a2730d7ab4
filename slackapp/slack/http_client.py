"""Sends bytes to the URLs that Slack gives us: uploads and response URLs. The SDK's client does the rest.

httpx2 is imported with the first call: acknowledging an event does not need it.
"""

import logging
import ssl
from typing import NamedTuple

from slack_sdk import WebClient

from slackapp.slack.client import TIMEOUT_SECONDS
from slackapp.slack.errors import SlackDown

logging.getLogger("httpx2").setLevel(logging.WARNING)  # at lower levels it logs whole URLs


class HttpReply(NamedTuple):
    status: int
    retry_after: str
    """The header of that name; empty if there is none."""


def post_bytes(client: WebClient, url: str, content: bytes, content_type: str) -> HttpReply:
    """POST through the proxy and with the certificates of the SDK's client; follow no redirect.

    Raises SlackDown if no response comes.
    """
    import httpx2

    with httpx2.Client(
        proxy=client.proxy or None,
        verify=client.ssl or ssl.create_default_context(),
        trust_env=False,
        timeout=TIMEOUT_SECONDS,
    ) as http:
        try:
            response = http.post(url, content=content, headers={"Content-Type": content_type})
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise SlackDown("slack_unreachable", type(error).__name__) from error
    return HttpReply(response.status_code, response.headers.get("retry-after", ""))
