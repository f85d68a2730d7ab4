"""The cache of fetched pages on disk (SRD §3.6).

One key, the hash of a page's final URL and how it was rendered, has up to two files: the SRD's entry, and the
same page read as an article, with its tables. Each file has its own times; both count towards the limits and
are evicted together. A URL that was redirected has an alias, a file that names the key of the page it led to.
A lookup reads the alias first: it exists only while the last fetch of its URL was redirected, since storing a
page under a URL removes the URL's own alias. So a lookup reads at most two files and lists no directory.

Every change happens while holding the index's lock. Reading takes no lock, because a file is always replaced
as a whole. Under the lock a file is changed only if it is still the one that was read: a hit's new
`last_accessed_at` never brings back an older page, or one that was evicted meanwhile.

All functions here block; call them in a thread where that matters.
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
from fetcher.web.cache.eviction import CacheLimits, LockedCache
from fetcher.web.cache.files import CacheFiles, Found, identify, read, reason_to_distrust, remove
from fetcher.web.cache.index import EvictionIndex, IndexDamaged
from fetcher.web.errors import UrlRejected
from fetcher.web.fetch_log import about, here
from fetcher.web.net.canonical import canonicalise
from fetcher.web.values import CanonicalUrl, Document

log = logging.getLogger(__name__)

INDEX_NAME = "index.sqlite3"
STORE_TIMEOUT = timedelta(seconds=5)
TOUCH_TIMEOUT = timedelta(milliseconds=250)


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedPage:
    """A page from the cache."""

    final_url: CanonicalUrl
    rendering_method: RenderingMethod
    fetched_at: datetime
    document: Document
    location: "CacheLocation" = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLocation:
    """Where a page is stored, for `touch`."""

    key: str
    path: Path
    found: Found


class _NotWritable(Exception):
    """Why an entry or the cache is not written."""


def open_cache(
    *,
    directory: str,
    clock: Clock,
    ttl_days: int,
    query_ttl_hours: int,
    max_entries: int,
    max_bytes: int,
) -> "PageCache | None":
    """Open the cache in a directory; None if caching is disabled (SRD FR-WF-CCH-ENABLE-01)."""
    if not directory.strip() or max_entries <= 0:
        return None
    path = Path(directory).absolute()
    try:
        _prepare_directory(path)
    except (OSError, ValueError, _NotWritable) as reason:  # ValueError: a null byte in the path
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


def _prepare_directory(directory: Path) -> None:
    """Make the directory, and require that only this user can change it."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    reason = reason_to_distrust(directory)
    if reason is not None:
        raise _NotWritable(f"{directory} is not used: {reason}")


