"""The cache's directory: who may own it, how files are read and replaced, and which are evicted.

    {directory}/{first two of the key}/{key}.json           the SRD's entry
                                       {key}.article.json   the same page as an article, with its tables
                                       {key}.alias          the key of the page that this URL leads to
                                       {key}.tmp.{random}   one of the above while it is written
    {directory}/usage                                       how many files and bytes there are, and the lock

A key is a SHA-256 in hexadecimal: no text from outside becomes part of a path (SRD FR-WF-16b).

The files alone decide what is cached. Reading takes no lock, because a file is always replaced as a whole.
Writing holds the lock on `usage`, which the kernel releases when a process ends. The numbers in it save a
write from listing all files; where there are none, the files are counted. Once a limit is reached, every file
is looked at, and those whose own `last_accessed_at` is the oldest go, with one in a hundred to spare, so that
the next writes need not look again. Files that are copied in by hand are not counted before that.
"""

import errno
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from secrets import token_hex

from fetcher.codes import ReadingMode
from fetcher.web.cache.entry import HEAD_BYTES, decode_alias, last_access
from fetcher.web.errors import CacheReadFailed

SUFFIXES = {ReadingMode.SRD: ".json", ReadingMode.ARTICLE: ".article.json"}
ALIAS = ".alias"
TEMPORARY = ".tmp."
USAGE = "usage"
ENTRIES, ALIASES = "??/*.json", f"??/*{ALIAS}"

STORE_SECONDS, TOUCH_SECONDS = 5.0, 0.25
"""How long a write waits for the lock."""
SPARE = 100
"""One in so many is evicted beyond what is needed."""
STALE_SECONDS = 3600
"""No write takes so long: an older temporary file was left by a process that was killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How much there is in the directory, as far as it is known."""

    entries: int
    bytes: int
    aliases: int


