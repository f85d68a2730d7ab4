"""The cache of fetched pages on disk (SRD §3.6).

One key, the hash of a page's final URL and how it was rendered, has up to two files: the SRD's entry, and the
same page read as an article, with its tables. Each has its own times, counts towards the limits, and is
evicted by itself. A URL that was redirected has an alias, a file that names the key of the page it led to. A
lookup reads the alias first: it exists only while the last fetch of its URL was redirected, since storing a
page under a URL removes the URL's own alias. So a lookup reads at most two files and lists no directory.

All functions here block; call them in a thread where that matters.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic_core import PydanticSerializationError

from fetcher.clock import Clock
from fetcher.codes import Note, ReadingMode, RenderingMethod
from fetcher.web.cache.directory import CacheDirectory, read, remove
from fetcher.web.cache.entry import (
    KEPT_NOTES,
    VERSIONS,
    CacheEntry,
    cache_key,
    decode,
    decode_alias,
    encode,
    with_last_access,
)
from fetcher.web.errors import UrlRejected
from fetcher.web.fetch_log import about, here
from fetcher.web.net.canonical import canonicalise
from fetcher.web.values import CanonicalUrl, Document

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedPage:
    """A page from the cache, with the file that it was read from."""

    final_url: CanonicalUrl
    rendering_method: RenderingMethod
    fetched_at: datetime
    document: Document
    notes: frozenset[Note]
    path: Path = field(repr=False, compare=False)
    content: bytes = field(repr=False, compare=False)


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
    files = CacheDirectory(path=Path(directory).absolute(), max_entries=max_entries, max_bytes=max_bytes)
    try:
        files.prepare()
    except (OSError, ValueError) as reason:  # ValueError: a null byte in the path
        log.warning("cache_disabled: %s", reason, extra=here(event="cache_disabled"))
        return None
    ttl = timedelta(days=ttl_days)
    return PageCache(files, clock=clock, ttl=ttl, query_ttl=min(ttl, timedelta(hours=query_ttl_hours)))


class PageCache:
    """Looks up, stores and removes pages."""

    def __init__(self, files: CacheDirectory, *, clock: Clock, ttl: timedelta, query_ttl: timedelta) -> None:
        self._files = files
        self._clock = clock
        self._ttl = ttl
        self._query_ttl = query_ttl

    def lookup(
        self, url: CanonicalUrl, method: RenderingMethod, mode: ReadingMode = ReadingMode.SRD
    ) -> CachedPage | None:
        """The page that a requested URL led to, unless it is missing, expired, damaged or of another version.

        A damaged file is removed. Raises CacheReadFailed for a file that exists and may not be read.
        """
        if not self._is_trusted():
            return None
        key = cache_key(url, method)
        if (named := read(self._files.alias(key))) is not None:
            key = decode_alias(named) or key
        path = self._files.entry(key, mode)
        content = read(path)
        if content is None:
            return None
        try:
            entry = decode(content, key, mode)
            if entry is None or entry.expires_at < self._clock.now():
                return None
            final_url = canonicalise(entry.canonical_url)
        except (ValueError, UrlRejected):
            remove(path)
            return None
        return CachedPage(
            final_url=final_url,
            rendering_method=entry.rendering_method,
            fetched_at=entry.fetched_at,
            document=entry.extracted,
            notes=KEPT_NOTES.intersection(entry.notes),
            path=path,
            content=content,
        )

    def touch(self, page: CachedPage) -> None:
        """Record that a page was used just now (SRD FR-WF-CCH-LRU-01).

        Not a part of `lookup`: writing takes longer than reading, and no caller needs to wait for it.
        """
        try:
            used = with_last_access(page.content, self._clock.now())
            self._files.rewrite(page.path, page.content, used)
        except OSError as reason:
            log.debug("cache_touch_failed: %s", reason, extra=here(event="cache_touch_failed"))

    def store(
        self,
        *,
        requested: CanonicalUrl,
        final: CanonicalUrl,
        method: RenderingMethod,
        fetched_at: datetime,
        document: Document,
        mode: ReadingMode = ReadingMode.SRD,
        notes: frozenset[Note] = frozenset(),
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
            version=VERSIONS[mode],
            canonical_url=str(final),
            rendering_method=method,
            fetched_at=fetched_at,
            expires_at=fetched_at + ttl,
            last_accessed_at=self._clock.now().astimezone(UTC),
            notes=tuple(sorted(notes & KEPT_NOTES)),
            extracted=document,
        )
        try:
            content = encode(entry, mode)
            if len(content) > self._files.max_bytes:  # SRD FR-WF-CCH-SIZE-01
                raise OSError("entry exceeds max_cache_bytes")
            self._files.prepare()
            self._files.store(cache_key(final, method), mode, content, alias=cache_key(requested, method))
        except (OSError, PydanticSerializationError) as reason:
            fields = about(requested, method, event="cache_write_failed")
            log.warning("cache_write_failed: %s", reason, extra=fields)
            return False
        return True

    def forget(self, urls: Iterable[CanonicalUrl]) -> None:
        """Remove the pages of these URLs, in every rendering and mode, and their own aliases."""
        if not self._is_trusted():
            return
        for key in {cache_key(url, method) for url in urls for method in RenderingMethod}:
            for path in self._files.files(key):
                remove(path)

    def _is_trusted(self) -> bool:
        try:
            self._files.require_trust()
        except OSError:
            return False
        return True