class PageCache:
    """Looks up, stores and removes pages."""

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
        key = requested = cache_key(url, method)
        alias = self._files.alias(requested)
        if (named := read(alias)) is not None:
            target = decode_alias(named.content)
            if target is None:
                self._change(alias, named, now, lambda locked: locked.unlink(requested))
            key = target or requested
        path = self._files.entry(key, mode)
        found = read(path)
        if found is None:
            return None
        try:
            entry = decode(found.content, key)
            if entry is None:
                return None
            page = CachedPage(
                final_url=canonicalise(entry.canonical_url),
                rendering_method=entry.rendering_method,
                fetched_at=entry.fetched_at,
                document=entry.extracted,
                location=CacheLocation(key=key, path=path, found=found),
            )
        except (ValueError, UrlRejected):
            self._change(path, found, now, lambda locked: locked.discard(path, key))
            return None
        return None if entry.expires_at < now else page

    def touch(self, page: CachedPage) -> None:
        """Record that a page was used just now (SRD FR-WF-CCH-LRU-01).

        Not a part of `lookup`: writing takes twice as long as reading, and no caller needs to wait for it.
        """
        now, at = self._clock.now(), page.location
        used = with_last_access(at.found.content, now)
        self._change(at.path, at.found, now, lambda locked: locked.touch(at.path, at.key, used))

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
        """Store a page for its final URL and for the requested one; False if it could not be written.

        A page whose URL has a query, such as a search, is stored for a shorter time; for a time of 0, it is
        not stored. A failure is logged and never raised (SRD FR-WF-16h).
        """
        ttl = self._query_ttl if requested.query or final.query else self._ttl
        if not ttl:
            return True
        fetched_at = fetched_at.astimezone(UTC)
        entry = CacheEntry(
            canonical_url=str(final),
            rendering_method=method,
            fetched_at=fetched_at,
            expires_at=fetched_at + ttl,
            last_accessed_at=self._clock.now().astimezone(UTC),
            extracted=document,
        )
        try:
            self._require_room(least_size(document, mode))
            self._write(entry, mode, alias=cache_key(requested, method))
        except (OSError, sqlite3.Error, PydanticSerializationError, _NotWritable) as reason:
            fields = about(requested, method, event="cache_write_failed")
            log.warning("cache_write_failed: %s", reason, extra=fields)
            return False
        return True

    def forget(self, urls: Iterable[CanonicalUrl]) -> None:
        """Remove the pages of these URLs, in every rendering and mode, and the aliases that lead to them."""
        keys = {cache_key(url, method) for url in urls for method in RenderingMethod}
        stored = {key for key in keys if any(path.exists() for path in self._files.all(key))}
        if not stored or not self._trusted():
            return

        def remove_all(locked: LockedCache) -> None:
            for key in stored:
                locked.unlink(key)
                locked.evict(key)

        try:
            self._run_locked(remove_all, now=self._clock.now(), timeout=STORE_TIMEOUT)
        except (OSError, sqlite3.Error) as reason:
            log.warning("cache_index_failed: %s", reason, extra=here(event="cache_index_failed"))
            for path in (path for key in stored for path in self._files.all(key)):
                remove(path)  # the files decide: the index is corrected later

    def _write(self, entry: CacheEntry, mode: ReadingMode, *, alias: str) -> None:
        content = encode(entry, mode)
        self._require_room(len(content))
        _prepare_directory(self._files.directory)
        key = cache_key(entry.canonical_url, entry.rendering_method)
        path = self._files.entry(key, mode)

        def put(locked: LockedCache) -> None:
            locked.put(path, key, content, self._limits)
            if alias != key:
                locked.link(alias, key)

        self._run_locked(put, now=entry.last_accessed_at, timeout=STORE_TIMEOUT)

    def _require_room(self, size: int) -> None:
        """SRD FR-WF-CCH-SIZE-01."""
        if size > self._limits.bytes:
            raise _NotWritable("entry exceeds max_cache_bytes")

    def _trusted(self) -> bool:
        """Checked each time: when a temporary directory was cleaned away, another user can make one."""
        try:
            return reason_to_distrust(self._files.directory) is None
        except OSError:
            return False

    def _change(self, path: Path, found: Found, now: datetime, change: Callable[[LockedCache], None]) -> None:
        """Change a file that was just read, if it is still the same; an error is only logged."""

        def change_if_same(locked: LockedCache) -> None:
            if found.identity is not None and found.identity == identify(path):
                change(locked)

        try:
            self._run_locked(change_if_same, now=now, timeout=TOUCH_TIMEOUT)
        except (OSError, sqlite3.Error) as reason:
            log.debug("cache_touch_failed: %s", reason, extra=here(event="cache_touch_failed"))

    def _run_locked(self, work: Callable[[LockedCache], None], *, now: datetime, timeout: timedelta) -> None:
        """Run work while no other process changes the cache; run it again if the index was damaged."""
        for attempt in (1, 2):
            try:
                with self._index.lock(timeout=timeout) as ledger:
                    work(LockedCache(files=self._files, ledger=ledger, now=now))
                return
            except IndexDamaged:
                if attempt == 2:
                    raise
