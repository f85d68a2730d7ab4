"""The limits of a reader process; it sets them itself before its first job, and cannot raise them.

A limit that the system does not support (macOS has no working limit on address space) is left out.
"""

import math
import resource
from contextlib import suppress
from dataclasses import dataclass

MIB = 1024 * 1024

LEAST_SECONDS = 5
"""Of processor time for a job. Hostile pages need at most two; longer jobs do not end by themselves."""
LEAST_SECONDS_FOR_DOCUMENTS = 15
"""200 pages of a PDF take three on a fast machine."""
BYTES_A_SECOND = 5 * MIB
"""Of a body; a longer one gets more time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLimits:
    """How many readers there are, and how much memory each may use."""

    processes: int = 2
    memory_mb: int = 400
    short: int = 1
    """How many readers there are besides, which take short jobs only."""
    documents: bool = False
    """True for readers that have loaded the libraries for documents, which pages do not need."""


def confine(memory_mb: int) -> None:
    """Forbid this process to write files and to open files, sockets and processes; limit its memory.

    Since it cannot open files, it cannot read the environment of its parent either, which has the same user.
    """
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_AS, memory_mb * MIB)
    _limit(resource.RLIMIT_NOFILE, 0)


def allow_seconds(body: int, least: int = LEAST_SECONDS) -> None:
    """Raise the limit of processor time for the next job; the kernel counts since the process started."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime) + least + body // BYTES_A_SECOND
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (until, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _limit(kind: int, most: int) -> None:
    with suppress(ValueError, OSError):
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
