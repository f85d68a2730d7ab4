"""Chromium as a process group: started, measured, and ended together with all its children."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from fcntl import F_DUPFD_CLOEXEC, fcntl
from pathlib import Path

FROM_US, TO_US = 3, 4
"""The descriptors that `--remote-debugging-pipe` reads from and writes to."""
ABOVE = 10
"""Where our own ends are kept, so that placing the child's never meets them."""

SHELL = "/bin/sh"
LIMITED = 'ulimit -c 0; ulimit -S -s 61440 2>/dev/null; exec "$0" "$@"'
"""No dump of a page that crashes, and a stack of 60 MiB, where that is allowed: Chromium lays pages out by
recursion, and with the usual 8 MiB crashes on 3,000 nested elements. Set before the program starts: Linux
forgets a limit that is set from outside while it does."""
DEATH_SECONDS = 5.0
"""How long killed processes may take to go; the kernel takes milliseconds."""
PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Member:
    """One process of the group."""

    pid: int
    resident: int
    alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chromium:
    """A running group, known by its leader's id, and our ends of its pipes."""

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
        """Stops every process of the group at once."""
        with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a dead group
            os.killpg(self.pid, signal.SIGKILL)

    def bury(self) -> int | None:
        """Waits until the whole group is gone; the exit status of its leader."""
        status, end = None, time.monotonic() + DEATH_SECONDS
        while True:
            waiting = False
            for member in list(_members(self.pid)):
                # Orphans are ours to collect where this process is a container's first.
                child, ended = _collected(member.pid)
                # A child of ours is listed as dead while its last threads end; it is gone once collected.
                waiting |= ended is None and (child or member.alive)
                if member.pid == self.pid and ended is not None:
                    status = ended
            if not waiting or time.monotonic() > end:
                return status
            time.sleep(0.002)


def start(command: Sequence[str], environment: Mapping[str, str], errors: Path) -> Chromium:
    """Starts a group of its own; what it says on its standard error goes to a file. Raises OSError."""
    with ExitStack() as given, ExitStack() as kept:
        child_reads, we_write = _pipe(given, kept)
        we_read, child_writes = _pipe(kept, given)
        pid = os.posix_spawn(
            SHELL,
            [SHELL, "-c", LIMITED, *command],
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
        kept.pop_all()
        return Chromium(pid=pid, reading=we_read, writing=we_write)


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """A pipe; each of its ends is closed by a stack."""
    with ExitStack() as low:
        reading, writing = os.pipe()
        low.callback(os.close, reading)
        low.callback(os.close, writing)
        return _raised(reading, reader), _raised(writing, writer)


def _raised(descriptor: int, stack: ExitStack) -> int:
    number = fcntl(descriptor, F_DUPFD_CLOEXEC, ABOVE)
    stack.callback(os.close, number)
    return number


def _collected(pid: int) -> tuple[bool, int | None]:
    """Whether this is a child of ours, and its exit status if it has ended; no zombie stays."""
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:  # not ours, or collected before
        return False, None
    return True, os.waitstatus_to_exitcode(status) if ended else None


def _members(group: int) -> Iterator[Member]:
    return _listed_by_kernel(group) if (PROC / "self" / "stat").exists() else _listed_by_ps(group)


def _listed_by_kernel(group: int) -> Iterator[Member]:
    page = os.sysconf("SC_PAGE_SIZE")
    for directory in PROC.iterdir():
        if directory.name.isdecimal():
            with suppress(OSError):  # gone meanwhile
                # The name, in parentheses, may hold anything; proc(5) counts the rest from it.
                fields = (directory / "stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
                if int(fields[2]) == group:
                    yield Member(int(directory.name), int(fields[21]) * page, fields[0] not in "ZX")


def _listed_by_ps(group: int) -> Iterator[Member]:
    """For systems without `/proc`."""
    table = subprocess.run(
        ["/bin/ps", "-axo", "pid=,pgid=,rss=,stat="], capture_output=True, text=True, check=False
    ).stdout
    for line in table.splitlines():
        pid, pgid, kilobytes, state = line.split()
        if int(pgid) == group:
            yield Member(int(pid), int(kilobytes) * 1024, state[0] != "Z")
