"""Fetches a site's robots.txt before a page is requested, and remembers its rules per origin."""

import asyncio
import logging
from collections import OrderedDict
from dataclasses import replace
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from fetcher.clock import Clock
from fetcher.codes import Note
from fetcher.settings import WebFetchSettings
from fetcher.web.errors import FetchError, RobotsDisallowed, RobotsUnavailable
from fetcher.web.fetch_log import here
from fetcher.web.net import robots
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import PinnedGuard, RequestPlan, follow
from fetcher.web.net.media_types import ACCEPTED
from fetcher.web.net.transport import Transport
from fetcher.web.values import DEFAULT_PORTS, CanonicalUrl, Headers, RawResponse

log = logging.getLogger(__name__)

MATCHED_ON_THE_LOOP = 16 * 1024
"""Characters of a file that is matched in less time than a thread takes to start; most files are shorter."""


class RobotsGate:
    """Allows a URL, or raises; an LRU cache in this process holds the rules of each origin."""

    def __init__(self, settings: WebFetchSettings, *, transport: Transport, clock: Clock) -> None:
        self._settings = settings
        self._transport = transport
        self._clock = clock
        self._token = settings.robots.user_agent_token or robots.user_agent_token(settings.user_agent)
        self._remembered: OrderedDict[str, tuple[datetime, robots.RobotsRules]] = OrderedDict()
        self._fetching: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def check(self, url: CanonicalUrl, guard: PinnedGuard, deadline: Deadline) -> Note | None:
        """Raises `robots_disallowed` or `robots_unavailable`; returns a note if the file is unavailable."""
        fetching = self._fetching.setdefault(url.origin, asyncio.Lock())
        try:
            async with deadline.phase("robots"), fetching:
                rules = self._recall(url.origin)
                if rules is None:
                    rules = await self._fetch(url, guard, deadline.half())
                    ttl = timedelta(hours=self._settings.robots_cache_ttl_hours)
                    self._remembered[url.origin] = (self._clock.now() + ttl, rules)
                    self._remembered.move_to_end(url.origin)
                    while len(self._remembered) > self._settings.robots_cache_entries:
                        self._remembered.popitem(last=False)
        except RobotsUnavailable:
            if not self._settings.robots.fail_open:
                raise
            return Note.ROBOTS_UNAVAILABLE_FAIL_OPEN
        async with deadline.phase("robots"):
            await self._require_allowed(rules, url)
        return None

    async def check_known(self, url: CanonicalUrl) -> None:
        """Raises `robots_disallowed` if remembered rules that are still valid say so; requests nothing."""
        if (known := self._recall(url.origin)) is not None:
            await self._require_allowed(known, url)

    async def _require_allowed(self, rules: robots.RobotsRules, url: CanonicalUrl) -> None:
        if rules.length <= MATCHED_ON_THE_LOOP:
            allowed = rules.allows(self._token, url.target)
        else:  # in a thread: matching a hostile file takes a second
            allowed = await asyncio.to_thread(rules.allows, self._token, url.target)
        if not allowed:
            raise RobotsDisallowed(path=url.path, origin=url.origin)

    async def _fetch(self, url: CanonicalUrl, guard: PinnedGuard, deadline: Deadline) -> robots.RobotsRules:
        def require_same_site(hop: CanonicalUrl) -> None:
            """Allows the same origin, and its upgrade from http to https on default ports."""
            default_ports = all(each.port == DEFAULT_PORTS[each.scheme] for each in (url, hop))
            upgrade = default_ports and hop.host == url.host and (url.scheme, hop.scheme) == ("http", "https")
            if hop.origin != url.origin and not upgrade:
                raise RobotsUnavailable(origin=url.origin, error="robots_cross_origin_redirect")

        plan = RequestPlan(
            headers=Headers([("User-Agent", self._settings.user_agent), ("Accept", ACCEPTED)]),
            max_bytes=self._settings.robots.max_robots_bytes,
            max_redirects=self._settings.max_redirects,
            cut=True,
            require_redirect=require_same_site,
        )
        file = replace(url, path="/robots.txt", query=None)
        try:
            response = await follow(file, plan, guard=guard, transport=self._transport, deadline=deadline)
        except RobotsUnavailable:
            raise
        except FetchError as error:
            raise RobotsUnavailable(origin=url.origin, error=error.code) from error
        return await asyncio.to_thread(_parse_response, url, response)

    def _recall(self, origin: str) -> robots.RobotsRules | None:
        expires, rules = self._remembered.get(origin, (None, None))
        if expires is None or expires <= self._clock.now():
            return None
        self._remembered.move_to_end(origin)
        return rules


def _parse_response(url: CanonicalUrl, response: RawResponse) -> robots.RobotsRules:
    """The rules that a response to the request for robots.txt stands for (SRD §3.3.3)."""
    if response.status == 204 or 400 <= response.status <= 499:
        return robots.ALLOW_ALL
    if response.status != 200:
        raise RobotsUnavailable(origin=url.origin, error=f"http_status_{response.status}")
    text = response.body
    if response.cut:
        log.warning("robots.txt truncated at %d bytes", len(text), extra=here(event="robots_truncated"))
        # The last line is half: half a rule would forbid too much, and half a character allow everything.
        text = text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]
    return robots.parse(text)
