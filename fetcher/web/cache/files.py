"""The cache's directory: paths of files, who may own it, and how files are read, replaced and removed.

    {directory}/{first two of the key}/{key}.json           the SRD's entry
                                       {key}.article.json   the same page as an article, with its tables
                                       {key}.alias          the key of the page that this URL leads to
                                       {key}.tmp.{random}   one of the above while it is written

A key is a SHA-256 in hexadecimal: no text from outside becomes part of a path (SRD FR-WF-16b).
"""

import errno
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from fetcher.codes import ReadingMode
from fetcher.web.errors import CacheReadFailed

SUFFIXES = {ReadingMode.SRD: ".json", ReadingMode.ARTICLE: ".article.json"}
ALIAS = ".alias"
TEMPORARY = ".tmp."

Identity = tuple[int, int, int]
"""Inode, time of change and size; a file that was replaced differs in one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file's content, and its identity when it was read."""

    content: bytes
    identity: Identity | None


@dataclass(frozen=True, slots=True)
class CacheFiles:
    """The paths of a cache's files."""

    directory: Path

    def entry(self, key: str, mode: ReadingMode) -> Path:
        return self.directory.joinpath(key[:2], f"{key}{SUFFIXES[mode]}")

    def alias(self, key: str) -> Path:
        return self.directory.joinpath(key[:2], f"{key}{ALIAS}")

    def entries(self, key: str) -> list[Path]:
        """Both files that a key may have."""
        return [self.entry(key, mode) for mode in SUFFIXES]

    def all(self, key: str) -> list[Path]:
        """Every file that a key may have."""
        return [*self.entries(key), self.alias(key)]

    def size(self, key: str) -> int:
        return sum(map(size_of, self.entries(key)))


def reason_to_distrust(directory: Path) -> str | None:
    """Why a directory may not be used, or None; other users could plant pages in one that they can change."""
    if not hasattr(os, "geteuid"):
        return None
    user = os.geteuid()
    link = directory.lstat()
    if stat.S_ISLNK(link.st_mode) and link.st_uid not in (user, 0):
        return "it is another user's symbolic link"
    target = directory.stat()
    if not stat.S_ISDIR(target.st_mode):
        return "it is not a directory"
    if target.st_uid != user:
        return "it belongs to another user"
    return "other users may write to it" if target.st_mode & 0o022 else None


def identify(path: Path) -> Identity | None:
    """The identity of the file at a path; None if there is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def size_of(path: Path) -> int:
    identity = identify(path)
    return identity[2] if identity else 0


def read(path: Path) -> Found | None:
    """Read a file; None if there is none. The content is empty if it is something else, as a directory."""
    try:
        identity = identify(path)
        return Found(content=path.read_bytes(), identity=identity)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise CacheReadFailed(path=str(path), error=error.strerror or "permission denied") from error
    except OSError:
        return Found(content=b"", identity=identify(path))


def write(path: Path, content: bytes) -> None:
    """Replace a file as a whole (SRD FR-WF-16g).

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
        except IsADirectoryError:
            remove(path)
            temporary.replace(path)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            shutil.copy(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Remove a file, or a directory in its place, if that is possible."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        shutil.rmtree(path, ignore_errors=True)
