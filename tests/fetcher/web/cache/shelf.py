"""A page cache with its directory and its clock, in few words."""

from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from fetcher.codes import Note, ReadingMode, RenderingMethod
from fetcher.web.cache import CachedPage, PageCache, open_cache
from fetcher.web.net.canonical import canonicalise
from fetcher.web.values import CanonicalUrl, Document
from tests.fakes.clock import FakeClock

HTTP, BROWSER = RenderingMethod.HTTP, RenderingMethod.BROWSER
SRD, ARTICLE = ReadingMode.SRD, ReadingMode.ARTICLE
MIB = 1024 * 1024


def url(name: str) -> CanonicalUrl:
    return canonicalise(f"https://example.com/{name}")


class Shelf:
    """Pages are named by their path; a second passes after each that is put here."""

    def __init__(
        self, directory: Path, *, entries: int = 100, size: int = MIB, query_hours: int = 24
    ) -> None:
        self.directory = directory
        self._query_hours = query_hours
        self.clock = FakeClock()
        self.cache = self._open(entries, size)

    def limit(self, *, entries: int) -> None:
        """Open the cache again with another limit."""
        self.cache = self._open(entries, MIB)

    def put(
        self,
        name: str,
        text: str = "text",
        *,
        requested: str | None = None,
        method: RenderingMethod = HTTP,
        mode: ReadingMode = SRD,
        document: Document | None = None,
        notes: frozenset[Note] = frozenset(),
    ) -> bool:
        stored = self.cache.store(
            requested=url(requested or name),
            final=url(name),
            method=method,
            fetched_at=self.clock.now(),
            document=document or Document(markdown=text),
            mode=mode,
            notes=notes,
        )
        self.clock.advance(timedelta(seconds=1))
        return stored

    def get(self, name: str, *, method: RenderingMethod = HTTP, mode: ReadingMode = SRD) -> CachedPage | None:
        """A page, looked up and marked as used."""
        page = self.cache.lookup(url(name), method, mode)
        if page is not None:
            self.cache.touch(page)
        return page

    def text(self, name: str, *, method: RenderingMethod = HTTP, mode: ReadingMode = SRD) -> str | None:
        page = self.get(name, method=method, mode=mode)
        return page.document.markdown if page else None

    def path(self, name: str, *, method: RenderingMethod = HTTP, suffix: str = ".json") -> Path:
        key = sha256(f"{url(name)}\n{method}".encode()).hexdigest()
        return self.directory / key[:2] / f"{key}{suffix}"

    def kept(self, names: str) -> str:
        """Those of some pages, named by one letter each, whose entries are on disk."""
        return "".join(name for name in names if self.path(name).exists())

    def entries(self) -> list[Path]:
        return sorted(self.directory.glob("*/*.json"))

    def left_over(self) -> list[Path]:
        return list(self.directory.glob("*/*.tmp.*"))

    def _open(self, entries: int, size: int) -> PageCache:
        cache = open_cache(
            directory=str(self.directory),
            clock=self.clock,
            ttl_days=7,
            query_ttl_hours=self._query_hours,
            max_entries=entries,
            max_bytes=size,
        )
        assert cache is not None
        return cache
