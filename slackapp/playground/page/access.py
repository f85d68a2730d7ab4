"""Who may use the page: the browser on this machine, on the page itself. Pure.

A name that is not ours means DNS rebinding, an origin that is not ours another site's page in the same
browser; both are refused before anything is looked at.
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
"""On everything that the page is sent."""


class AccessRefused(PlaygroundError):
    """A request that is not let in."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def admit(request: Request, port: int | None) -> None:
    """Lets our own name, port and origin pass; other sites may link to the page, and load nothing of it."""
    host, origin = request.headers.get("host", ""), request.headers.get("origin")
    if host not in (f"127.0.0.1:{port}", f"localhost:{port}") or origin not in (None, f"http://{host}"):
        raise AccessRefused(403, "forbidden")
    if request.path != "/" and request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise AccessRefused(403, "forbidden")


def body_of(request: Request) -> Json:
    """A JSON object, which no form of another site can send; without an origin, with our header besides."""
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
