"""A new private directory for one rendering, which is removed afterwards (SRD FR-WF-BROWSER-ISO-01).

Its lock file is locked while it is in use. The kernel unlocks the file when this process ends, even if it is
killed. So the next rendering recognises directories that a killed process has left, and removes them.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "fetcher-browser-"
LOCK = ".in-use"
ATTEMPTS = 5


@contextmanager
def create_profile(parent: Path | None = None) -> Iterator[Path]:
    """Create a directory that only this user may read; remove it at the end of the block."""
    parent = parent or Path(tempfile.gettempdir())
    sweep(parent)
    directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    try:
        # The file gets its name after it is locked, so that no sweep finds it unlocked.
        draft = directory / f"{LOCK}.new"
        with draft.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            draft.rename(directory / LOCK)
            yield directory
    finally:
        remove(directory)


def sweep(parent: Path) -> None:
    """Remove the profiles of renderings whose process was killed."""
    for directory in parent.glob(PREFIX + "*"):
        with suppress(OSError):  # of another user, or removed meanwhile
            lock = os.open(directory / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(directory)
            finally:
                os.close(lock)


def remove(directory: Path) -> None:
    """Remove a directory; try a few times, since a process that is ending may still write into it."""
    for _ in range(ATTEMPTS):
        shutil.rmtree(directory, ignore_errors=True)
        if not directory.exists():
            return
