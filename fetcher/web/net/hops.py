"""Follows redirects by hand: every hop is guarded, asked about and sent like the first."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from fetcher.web.errors import (
    HttpClientError,
    HttpServerError,
    NetworkFailed,
    RedirectLimit,
)
from fetcher.web.net import canonical
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.guard import FetchGuard
from fetcher.web.net.transport import OpenResponse, Transport
from fetcher.web.values import ApprovedTarget, CanonicalUrl, Headers, IPAddress, RawResponse

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""SRD FR-WF-07a."""

LONGEST_RETRY_AFTER = 24 * 60 * 60
LONGEST_DATE = 100
"""Characters; HTTP's own dates have 29."""


class PinnedGuard:
    """A guard that asks for each name once during a fetch (SRD FR-WF-DNS-01)."""

    def __init__(self, guard: FetchGuard) -> None:
        self._guard = guard
        self._addresses: dict[str, tuple[IPAddress, ...]] = {}

    async def approve(self, url: CanonicalUrl) -> ApprovedTarget:
        if known := self._addresses.get(url.host):
            self._guard.check_url(url)
            return ApprovedTarget(url=url, addresses=known)
        target = await self._guard.approve(url)
        self._addresses[url.host] = target.addresses
        return target


Visit = Callable[[CanonicalUrl], Awaitable[None]]
"""Called with a URL before it is requested; raises to stop."""


Answered = Callable[[CanonicalUrl, int, Headers], None]
"""Called with a URL and its answer's status and headers."""


async def _unasked(_: CanonicalUrl) -> None:
    """A visit that nobody has to be asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPlan:
    """What is asked of every hop, and what is made of the last."""

    headers: Headers
    max_bytes: int
    max_redirects: int
    cut: bool
    """Take the beginning of a body that is too long instead of refusing it."""
    visit: Visit = _unasked
    """Each hop, once the guard has approved it."""
    answered: Answered = lambda *_: None
    """Each hop's answer, before anything else is done with it."""
    redirect: Callable[[CanonicalUrl], None] = lambda _: None
    """Called with each redirect's target before anything else is done with it; raises to stop."""
    admit: Callable[[OpenResponse], None] = lambda _: None
    """Called with a 200's headers before its body is read; raises to refuse it."""


async def follow(
    url: CanonicalUrl, errand: RequestPlan, *, guard: PinnedGuard, transport: Transport, deadline: Deadline
) -> RawResponse:
    """The first answer that is no redirect; only a 200 has its body read."""
    for hop in range(errand.max_redirects + 1):
        async with deadline.phase("dns"):
            target = await guard.approve(url)
        await errand.visit(url)
        async with transport.open(target, errand.headers, deadline) as response:
            errand.answered(url, response.status, response.headers)
            if response.status not in REDIRECTS:
                return await _received(url, response, errand)
        if hop < errand.max_redirects:
            url = _next(url, response)
            errand.redirect(url)
    raise RedirectLimit(count=errand.max_redirects + 1, max=errand.max_redirects)


async def _received(url: CanonicalUrl, response: OpenResponse, errand: RequestPlan) -> RawResponse:
    body, cut = b"", False
    if response.status == 200:
        errand.admit(response)
        body, cut = await response.body(max_bytes=errand.max_bytes, cut=errand.cut)
    return RawResponse(
        url=url,
        status=response.status,
        reason=response.reason,
        headers=response.headers,
        body=body,
        cut=cut,
    )


def _next(url: CanonicalUrl, response: OpenResponse) -> CanonicalUrl:
    return canonical.resolve(url, location_of(response.headers))


def location_of(headers: Headers) -> str:
    """A redirect's target in characters: servers that do not escape theirs send UTF-8."""
    location = headers.first("location") or ""
    try:
        return location.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return location


def require_success(response: RawResponse, now: datetime) -> RawResponse:
    """A 200, or the error that its status means (decision E12)."""
    status = response.status
    if status == 200:
        return response
    if status < 400 or status > 599:
        raise NetworkFailed(
            "The server gave no page", error="unexpected_status", status=status, retryable=False
        )
    kind = HttpClientError if status < 500 else HttpServerError
    raise kind(status=status, status_text=response.reason, retry_after=_retry_after(response, now))


def _retry_after(response: RawResponse, now: datetime) -> int | None:
    """The seconds that a `Retry-After` asks for, whether it gives a number or a date."""
    value = (response.headers.first("retry-after") or "")[:LONGEST_DATE].strip()
    if value.isdecimal() and value.isascii():
        return min(int(value[:10]), LONGEST_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(value)
        seconds = (moment - now).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(0, round(seconds)), LONGEST_RETRY_AFTER)
