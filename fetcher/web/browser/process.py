"""One Chromium on this machine: a group of processes that ends as a whole, and its private directory.

The directory's lock file is locked while it is in use. The kernel unlocks the file when this process ends,
even if it is killed. So the next rendering recognises directories that a killed process has left, and removes
them (SRD FR-WF-BROWSER-ISO-01).
"""

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

FROM_US, TO_US = 3, 4
"""The descriptors that `--remote-debugging-pipe` reads from and writes to."""
ABOVE = 10
"""Our own ends have numbers from here on, so that placing the child's ends never replaces them."""

SHELL = "/bin/sh"
LIMITS = 'ulimit -c 0; ulimit -S -s 61440 2>/dev/null; exec "$0" "$@"'
"""No core dump, and a stack of 60 MiB if that is allowed: Chromium lays out pages by recursion, and with the
usual 8 MiB it crashes on 3,000 nested elements. The shell sets the limits before the program starts: Linux
forgets a limit that is set from outside meanwhile."""
END_SECONDS = 5.0
"""How long killed processes may take to end; usually it is milliseconds."""
PROC = Path("/proc")

PREFIX = "fetcher-browser-"
LOCK = ".in-use"
ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Member:
    """One process of the group."""

    pid: int
    resident: int
    alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chromium:
    """A running group, identified by its leader's id, and our ends of its pipes."""

    pid: int
    reading: int
    writing: int

    @property
    def members(self) -> list[Member]:
        return [member for member in _members(self.pid) if member.alive]

    @property
    def resident(self) -> int:
        """The bytes of memory that the group holds."""
        return sum(member.resident for member in self.members)

    def kill(self) -> None:
        """Kill every process of the group."""
        with suppress(ProcessLookupError, PermissionError):  # macOS raises the latter if the group has ended
            os.killpg(self.pid, signal.SIGKILL)

    def wait_until_gone(self) -> None:
        """Wait until the whole group has ended, and collect its processes."""
        end = time.monotonic() + END_SECONDS
        while not all(_collect(member) for member in list(_members(self.pid))) and time.monotonic() < end:
            time.sleep(0.002)


def _collect(member: Member) -> bool:
    """Whether a process has ended; a child may be listed as dead while its last threads end."""
    try:
        # Orphans are our children too if this process is the first one of a container.
        ended, _ = os.waitpid(member.pid, os.WNOHANG)
    except ChildProcessError:  # not our child, or collected before
        return not member.alive
    return bool(ended)


def start(command: Sequence[str], environment: Mapping[str, str], errors: Path) -> Chromium:
    """Start a new process group; its standard error goes to a file. Raises OSError."""
    with ExitStack() as theirs, ExitStack() as ours:
        child_reads, we_write = _open_pipe(theirs, ours)
        we_read, child_writes = _open_pipe(ours, theirs)
        pid = os.posix_spawn(
            SHELL,
            [SHELL, "-c", LIMITS, *command],
            dict(environment),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, str(errors), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
                (os.POSIX_SPAWN_DUP2, child_reads, FROM_US),
                (os.POSIX_SPAWN_DUP2, child_writes, TO_US),
            ],
            setpgroup=0,
        )
        ours.pop_all()  # they stay open
        return Chromium(pid=pid, reading=we_read, writing=we_write)


def _open_pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """Open a pipe, and have each of its ends closed by a stack."""
    with ExitStack() as originals:
        descriptors = os.pipe()
        for descriptor in descriptors:
            originals.callback(os.close, descriptor)
        reading = fcntl.fcntl(descriptors[0], fcntl.F_DUPFD_CLOEXEC, ABOVE)
        reader.callback(os.close, reading)
        writing = fcntl.fcntl(descriptors[1], fcntl.F_DUPFD_CLOEXEC, ABOVE)
        writer.callback(os.close, writing)
        return reading, writing


def _members(group: int) -> Iterator[Member]:
    return _listed_by_kernel(group) if (PROC / "self" / "stat").exists() else _listed_by_ps(group)


def _listed_by_kernel(group: int) -> Iterator[Member]:
    """Only the group's own processes are looked at closely: this runs every few moments in an event loop."""
    page = os.sysconf("SC_PAGE_SIZE")
    for name in os.listdir(PROC):  # noqa: PTH208 - to make a path of each takes longer than to ask
        with suppress(OSError):  # it has ended meanwhile
            if name.isdecimal() and os.getpgid(int(name)) == group:
                # The name in parentheses may hold any text; the fields follow it, see proc(5).
                fields = (PROC / name / "stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
                yield Member(int(name), int(fields[21]) * page, fields[0] not in "ZX")


def _listed_by_ps(group: int) -> Iterator[Member]:
    """For systems without `/proc`."""
    table = subprocess.run(
        ["/bin/ps", "-axo", "pid=,pgid=,rss=,stat="], capture_output=True, text=True, check=False
    ).stdout
    for line in table.splitlines():
        pid, pgid, kilobytes, state = line.split()
        if int(pgid) == group:
            yield Member(int(pid), int(kilobytes) * 1024, state[0] != "Z")


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
