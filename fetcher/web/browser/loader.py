"""One intercepted request, sent through the guard and the transport, and its answer for Chromium."""

import asyncio
import base64
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import REDIRECTS, PinnedGuard
from fetcher.web.net.transport import OpenResponse, Transport
from fetcher.web.values import ApprovedTarget, CanonicalUrl, Headers, RawResponse

FORWARDED = ("accept", "origin")
"""What a public GET needs of a page's own headers; without Origin, servers leave CORS headers out."""
LONGEST_FORWARDED = 1000
"""Characters; a page may write what it likes into its Accept."""

KEPT_HERE = frozenset(
    {
        # True of what came over the wire, not of what is handed on.
        "connection",
        "content-encoding",
        "content-length",
        "keep-alive",
        "trailer",
        "transfer-encoding",
        "upgrade",
        # Invitations to talk to somebody in the background.
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
class Paused:
    """A request that Chromium holds back until it is answered."""

    id: str
    url: str
    method: str
    kind: str
    """Its CDP resource type, in lower case."""
    frame: str
    forwarded: dict[str, str]
    """Those of its headers that go with it."""

    @classmethod
    def of(cls, params: dict[str, Any]) -> "Paused":
        request = params["request"]
        headers = {name.lower(): value for name, value in request["headers"].items()}
        return cls(
            id=params["requestId"],
            url=request["url"],
            method=request["method"],
            kind=_kind(params["resourceType"].lower(), request["method"], headers),
            frame=params.get("frameId", ""),
            forwarded={
                name: value
                for name, value in headers.items()
                if name in FORWARDED and len(value) <= LONGEST_FORWARDED
            },
        )


def _kind(reported: str, method: str, headers: dict[str, str]) -> str:
    """A resource's type; the root session reports what scripts load, of whatever kind, as XHR."""
    if method == "OPTIONS":
        return "preflight"
    if headers.get("accept") == "text/event-stream":
        return "eventsource"
    return "prefetch" if headers.get("sec-purpose", "").startswith("prefetch") else reported


class Loader:
    """Loads what a page asks for, each hop by itself; `accept` is what documents are asked for with."""

    def __init__(self, *, guard: PinnedGuard, transport: Transport, user_agent: str, accept: str) -> None:
        self._guard = guard
        self._transport = transport
        self._user_agent = user_agent
        self._accept = accept
        self._asking: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def approve(self, url: CanonicalUrl, deadline: Deadline) -> ApprovedTarget:
        """Where a URL may be requested from; raises what the guard raises."""
        async with deadline.phase("dns"), self._asking[url.host]:  # many requests, one question
            return await self._guard.approve(url)

    async def load(
        self,
        url: CanonicalUrl,
        paused: Paused,
        deadline: Deadline,
        *,
        max_bytes: int,
        admit: Callable[[OpenResponse], None] = lambda _: None,
    ) -> RawResponse:
        """The answer to one request; redirects and answers to HEAD have no body."""
        target = await self.approve(url, deadline)
        opened = self._transport.open(target, self._headers(paused), deadline, method=paused.method)
        async with opened as response:
            admit(response)
            body = b""
            if response.status not in REDIRECTS and paused.method != "HEAD":
                body, _ = await response.body(max_bytes=max_bytes)
            return RawResponse(
                url=url, status=response.status, reason=response.reason, headers=response.headers, body=body
            )

    def _headers(self, paused: Paused) -> Headers:
        kept = paused.forwarded
        if paused.kind == "document":
            kept = kept | {"accept": self._accept}  # Chromium's own asks for formats that only it reads
        return Headers([("User-Agent", self._user_agent), *((name.title(), kept[name]) for name in kept)])


def fulfilment(
    paused: Paused, response: RawResponse, *, drop: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The parameters of `Fetch.fulfillRequest`: headers that are true of the decoded body."""
    kept = [(name, value) for name, value in response.headers if name not in KEPT_HERE | drop]
    length = response.headers.first("content-length") if paused.method == "HEAD" else str(len(response.body))
    lines = [*kept, *([("content-length", length)] if length is not None else [])]
    return {
        "requestId": paused.id,
        "responseCode": response.status,
        # As bytes: servers send header values that are no UTF-8.
        "binaryResponseHeaders": _base64(
            "\0".join(f"{name}: {value}" for name, value in lines).encode("latin-1")
        ),
        "body": _base64(response.body),
    }


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
