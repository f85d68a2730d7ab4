"""Which requests may use the page: those of the browser on this machine, from the page itself. Pure.

A foreign host name means DNS rebinding; a foreign origin means a page of another site in the same browser.
Both are refused before anything else happens.
"""

import json
from typing import Any

from slackapp.playground.errors import PlaygroundError
from slackapp.playground.http import Request
from slackapp.playground.values import Json

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every reply to the page."""


class AccessRefused(PlaygroundError):
    """A request that may not use the page."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def check_access(request: Request, port: int | None) -> None:
    """Requires this server's name, port and origin. Other sites may link to the page, but load nothing."""
    host, origin = request.headers.get("host", ""), request.headers.get("origin")
    if host not in (f"127.0.0.1:{port}", f"localhost:{port}") or origin not in (None, f"http://{host}"):
        raise AccessRefused(403, "forbidden")
    if request.path != "/" and request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise AccessRefused(403, "forbidden")


def json_body(request: Request) -> Json:
    """The body as a JSON object, which a form of another site cannot send.

    A request without an origin needs the page's own header.
    """
    if request.content_type != "application/json":
        raise AccessRefused(415, "json_needed")
    if "origin" not in request.headers and "x-playground" not in request.headers:
        raise AccessRefused(403, "forbidden")
    try:
        body: Any = json.loads(request.body)
    except (ValueError, RecursionError):
        raise AccessRefused(400, "not_json") from None
    if not isinstance(body, dict):
        raise AccessRefused(400, "not_an_object")
    return body
