"""How something reaches an app: a signed HTTP request, or an envelope over Socket Mode."""

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
    """How a request is signed; all but the first are for tests of those who must notice."""

    VALID = "valid"
    FORGED = "forged"
    STALE = "stale"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingRequest:
    """Something to hand over."""

    kind: Kind
    payload: Json
    raw: bytes | None = None
    """A body sent as it is, whatever the payload says."""
    content_type: str = ""
    retry_num: int = 0
    retry_reason: str = ""
    signature: Signature = Signature.VALID


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it; no error means that it was acknowledged."""

    status: int = 0
    error: str = ""
    answer: str = ""
    body: Json = field(default_factory=dict)
    no_retry: bool = False
    transport: str = ""


class Transport(Protocol):
    def carry(self, app: App, parcel: OutgoingRequest) -> Outcome:
        """Hands a parcel over and waits for the acknowledgement."""


class HttpTransport:
    """Signed requests to the app's request URL."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout

    def carry(self, app: App, parcel: OutgoingRequest) -> Outcome:
        body, content_type = _encoded(parcel)
        headers = {"Content-Type": content_type, "User-Agent": "Slackbot 1.0 (local)"}
        headers |= _signature(app.signing_secret, body, parcel.signature)
        if parcel.retry_num:
            headers["X-Slack-Retry-Num"] = str(parcel.retry_num)
            headers["X-Slack-Retry-Reason"] = parcel.retry_reason
        try:
            return self._post(app.request_url, body, headers)
        except TimeoutError:
            return Outcome(error="http_timeout", transport="http")
        except (OSError, http.client.HTTPException):
            return Outcome(error="connection_failed", transport="http")

    def _post(self, url: str, body: bytes, headers: dict[str, str]) -> Outcome:
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=self._timeout)
        try:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", target, body, headers)
            response = connection.getresponse()
            answer = response.read().decode("utf-8", "replace")
        finally:
            connection.close()
        return Outcome(
            status=response.status,
            error="" if 200 <= response.status < 300 else "http_error",
            answer=answer,
            body=_parsed(answer, response.headers.get_content_type()),
            no_retry=response.headers.get("X-Slack-No-Retry") == "1",
            transport="http",
        )


def _encoded(parcel: OutgoingRequest) -> tuple[bytes, str]:
    if parcel.raw is not None:
        return parcel.raw, parcel.content_type or "application/json"
    if parcel.kind is Kind.EVENT:
        return json.dumps(parcel.payload).encode(), "application/json"
    fields = parcel.payload
    if parcel.kind is Kind.INTERACTIVE:
        fields = {"payload": json.dumps(parcel.payload)}
    return urlencode(fields, errors="replace").encode(), "application/x-www-form-urlencoded"


def _signature(secret: str, body: bytes, kind: Signature) -> dict[str, str]:
    """Signed by the system's clock, which is the one that Bolt compares with."""
    if kind is Signature.MISSING:
        return {}
    moment = int(time.time()) - (STALE_SECONDS if kind is Signature.STALE else 0)
    key = f"not {secret}" if kind is Signature.FORGED else secret
    digest = hmac.new(key.encode(), f"v0:{moment}:".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": str(moment), "X-Slack-Signature": f"v0={digest}"}


def _parsed(answer: str, content_type: str) -> Json:
    if not answer:
        return {}
    if content_type == "application/json":
        try:
            parsed: Any = json.loads(answer)
        except ValueError:
            return {"text": answer}
        return parsed if isinstance(parsed, dict) else {}
    return {"text": answer}
