"""Pages that were fetched before, kept on disk (SRD §3.6).

One key, the hash of a page's final URL and how it was rendered, has up to two files: the SRD's
entry and the same page read as an article, with its tables. Each stands for itself, with its own
times; both count towards the limits and are evicted together. A URL that was redirected has an
alias, a file that names the key of the page it led to. The alias is asked first: it exists only
while the last fetch of its URL was redirected, since storing a page under a URL removes the URL's
own alias. So a lookup reads at most two files and lists no directory.

Every change happens while holding the index's lock; reading takes no lock, because a file is only
ever replaced whole. Under the lock a file is changed only if it is still the one that was read:
a hit's new `last_accessed_at` never brings back an older page or one evicted meanwhile.

All of this blocks; call it from a thread where that matters.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic_core import PydanticSerializationError

from fetcher.clock import Clock
from fetcher.codes import ReadingMode, RenderingMethod
from fetcher.web.cache.entry import (
    CacheEntry,
    cache_key,
    decode,
    decode_alias,
    encode,
    least_size,
    with_last_access,
)
from fetcher.web.cache.eviction import CacheLimits, Housekeeping
from fetcher.web.cache.files import CacheFiles, Found, distrust, identify, read, remove
from fetcher.web.cache.index import EvictionIndex, IndexDamaged
from fetcher.web.errors import UrlRejected
from fetcher.web.fetch_log import about, here
from fetcher.web.net.canonical import canonicalise
from fetcher.web.values import CanonicalUrl, Document

log = logging.getLogger(__name__)

INDEX_NAME = "index.sqlite3"
PATIENCE_TO_STORE = timedelta(seconds=5)
PATIENCE_TO_TOUCH = timedelta(milliseconds=250)


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedPage:
    """A page as it was read when it was fetched."""

    final_url: CanonicalUrl
    rendering_method: RenderingMethod
    fetched_at: datetime
    document: Document
    trace: "CacheLocation" = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLocation:
    """Where a page was found, for `touch`."""

    key: str
    path: Path
    found: Found


class _Refused(Exception):
    """An entry that is not written, and why."""


def open_cache(
    *,
    directory: str,
    clock: Clock,
    ttl_days: int,
    query_ttl_hours: int,
    max_entries: int,
    max_bytes: int,
) -> "PageCache | None":
    """The cache in a directory, or None where caching is disabled (SRD FR-WF-CCH-ENABLE-01)."""
    if not directory.strip() or max_entries <= 0:
        return None
    path = Path(directory).absolute()
    try:
        _prepare(path)
    except (OSError, ValueError, _Refused) as reason:  # ValueError: a null byte in the path
        log.warning("cache_disabled: %s", reason, extra=here(event="cache_disabled"))
        return None
    return PageCache(
        directory=path,
        clock=clock,
        ttl=timedelta(days=ttl_days),
        query_ttl=timedelta(hours=query_ttl_hours),
        max_entries=max_entries,
        max_bytes=max_bytes,
    )


def _prepare(directory: Path) -> None:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    reason = distrust(directory)
    if reason is not None:
        raise _Refused(f"{directory} is not used: {reason}")


class PageCache:
    def __init__(
        self,
        *,
        directory: Path,
        clock: Clock,
        ttl: timedelta,
        query_ttl: timedelta,
        max_entries: int,
        max_bytes: int,
    ) -> None:
        self._files = CacheFiles(directory)
        self._index = EvictionIndex(directory / INDEX_NAME)
        self._clock = clock
        self._ttl = ttl
        self._query_ttl = min(ttl, query_ttl)
        self._limits = CacheLimits(entries=max_entries, bytes=max_bytes)

    def lookup(
        self, url: CanonicalUrl, method: RenderingMethod, mode: ReadingMode = ReadingMode.SRD
    ) -> CachedPage | None:
        """The page that a requested URL led to, unless it is missing, expired or damaged.

        Raises CacheReadFailed for a file that exists and may not be read.
        """
        if not self._trusted():
            return None
        now = self._clock.now()
        key = self._follow(cache_key(url, method), now)
        path = self._files.entry(key, mode)
        found = read(path)
        if found is None:
            return None
        trace = CacheLocation(key=key, path=path, found=found)
        try:
            entry = decode(found.content, key)
            page = None if entry is None else _page(entry, trace)
        except (ValueError, UrlRejected):
            self._change(path, found, now, lambda house: house.discard(path, key))
            return None
        return None if entry is None or entry.expires_at < now else page

    def touch(self, page: CachedPage) -> None:
        """Record that a page was used just now (SRD FR-WF-CCH-LRU-01).

        Apart from `lookup`, because writing takes twice as long as reading and nobody waits for it.
        """
        now, trace = self._clock.now(), page.trace
        used = with_last_access(trace.found.content, now)
        self._change(trace.path, trace.found, now, lambda house: house.touch(trace.path, trace.key, used))

    def store(
        self,
        *,
        requested: CanonicalUrl,
        final: CanonicalUrl,
        method: RenderingMethod,
        fetched_at: datetime,
        document: Document,
        mode: ReadingMode = ReadingMode.SRD,
    ) -> bool:
        """Keep a page for its final URL and for the one that led there; False if it could not be written.

        What answers a query, searches above all, is kept for a shorter time; for none, it is not written.
        A failure is logged and never raised (SRD FR-WF-16h).
        """
        ttl = self._query_ttl if requested.query or final.query else self._ttl
        if not ttl:
            return True
        entry = self._entry(final, method, fetched_at, document, ttl)
        try:
            self._require_room(least_size(document, mode))
            self._write(entry, mode, alias=cache_key(requested, method))
        except (OSError, sqlite3.Error, PydanticSerializationError, _Refused) as reason:
            fields = about(requested, method, event="cache_write_failed")
            log.warning("cache_write_failed: %s", reason, extra=fields)
            return False
        return True

    def forget(self, urls: Iterable[CanonicalUrl]) -> None:
        """Remove the pages of some URLs, however they were rendered and read, and what leads to them."""
        keys = {cache_key(url, method) for url in urls for method in RenderingMethod}
        kept = {key for key in keys if any(path.exists() for path in self._files.all(key))}

        def remove_all(house: Housekeeping) -> None:
            for key in kept:
                house.unlink(key)
                house.evict(key)

        if not kept or not self._trusted():
            return
        try:
            self._alone(remove_all, now=self._clock.now(), patience=PATIENCE_TO_STORE)
        except (OSError, sqlite3.Error) as reason:
            log.warning("cache_index_failed: %s", reason, extra=here(event="cache_index_failed"))
            for path in (path for key in kept for path in self._files.all(key)):
                remove(path)  # the files are the truth: the index will notice

    def _entry(
        self,
        final: CanonicalUrl,
        method: RenderingMethod,
        fetched_at: datetime,
        document: Document,
        ttl: timedelta,
    ) -> CacheEntry:
        fetched_at = fetched_at.astimezone(UTC)
        return CacheEntry(
            canonical_url=str(final),
            rendering_method=method,
            fetched_at=fetched_at,
            expires_at=fetched_at + ttl,
            last_accessed_at=self._clock.now().astimezone(UTC),
            extracted=document,
        )

    def _write(self, entry: CacheEntry, mode: ReadingMode, *, alias: str) -> None:
        content = encode(entry, mode)
        self._require_room(len(content))
        _prepare(self._files.directory)
        key = cache_key(entry.canonical_url, entry.rendering_method)
        path = self._files.entry(key, mode)

        def put(house: Housekeeping) -> None:
            house.put(path, key, content, self._limits)
            if alias != key:
                house.link(alias, key)

        self._alone(put, now=entry.last_accessed_at, patience=PATIENCE_TO_STORE)

    def _require_room(self, size: int) -> None:
        """SRD FR-WF-CCH-SIZE-01."""
        if size > self._limits.bytes:
            raise _Refused("entry exceeds max_cache_bytes")

    def _trusted(self) -> bool:
        """Asked each time: cleaners of temporary directories make way for somebody else's."""
        try:
            return distrust(self._files.directory) is None
        except OSError:
            return False

    def _follow(self, key: str, now: datetime) -> str:
        """The key that a requested URL's alias names; its own key where there is none."""
        path = self._files.alias(key)
        found = read(path)
        target = None if found is None else decode_alias(found.content)
        if found is not None and target is None:
            self._change(path, found, now, lambda house: house.unlink(key))
        return target or key

    def _change(
        self, path: Path, found: Found, now: datetime, change: Callable[[Housekeeping], None]
    ) -> None:
        """Change a file that was just read if it is still the same; no lookup fails over it."""

        def change_if_same(house: Housekeeping) -> None:
            if found.identity is not None and found.identity == identify(path):
                change(house)

        try:
            self._alone(change_if_same, now=now, patience=PATIENCE_TO_TOUCH)
        except (OSError, sqlite3.Error) as reason:
            log.debug("cache_touch_failed: %s", reason, extra=here(event="cache_touch_failed"))

    def _alone(self, work: Callable[[Housekeeping], None], *, now: datetime, patience: timedelta) -> None:
        """Work while no other process changes anything, once more if the index had to be thrown away."""
        try:
            self._attempt(work, now, patience)
        except IndexDamaged:
            self._attempt(work, now, patience)

    def _attempt(self, work: Callable[[Housekeeping], None], now: datetime, patience: timedelta) -> None:
        with self._index.held(patience=patience) as ledger:
            work(Housekeeping(files=self._files, ledger=ledger, now=now))


def _page(entry: CacheEntry, trace: CacheLocation) -> CachedPage:
    return CachedPage(
        final_url=canonicalise(entry.canonical_url),
        rendering_method=entry.rendering_method,
        fetched_at=entry.fetched_at,
        document=entry.extracted,
        trace=trace,
    )
