"""Keeps the cache within its limits, and its ledger consistent with its files.

The least recently used entry is evicted first (SRD FR-WF-16e), with its article and its aliases. Files may
be deleted or copied in by hand at any time (SRD FR-WF-17b), and a killed process may leave one uncounted.
Listing all directories for each write would be slow. So before an eviction only a few directories are
compared with the ledger: those of the new key and of the keys that follow it. Keys are hashes, so a full
cache is checked at random, and a small one completely. A lost ledger is made again by comparing all
directories.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fetcher.web.cache.entry import HEAD_BYTES, decode_alias, last_access
from fetcher.web.cache.files import ALIAS, SUFFIXES, TEMPORARY, CacheFiles, identify, remove, size_of, write
from fetcher.web.cache.index import EvictionLedger, IndexDamaged

AUDITED_KEYS = 8
STALE_AFTER = timedelta(hours=1)
"""No write takes so long: an older temporary file was left by a process that was killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLimits:
    entries: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedCache:
    """The files and the ledger, while this process holds the lock."""

    files: CacheFiles
    ledger: EvictionLedger
    now: datetime
    """Recorded as the last access, in the files and in the ledger."""

    def put(self, path: Path, key: str, content: bytes, limits: CacheLimits) -> None:
        """Evict other entries until there is room, and write one of a key's files."""
        if not self.ledger.complete():  # a new one: count all files
            for number in range(256):
                self._audit(f"{number:02x}")
            self.ledger.mark_complete()
        for sibling in self.files.entries(key):
            if sibling != path and size_of(sibling) + len(content) > limits.bytes:
                remove(sibling)
        own = self.files.size(key) - size_of(path) + len(content)
        if not self._fits(limits, key, own):
            near = [key, *self.ledger.following(key, AUDITED_KEYS)]
            for shard in sorted({name[:2] for name in near}):
                self._audit(shard)
        while not self._fits(limits, key, own):
            victim = self.ledger.oldest_besides(key)
            if victim is None:
                raise IndexDamaged("nothing is left to evict, and yet room is missing")
            self.evict(victim)
        self.unlink(key)  # this fetch of the URL was not redirected
        self.touch(path, key, content)

    def touch(self, path: Path, key: str, content: bytes) -> None:
        write(path, content)
        self.ledger.record(key, size=self.files.size(key), accessed=self.now)

    def discard(self, path: Path, key: str) -> None:
        """Remove one of a key's files, and evict the key if it was the last."""
        remove(path)
        rest = self.files.size(key)
        if rest:
            self.ledger.resize(key, rest)
        else:
            self.evict(key)

    def link(self, alias: str, target: str) -> None:
        write(self.files.alias(alias), target.encode())
        self.ledger.link(alias, target=target, linked=self.now)
        for surplus in self.ledger.surplus_aliases(target):
            self.unlink(surplus)

    def unlink(self, alias: str) -> None:
        remove(self.files.alias(alias))
        self.ledger.unlink(alias)

    def evict(self, key: str) -> None:
        for path in self.files.entries(key):
            remove(path)
        self.ledger.forget(key)
        for alias in self.ledger.aliases_of(key):
            self.unlink(alias)

    def _fits(self, limits: CacheLimits, key: str, size: int) -> bool:
        entries, used = self.ledger.totals_without(key)
        return entries < limits.entries and used + size <= limits.bytes

    def _audit(self, shard: str) -> None:
        """Compare a directory with the ledger, and correct the ledger."""
        directory, names = self.files.directory / shard, []
        with suppress(OSError):
            names = [path.name for path in directory.iterdir()]
        entries = {name[:64] for name in names if name[64:] in SUFFIXES.values()}
        recorded = self.ledger.keys(shard)
        for key in recorded - entries:
            self.evict(key)
        for key in entries - recorded:
            accessed = max(last_access(_read_head(path)) for path in self.files.entries(key))
            self.ledger.record(key, size=self.files.size(key), accessed=accessed)
        aliases = {name[:64] for name in names if name[64:] == ALIAS}
        linked = self.ledger.aliases(shard)
        for alias in linked - aliases:
            self.ledger.unlink(alias)
        for alias in aliases - linked:
            target = decode_alias(_read_head(self.files.alias(alias)))
            if target is None:
                remove(self.files.alias(alias))
            else:
                self.ledger.link(alias, target=target, linked=self.now)
        for path in (directory / name for name in names if name[64:].startswith(TEMPORARY)):
            identity = identify(path)
            if identity and self.now - datetime.fromtimestamp(identity[1] / 1e9, UTC) > STALE_AFTER:
                remove(path)


def _read_head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return b""