class Untrusted(OSError):
    """Other users could plant pages in this directory, or it is not one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheDirectory:
    """The files of a cache, within its limits."""

    path: Path
    max_entries: int
    max_bytes: int

    def entry(self, key: str, mode: ReadingMode) -> Path:
        return self.path.joinpath(key[:2], f"{key}{SUFFIXES[mode]}")

    def alias(self, key: str) -> Path:
        return self.path.joinpath(key[:2], f"{key}{ALIAS}")

    def files(self, key: str) -> list[Path]:
        """Every file that a key may have."""
        return [*(self.entry(key, mode) for mode in SUFFIXES), self.alias(key)]

    def prepare(self) -> None:
        """Make the directory, and require that only this user can change it; raises OSError."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.require_trust()

    def require_trust(self) -> None:
        """Raises OSError. A temporary directory may be cleaned away, and another user can make one then."""
        user, link, target = os.geteuid(), self.path.lstat(), self.path.stat()
        if stat.S_ISLNK(link.st_mode) and link.st_uid not in (user, 0):
            raise Untrusted(f"{self.path} is not used: it is another user's symbolic link")
        if not stat.S_ISDIR(target.st_mode):
            raise Untrusted(f"{self.path} is not used: it is not a directory")
        if target.st_uid != user:
            raise Untrusted(f"{self.path} is not used: it belongs to another user")
        if target.st_mode & 0o022:
            raise Untrusted(f"{self.path} is not used: other users may write to it")

    def store(self, key: str, mode: ReadingMode, content: bytes, *, alias: str) -> None:
        """Write an entry, and an alias for the URL that led to it; raises OSError."""
        with self._locked(STORE_SECONDS) as numbers:
            self._put(numbers, self.entry(key, mode), content)
            remove(self.alias(key))  # this fetch of the URL was not redirected
            if alias != key:
                self._link(numbers, self.alias(alias), key)

    def rewrite(self, path: Path, found: bytes, content: bytes) -> None:
        """Replace an entry's content, unless it has changed since it was read; raises OSError."""
        with self._locked(TOUCH_SECONDS) as numbers:
            if read(path) == found:
                self._put(numbers, path, content)

    @contextmanager
    def _locked(self, seconds: float) -> Iterator[int]:
        """Hold the lock, and yield the descriptor of the file with the numbers."""
        descriptor = os.open(self.path / USAGE, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            end = time.monotonic() + seconds
            while not _took_lock(descriptor):
                if time.monotonic() > end:
                    raise TimeoutError("another process holds the cache's lock")
                time.sleep(0.002)
            yield descriptor
        finally:
            os.close(descriptor)

    def _put(self, numbers: int, path: Path, content: bytes) -> None:
        usage, old = self._usage(numbers), size_of(path)
        entries = usage.entries + (old is None)
        used = usage.bytes + len(content) - (old or 0)
        aliases = usage.aliases
        if entries > self.max_entries or used > self.max_bytes:
            entries, used = self._make_room(path, len(content))
            aliases = self._drop_aliases()
        os.ftruncate(numbers, 0)  # if this process is killed before the end, the files are counted again
        write(path, content)
        _record(numbers, Usage(entries=entries, bytes=used, aliases=aliases))

    def _link(self, numbers: int, alias: Path, target: str) -> None:
        usage = self._usage(numbers)
        aliases = usage.aliases + (not alias.exists())
        os.ftruncate(numbers, 0)
        write(alias, target.encode())
        if aliases > self.max_entries:  # a site can make any number of URLs that lead to one page
            aliases = self._drop_aliases()
        _record(numbers, Usage(entries=usage.entries, bytes=usage.bytes, aliases=aliases))

    def _usage(self, numbers: int) -> Usage:
        """The numbers as they were recorded; where there are none, the files are counted."""
        recorded = os.pread(numbers, 100, 0).split()
        if len(recorded) == 3 and all(number.isdigit() for number in recorded):
            entries, used, aliases = map(int, recorded)
            return Usage(entries=entries, bytes=used, aliases=aliases)
        sizes = [size_of(path) or 0 for path in self.path.glob(ENTRIES)]
        return Usage(entries=len(sizes), bytes=sum(sizes), aliases=len(list(self.path.glob(ALIASES))))

    def _make_room(self, path: Path, size: int) -> tuple[int, int]:
        """Evict the least recently used until a file has room; return the entries and bytes with it."""
        others = [
            (last_access(_head(other)), other.name, other, size_of(other) or 0)
            for other in self.path.glob(ENTRIES)
            if other != path
        ]
        entries, used = len(others) + 1, sum(each[-1] for each in others) + size
        if entries > self.max_entries or used > self.max_bytes:
            most_entries = self.max_entries - self.max_entries // SPARE
            most_bytes = self.max_bytes - self.max_bytes // SPARE
            for _, _, other, its_size in sorted(others):  # ties go by key (SRD FR-WF-CCH-LRU-01)
                if entries <= most_entries and used <= most_bytes:
                    break
                remove(other)
                entries, used = entries - 1, used - its_size
        for left in self.path.glob(f"??/*{TEMPORARY}*"):
            if time.time() - _changed_at(left) > STALE_SECONDS:
                remove(left)
        return entries, used

    def _drop_aliases(self) -> int:
        """Remove aliases of pages that are gone, and the oldest beyond the limit; return how many stay."""
        aliases = []
        for alias in self.path.glob(ALIASES):
            target = decode_alias(_head(alias))
            if target and any(self.entry(target, mode).exists() for mode in SUFFIXES):
                aliases.append((_changed_at(alias), alias))
            else:
                remove(alias)
        aliases.sort()
        surplus = aliases[: max(0, len(aliases) - self.max_entries)]
        for _, alias in surplus:
            remove(alias)
        return len(aliases) - len(surplus)


def read(path: Path) -> bytes | None:
    """Read a file; None if there is none. Raises CacheReadFailed where it may not be read."""
    try:
        return path.read_bytes()
    except PermissionError as error:
        raise CacheReadFailed(path=str(path), error=error.strerror or "permission denied") from error
    except OSError:
        return None


def write(path: Path, content: bytes) -> None:
    """Replace a file as a whole (SRD FR-WF-16g); raises OSError.

    The data is not flushed to the disk: a file that a power cut damages is a miss.
    """
    path.parent.mkdir(mode=0o700, exist_ok=True)
    key = path.name.partition(".")[0]
    temporary = path.with_name(f"{key}{TEMPORARY}{token_hex(8)}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        try:
            temporary.replace(path)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            shutil.copy(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Remove a file, if that is possible."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def size_of(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except OSError:
        return None


def _changed_at(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return b""


def _record(numbers: int, usage: Usage) -> None:
    os.pwrite(numbers, f"{usage.entries} {usage.bytes} {usage.aliases}\n".encode(), 0)


def _took_lock(descriptor: int) -> bool:
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True
