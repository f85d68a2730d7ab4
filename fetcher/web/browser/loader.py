"""Sends a paused request through the guard and the transport, and encodes the response for Chromium."""

import asyncio
import base64
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import REDIRECTS, PinnedGuard
from fetcher.web.net.media_types import PLAIN_TEXT, media_type
from fetcher.web.net.transport import OpenResponse, Transport
from fetcher.web.values import ApprovedTarget, CanonicalUrl, Headers, RawResponse

FORWARDED = ("accept", "origin")
"""The page's own headers that are sent on; without Origin, servers leave CORS headers out."""
LONGEST_FORWARDED = 1000
"""Characters; a page can write any text into its Accept."""

NOT_PASSED_ON = frozenset(
    {
        # They describe the body as it was sent, not the decoded one.
        "connection",
        "content-encoding",
        "content-length",
        "keep-alive",
        "trailer",
        "transfer-encoding",
        "upgrade",
        # They ask the browser for requests in the background.
        "alt-svc",
        "content-security-policy-report-only",
        "link",
        "nel",
        "report-to",
        "reporting-endpoints",
        "speculation-rules",
        "strict-transport-security",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedRequest:
    """A request that Chromium holds until it is answered."""

    id: str
    url: str
    method: str
    kind: str
    """Its CDP resource type, in lower case."""
    frame: str
    forwarded: dict[str, str]
    """The headers of it that are sent on."""

    @classmethod
    def of(cls, params: dict[str, Any]) -> "PausedRequest":
        request = params["request"]
        headers = {name.lower(): value for name, value in request["headers"].items()}
        # The root session reports everything that scripts load as XHR; the headers say more.
        if request["method"] == "OPTIONS":
            kind = "preflight"
        elif headers.get("accept") == "text/event-stream":
            kind = "eventsource"
        elif headers.get("sec-purpose", "").startswith("prefetch"):
            kind = "prefetch"
        else:
            kind = params["resourceType"].lower()
        return cls(
            id=params["requestId"],
            url=request["url"],
            method=request["method"],
            kind=kind,
            frame=params.get("frameId", ""),
            forwarded={
                name: value
                for name, value in headers.items()
                if name in FORWARDED and len(value) <= LONGEST_FORWARDED
            },
        )


class Loader:
    """Loads what a page requests, one hop at a time; `accept` is the Accept header for documents."""

    def __init__(self, *, guard: PinnedGuard, transport: Transport, user_agent: str, accept: str) -> None:
        self.guard = guard
        self._transport = transport
        self._user_agent = user_agent
        self._accept = accept
        self._resolving: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def approve(self, url: CanonicalUrl, deadline: Deadline) -> ApprovedTarget:
        """Have the guard approve a URL; raises what the guard raises."""
        async with deadline.phase("dns"), self._resolving[url.host]:  # one lookup for many requests
            return await self.guard.approve(url)

    async def load(
        self,
        url: CanonicalUrl,
        paused: PausedRequest,
        deadline: Deadline,
        *,
        max_bytes: int,
        admit: Callable[[OpenResponse], None] = lambda _: None,
    ) -> RawResponse:
        """Load one request; the body of a redirect and of a HEAD is not read."""
        target = await self.approve(url, deadline)
        sent = paused.forwarded
        if paused.kind == "document":
            sent = sent | {"accept": self._accept}  # Chromium's own asks for formats that only it reads
        headers = Headers([("User-Agent", self._user_agent), *((name.title(), sent[name]) for name in sent)])
        async with self._transport.open(target, headers, deadline, method=paused.method) as response:
            admit(response)
            body = b""
            if response.status not in REDIRECTS and paused.method != "HEAD":
                body, _ = await response.body(max_bytes=max_bytes)
            return RawResponse(
                url=url, status=response.status, reason=response.reason, headers=response.headers, body=body
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class TopDocument:
    """A document that was loaded, and its media type."""

    url: CanonicalUrl
    media_type: str

    @classmethod
    def of(cls, response: RawResponse) -> "TopDocument":
        found = media_type(response.headers.first("content-type"), response.body)
        return cls(url=response.url, media_type=found)


def typed(response: RawResponse) -> RawResponse:
    """The response with a type that Chromium need not guess; raises if it is not a page over HTTP either."""
    if TopDocument.of(response).media_type != PLAIN_TEXT:
        return response  # Chromium recognises HTML by the same signs
    declared = response.headers.first("content-type") or ""
    plain = declared if PLAIN_TEXT in declared.lower() else PLAIN_TEXT
    return replace(response, headers=response.headers.replaced("content-type", plain))


def fulfilment(
    paused: PausedRequest, response: RawResponse, *, drop: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The parameters of `Fetch.fulfillRequest`, with headers that fit the decoded body."""
    lines = [(name, value) for name, value in response.headers if name not in NOT_PASSED_ON | drop]
    length = response.headers.first("content-length") if paused.method == "HEAD" else str(len(response.body))
    if length is not None:
        lines.append(("content-length", length))
    return {
        "requestId": paused.id,
        "responseCode": response.status,
        # As bytes: servers send header values that are not UTF-8.
        "binaryResponseHeaders": _base64(
            "\0".join(f"{name}: {value}" for name, value in lines).encode("latin-1")
        ),
        "body": _base64(response.body),
    }


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
