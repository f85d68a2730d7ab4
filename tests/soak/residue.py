"""What a soak must not leave behind: processes, and temporary files."""

import os
from pathlib import Path

MARK = "SOAK_RUN"
"""An environment variable that every process of a soak inherits."""
HELPERS = ("multiprocessing.forkserver", "multiprocessing.resource_tracker")
"""Processes that belong to this one and end with it."""


def mark(name: str) -> None:
    """From now on processes that we start are known by this name."""
    os.environ[MARK] = name


def processes(name: str) -> list[str]:
    """Processes of the soak that still live, beside this one and its helpers."""
    return [f"process {entry.name}" for entry in Path("/proc").iterdir() if _is_left(entry, name)]


def _is_left(entry: Path, name: str) -> bool:
    if not entry.name.isdecimal() or int(entry.name) == os.getpid():
        return False
    try:
        environ = (entry / "environ").read_bytes().split(b"\0")
        command = (entry / "cmdline").read_text("utf-8", "replace")
        parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it has ended, or is somebody else's
        return False
    ours = f"{MARK}={name}".encode() in environ
    helper = parent == os.getpid() and any(helper in command for helper in HELPERS)
    return ours and not helper


def temporary(home: Path) -> list[str]:
    """What workers left where they keep temporary files."""
    return [f"temporary file {path.name}" for path in sorted(home.iterdir())]
