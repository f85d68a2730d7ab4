"""Follows redirects one by one: every hop needs the guard's approval and permission, like the first."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import partial

from fetcher.web.errors import HttpClientError, HttpServerError, NetworkFailed, RedirectLimit, SsrfBlocked
from fetcher.web.net import canonical
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.guard import FetchGuard
from fetcher.web.net.transport import OpenResponse, Transport
from fetcher.web.values import ApprovedTarget, CanonicalUrl, Headers, IPAddress, RawResponse

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""SRD FR-WF-07a."""

LONGEST_RETRY_AFTER = 24 * 60 * 60
LONGEST_DATE = 100
"""Characters; dates in HTTP have 29."""


class PinnedGuard:
    """A guard that resolves each name once during a fetch (SRD FR-WF-DNS-01)."""

    def __init__(
        self,
        guard: FetchGuard,
        permit: Callable[[CanonicalUrl], None] = lambda _: None,
        may_load: Callable[[CanonicalUrl], bool] = lambda _: True,
    ) -> None:
        self._guard = guard
        self.permit = permit
        """Asked about the URLs of a page and of its redirects before their names are resolved.

        A name that is looked up has left.
        """
        self.may_load = may_load
        """Asked in the same way about what a page in a browser loads."""
        self._addresses: dict[str, tuple[IPAddress, ...]] = {}

    async def approve(self, url: CanonicalUrl) -> ApprovedTarget:
        if known := self._addresses.get(url.host):
            self._guard.check_url(url)
            return ApprovedTarget(url=url, addresses=known)
        target = await self._guard.approve(url)
        self._addresses[url.host] = target.addresses
        return target


RequirePermission = Callable[[CanonicalUrl], Awaitable[None]]
"""Called with a URL before it is requested; raises to refuse it."""

RecordResponse = Callable[[CanonicalUrl, int, Headers], None]
"""Called with a URL and the status and headers of its response."""


async def allow_every_url(_: CanonicalUrl) -> None:
    """Permission for requests that need none, such as those for a robots.txt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPlan:
    """How each hop is requested, and how the last response is read."""

    headers: Headers
    max_bytes: int
    max_redirects: int
    cut: bool
    """Read the beginning of a body that is too long instead of refusing it."""
    require_permission: RequirePermission = allow_every_url
    """Called for each hop, after the guard has approved it."""
    record_response: RecordResponse = lambda *_: None
    """Called with each hop's response first of all."""
    require_redirect: Callable[[CanonicalUrl], None] = lambda _: None
    """Called with each redirect's target first of all; raises to refuse it."""
    admit: Callable[[OpenResponse], None] = lambda _: None
    """Called with the headers of a 200 before its body is read; raises to refuse it."""
    judge: Callable[[OpenResponse, CanonicalUrl, bytes], tuple[int, bool] | None] = lambda *_: None
    """Called with the beginning of that body; returns other limits for it, or raises to refuse it."""


async def follow(
    url: CanonicalUrl, plan: RequestPlan, *, guard: PinnedGuard, transport: Transport, deadline: Deadline
) -> RawResponse:
    """Request a URL, and where it redirects to; only the body of a 200 is read."""
    for hop in range(plan.max_redirects + 1):
        async with deadline.phase("dns"):
            try:
                target = await guard.approve(url)
            except SsrfBlocked as refusal:
                refusal.after_redirect = hop > 0
                raise
        await plan.require_permission(url)
        async with transport.open(target, plan.headers, deadline) as response:
            plan.record_response(url, response.status, response.headers)
            if response.status not in REDIRECTS:
                body, cut = b"", False
                if response.status == 200:
                    plan.admit(response)
                    judge = partial(plan.judge, response, url)
                    body, cut = await response.body(max_bytes=plan.max_bytes, cut=plan.cut, judge=judge)
                return RawResponse(
                    url=url,
                    status=response.status,
                    reason=response.reason,
                    headers=response.headers,
                    body=body,
                    cut=cut,
                )
        if hop < plan.max_redirects:
            url = redirect_target(url, response.headers)
            plan.require_redirect(url)
    raise RedirectLimit(count=plan.max_redirects + 1, max=plan.max_redirects)


def redirect_target(url: CanonicalUrl, headers: Headers) -> CanonicalUrl:
    """Where a redirect from `url` leads; raises UrlRejected."""
    location = headers.first("location") or ""
    with suppress(UnicodeDecodeError):  # servers that do not escape their URLs send UTF-8
        location = location.encode("latin-1").decode("utf-8")
    return canonical.resolve(url, location)


def require_success(response: RawResponse, now: datetime) -> RawResponse:
    """The response if it is a 200; else raises the error of its status (E12)."""
    status = response.status
    if status == 200:
        return response
    if status < 400 or status > 599:
        raise NetworkFailed(
            "The server gave no page", error="unexpected_status", status=status, answered=True
        )
    # `Retry-After` is a number of seconds or a date.
    value = (response.headers.first("retry-after") or "")[:LONGEST_DATE].strip()
    seconds: int | None = None
    if value.isdecimal() and value.isascii():
        seconds = int(value[:10])
    else:
        with suppress(ValueError, TypeError, OverflowError):
            seconds = max(0, round((parsedate_to_datetime(value) - now).total_seconds()))
    kind = HttpClientError if status < 500 else HttpServerError
    retry_after = None if seconds is None else min(seconds, LONGEST_RETRY_AFTER)
    raise kind(status=status, status_text=response.reason, retry_after=retry_after)
