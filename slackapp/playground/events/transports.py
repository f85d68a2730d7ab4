"""How a request reaches an app: signed over HTTP, or as an envelope over Socket Mode."""

import contextlib
import hashlib
import hmac
import http.client
import json
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

from slackapp.playground.values import App, Json

STALE_SECONDS = 60 * 60


class Kind(StrEnum):
    """What is delivered; the names are Socket Mode's."""

    EVENT = "events_api"
    COMMAND = "slash_commands"
    INTERACTIVE = "interactive"


class Signature(StrEnum):
    """How a request is signed; tests use the wrong ways to see that an app refuses them."""

    VALID = "valid"
    FORGED = "forged"
    STALE = "stale"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingRequest:
    """A request from Slack to an app."""

    kind: Kind
    payload: Json
    raw: bytes | None = None
    """A body that is sent as it is, in place of the payload."""
    content_type: str = ""
    retry_num: int = 0
    retry_reason: str = ""
    signature: Signature = Signature.VALID


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an app answered; without an error it acknowledged the request."""

    status: int = 0
    error: str = ""
    answer: str = ""
    body: Json = field(default_factory=dict)
    no_retry: bool = False
    transport: str = ""


class Transport(Protocol):
    def deliver(self, app: App, request: OutgoingRequest) -> Outcome:
        """Sends a request and waits for the acknowledgement."""


@dataclass(slots=True)
class HttpTransport:
    """Sends signed requests to the app's request URL."""

    timeout: float

    def deliver(self, app: App, request: OutgoingRequest) -> Outcome:
        body, content_type = _encoded(request)
        headers = {"Content-Type": content_type, "User-Agent": "Slackbot 1.0 (local)"}
        headers |= _signature_headers(app.signing_secret, body, request.signature)
        if request.retry_num:
            headers["X-Slack-Retry-Num"] = str(request.retry_num)
            headers["X-Slack-Retry-Reason"] = request.retry_reason
        parts = urlsplit(app.request_url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        host, port = parts.hostname or "", parts.port or 80
        try:
            connection = http.client.HTTPConnection(host, port, timeout=self.timeout)
            with contextlib.closing(connection):
                connection.request("POST", target, body, headers)
                response = connection.getresponse()
                answer = response.read().decode("utf-8", "replace")
        except TimeoutError:
            return Outcome(error="http_timeout", transport="http")
        except (OSError, http.client.HTTPException):
            return Outcome(error="connection_failed", transport="http")
        parsed: Any = {"text": answer} if answer else {}
        if answer and response.headers.get_content_type() == "application/json":
            with contextlib.suppress(ValueError):
                parsed = json.loads(answer)
        return Outcome(
            status=response.status,
            error="" if 200 <= response.status < 300 else "http_error",
            answer=answer,
            body=parsed if isinstance(parsed, dict) else {},
            no_retry=response.headers.get("X-Slack-No-Retry") == "1",
            transport="http",
        )


def _encoded(request: OutgoingRequest) -> tuple[bytes, str]:
    if request.raw is not None:
        return request.raw, request.content_type or "application/json"
    if request.kind is Kind.EVENT:
        return json.dumps(request.payload).encode(), "application/json"
    fields = request.payload
    if request.kind is Kind.INTERACTIVE:
        fields = {"payload": json.dumps(request.payload)}
    return urlencode(fields, errors="replace").encode(), "application/x-www-form-urlencoded"


def _signature_headers(secret: str, body: bytes, kind: Signature) -> dict[str, str]:
    """Signed by the system's clock, with which Bolt compares."""
    if kind is Signature.MISSING:
        return {}
    moment = int(time.time()) - (STALE_SECONDS if kind is Signature.STALE else 0)
    key = f"not {secret}" if kind is Signature.FORGED else secret
    digest = hmac.new(key.encode(), f"v0:{moment}:".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": str(moment), "X-Slack-Signature": f"v0={digest}"}
