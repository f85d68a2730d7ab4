"""Asks a site's robots.txt before a page is requested, and remembers the answer per origin."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from fetcher.clock import Clock
from fetcher.codes import Note
from fetcher.web.errors import FetchError, RobotsDisallowed, RobotsUnavailable
from fetcher.web.fetch_log import here
from fetcher.web.net import robots
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import PinnedGuard
from fetcher.web.values import DEFAULT_PORTS, CanonicalUrl, RawResponse

log = logging.getLogger(__name__)

MATCHED_IN_PLACE = 16 * 1024
"""Characters of a file that is matched faster than a thread is found for it; nearly all are shorter."""

Fetch = Callable[
    [CanonicalUrl, Callable[[CanonicalUrl], None], PinnedGuard, Deadline], Awaitable[RawResponse]
]
"""Gets a robots.txt: its URL, what to ask of a redirect, and the guard and deadline of the fetch."""


class RobotsGate:
    """Lets a URL pass, or raises; a process-local LRU cache holds each origin's rules."""

    def __init__(
        self,
        *,
        fetch: Fetch,
        token: str,
        clock: Clock,
        fail_open: bool,
        ttl: timedelta,
        max_entries: int,
    ) -> None:
        self._fetch = fetch
        self._token = token
        self._clock = clock
        self._fail_open = fail_open
        self._ttl = ttl
        self._max_entries = max_entries
        self._remembered: OrderedDict[str, tuple[datetime, robots.RobotsRules]] = OrderedDict()
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def check(self, url: CanonicalUrl, guard: PinnedGuard, deadline: Deadline) -> Note | None:
        """Raises `robots_disallowed` or `robots_unavailable`; a note says that we could not ask."""
        try:
            rules = await self._rules(url, guard, deadline)
        except RobotsUnavailable:
            if not self._fail_open:
                raise
            return Note.ROBOTS_UNAVAILABLE_FAIL_OPEN
        async with deadline.phase("robots"):
            await self._require_allowed(rules, url)
        return None

    async def check_known(self, url: CanonicalUrl) -> None:
        """Raises `robots_disallowed` where rules that are still valid say so; asks nobody."""
        if (known := self._recall(url.origin)) is not None:
            await self._require_allowed(known, url)

    async def _require_allowed(self, rules: robots.RobotsRules, url: CanonicalUrl) -> None:
        if rules.length <= MATCHED_IN_PLACE:
            allowed = rules.allows(self._token, url.target)
        else:  # beside the loop: a hostile file takes a second to match
            allowed = await asyncio.to_thread(rules.allows, self._token, url.target)
        if not allowed:
            raise RobotsDisallowed(path=url.path, origin=url.origin)

    async def _rules(self, url: CanonicalUrl, guard: PinnedGuard, deadline: Deadline) -> robots.RobotsRules:
        asking = self._asking.setdefault(url.origin, asyncio.Lock())
        async with deadline.phase("robots"), asking:
            if (known := self._recall(url.origin)) is not None:
                return known
            rules = await self._ask(url, guard, deadline.half())
            self._remember(url.origin, rules)
            return rules

    async def _ask(self, url: CanonicalUrl, guard: PinnedGuard, deadline: Deadline) -> robots.RobotsRules:
        def same_site(hop: CanonicalUrl) -> None:
            if not _stays(url, hop):
                raise RobotsUnavailable(origin=url.origin, error="robots_cross_origin_redirect")

        try:
            response = await self._fetch(
                replace(url, path="/robots.txt", query=None), same_site, guard, deadline
            )
        except RobotsUnavailable:
            raise
        except FetchError as error:
            raise RobotsUnavailable(origin=url.origin, error=error.code) from error
        return await asyncio.to_thread(_read, url, response)

    def _recall(self, origin: str) -> robots.RobotsRules | None:
        expires, rules = self._remembered.get(origin, (None, None))
        if expires is None or expires <= self._clock.now():
            return None
        self._remembered.move_to_end(origin)
        return rules

    def _remember(self, origin: str, rules: robots.RobotsRules) -> None:
        if not self._max_entries:
            return
        self._remembered[origin] = (self._clock.now() + self._ttl, rules)
        self._remembered.move_to_end(origin)
        while len(self._remembered) > self._max_entries:
            self._remembered.popitem(last=False)


def _stays(start: CanonicalUrl, hop: CanonicalUrl) -> bool:
    """Whether a hop is of the same origin, or its upgrade from http to https on default ports."""
    if hop.origin == start.origin:
        return True
    default = all(url.port == DEFAULT_PORTS[url.scheme] for url in (start, hop))
    return default and hop.host == start.host and (start.scheme, hop.scheme) == ("http", "https")


def _read(url: CanonicalUrl, response: RawResponse) -> robots.RobotsRules:
    """SRD §3.3.3: what an answer to the question means."""
    if response.status == 204 or 400 <= response.status <= 499:
        return robots.ALLOW_ALL
    if response.status != 200:
        raise RobotsUnavailable(origin=url.origin, error=f"http_status_{response.status}")
    if not response.cut:
        return robots.parse(response.body)
    log.warning("robots.txt truncated at %d bytes", len(response.body), extra=here(event="robots_truncated"))
    return robots.parse(_whole_lines(response.body))


def _whole_lines(text: bytes) -> bytes:
    """A text without its last, half line: half a rule would forbid too much, half a letter allow all."""
    return text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]
