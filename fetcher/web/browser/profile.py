"""A directory for one rendering: fresh, private, and gone afterwards (SRD FR-WF-BROWSER-ISO-01).

While it is in use its lock file is locked. The kernel unlocks it when this process ends, however
it ends, so that the next rendering can tell what a killed one has left behind and remove it.
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
def fresh_profile(parent: Path | None = None) -> Iterator[Path]:
    """A new directory that nobody else may read."""
    place = parent or Path(tempfile.gettempdir())
    sweep(place)
    directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    try:
        with _locked(directory):
            yield directory
    finally:
        remove(directory)


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """A lock that appears under its name when it is locked already, so that no sweep comes between."""
    draft = directory / f"{LOCK}.new"
    with draft.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        draft.rename(directory / LOCK)
        yield


def sweep(place: Path) -> None:
    """Removes the profiles of renderings whose process was killed."""
    for directory in place.glob(PREFIX + "*"):
        with suppress(OSError):  # somebody else's, or gone meanwhile
            lock = os.open(directory / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(directory)
            finally:
                os.close(lock)


def remove(directory: Path) -> None:
    """Removes a directory, a few times over if a dying process still writes into it."""
    for _ in range(ATTEMPTS):
        shutil.rmtree(directory, ignore_errors=True)
        if not directory.exists():
            return
