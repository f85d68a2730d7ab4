"""Keeping the cache within its limits, and its ledger in step with its files.

The least recently used entry goes first (SRD FR-WF-16e), with its article and its aliases. Files
may be deleted or copied in by hand at any time (SRD FR-WF-17b), and a killed process may leave one
uncounted. Listing everything for each write would be slow, so before anything is evicted a few
directories are listed and compared with the ledger: those of the new key and of the keys that follow it.
Keys are hashes, so a full cache is gone through at random, and a small one whole each time.
The same comparison over all directories makes a lost ledger anew.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fetcher.web.cache.entry import HEAD_BYTES, decode_alias, last_access
from fetcher.web.cache.files import ALIAS, SUFFIXES, TEMPORARY, CacheFiles, identify, remove, size_of, write
from fetcher.web.cache.index import EvictionLedger, IndexDamaged

AUDITED_KEYS = 8
STALE_AFTER = timedelta(hours=1)
"""No write takes so long: what is still on its way then was left by a process that died."""

_SHARDS = [f"{number:02x}" for number in range(256)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLimits:
    entries: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Housekeeping:
    """The files and the ledger, while this process alone may change them."""

    files: CacheFiles
    ledger: EvictionLedger
    now: datetime
    """The moment that the files are given as their `last_accessed_at`, and the ledger with them."""

    def put(self, path: Path, key: str, content: bytes, limits: CacheLimits) -> None:
        """Write one of a key's files, once there is room for it."""
        self._count_all()
        for sibling in self.files.entries(key):
            if sibling != path and size_of(sibling) + len(content) > limits.bytes:
                remove(sibling)
        own = self.files.size(key) - size_of(path) + len(content)
        self._make_room(limits, key=key, size=own)
        self.unlink(key)  # the URL was fetched and led nowhere else
        self.touch(path, key, content)

    def touch(self, path: Path, key: str, content: bytes) -> None:
        write(path, content)
        self.ledger.record(key, size=self.files.size(key), accessed=self.now)

    def discard(self, path: Path, key: str) -> None:
        """Remove one of a key's files, and all that is left of the key if it was the last."""
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

    def _make_room(self, limits: CacheLimits, *, key: str, size: int) -> None:
        if self._fits(limits, key, size):
            return
        near = [key, *self.ledger.following(key, AUDITED_KEYS)]
        for shard in sorted({name[:2] for name in near}):
            self._audit(shard)
        while not self._fits(limits, key, size):
            victim = self.ledger.oldest_besides(key)
            if victim is None:
                raise IndexDamaged("nothing is left to evict, and yet there is no room")
            self.evict(victim)

    def _fits(self, limits: CacheLimits, key: str, size: int) -> bool:
        entries, used = self.ledger.totals_without(key)
        return entries < limits.entries and used + size <= limits.bytes

    def _count_all(self) -> None:
        """Make a new ledger complete."""
        if self.ledger.complete():
            return
        for shard in _SHARDS:
            self._audit(shard)
        self.ledger.mark_complete()

    def _audit(self, shard: str) -> None:
        directory = self.files.shard(shard)
        names = _names(directory)
        entries = {name[:64] for name in names if name[64:] in SUFFIXES.values()}
        aliases = {name[:64] for name in names if name[64:] == ALIAS}
        self._compare_entries(entries, self.ledger.keys(shard))
        self._compare_aliases(aliases, self.ledger.aliases(shard))
        for name in names:
            if name[64:].startswith(TEMPORARY):
                self._remove_if_stale(directory / name)

    def _compare_entries(self, found: set[str], recorded: set[str]) -> None:
        for key in recorded - found:
            self.evict(key)
        for key in found - recorded:
            accessed = max(last_access(_head(path)) for path in self.files.entries(key))
            self.ledger.record(key, size=self.files.size(key), accessed=accessed)

    def _compare_aliases(self, found: set[str], recorded: set[str]) -> None:
        for alias in recorded - found:
            self.ledger.unlink(alias)
        for alias in found - recorded:
            target = decode_alias(_head(self.files.alias(alias)))
            if target is None:
                remove(self.files.alias(alias))
            else:
                self.ledger.link(alias, target=target, linked=self.now)

    def _remove_if_stale(self, path: Path) -> None:
        identity = identify(path)
        if identity and self.now - datetime.fromtimestamp(identity[1] / 1e9, UTC) > STALE_AFTER:
            remove(path)


def _names(directory: Path) -> list[str]:
    try:
        return [path.name for path in directory.iterdir()]
    except OSError:
        return []


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return b""
