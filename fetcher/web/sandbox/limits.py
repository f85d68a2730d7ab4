"""What a reader process may use; it sets these limits itself, before its first job, and cannot lift them.

A limit that the system does not know (macOS has no working limit on address space) is left out.
"""

import math
import resource
from contextlib import suppress
from dataclasses import dataclass

MIB = 1024 * 1024

LEAST_SECONDS = 5
"""Of processor time for a job. Hostile pages take at most two; what takes more runs away."""
BYTES_A_SECOND = 5 * MIB
"""Of a body: a longer one has more time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLimits:
    """How many readers there are, and what each may hold."""

    processes: int = 2
    memory_mb: int = 400


def confine(memory_mb: int) -> None:
    """No file is written, no file, socket or process is opened from now on, and memory has an end.

    Without open files a child cannot read its parent's environment either, which belongs to the same user.
    """
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_AS, memory_mb * MIB)
    _limit(resource.RLIMIT_NOFILE, 0)


def allow_seconds(body: int) -> None:
    """Gives a job its processor time; the kernel counts a process's whole life, so the limit moves along."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime) + LEAST_SECONDS + body // BYTES_A_SECOND
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (until, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _limit(kind: int, most: int) -> None:
    with suppress(ValueError, OSError):
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
