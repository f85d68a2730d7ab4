"""The system calls of a reader process; Linux refuses all others with EPERM (seccomp).

Limits alone leave many calls open that need no descriptor: a process could still delete, rename or empty
files, signal its parent or read its memory. The filter holds for root too, and cannot be taken off again. A
kernel without it, and another machine than those below, leave the process with its limits alone.
"""

import ctypes
import os
import resource
import struct
import sys

CALLS = {
    # Its pipe.
    "read": (0, 63),
    "readv": (19, 65),
    "write": (1, 64),
    "writev": (20, 66),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    # Its memory.
    "brk": (12, 214),
    "madvise": (28, 233),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "munmap": (11, 215),
    # Its clock, its locks and its signals.
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "futex": (202, 98),
    "getrandom": (318, 278),
    "getrusage": (98, 165),
    "gettimeofday": (96, 169),
    "membarrier": (324, 283),
    "nanosleep": (35, 101),
    "restart_syscall": (219, 128),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_getaffinity": (204, 123),
    "sched_yield": (24, 124),
    "set_robust_list": (273, 99),
    "sigaltstack": (131, 132),
    # What it is, and its end.
    "getcwd": (79, 17),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getsid": (124, 156),
    "gettid": (186, 178),
    "uname": (63, 160),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""Their numbers on x86-64 and on 64-bit Arm: `asm/unistd_64.h` and `asm-generic/unistd.h` of Linux."""
KILL, TGKILL, PRLIMIT64 = (62, 129), (234, 131), (302, 261)

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of a machine above, and its number in `linux/audit.h`."""

_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
"""Instructions of the filter, as in `linux/bpf_common.h`."""
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001
"""What it returns, as in `linux/seccomp.h`; the second with EPERM."""
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, (16, 24)
"""Where the filter finds a call's number, machine and first arguments; these machines are little-endian."""
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
"""As in `linux/prctl.h` and `linux/seccomp.h`."""


def refuse_other_calls() -> bool:
    """Have the kernel refuse what a reader never calls, from now on, where it can; False if it does not."""
    if sys.platform != "linux" or os.uname().machine not in MACHINES or struct.calcsize("P") != 8:
        return True
    column, architecture = MACHINES[os.uname().machine]
    process = os.getpid()
    conditions = {
        KILL[column]: (process,),
        TGKILL[column]: (process,),
        PRLIMIT64[column]: (0, resource.RLIMIT_CPU),  # each job moves the limit of its own process
    }
    program = [(_LOAD, 0, 0, _ARCHITECTURE), (_IF_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _REFUSE)]
    program.append((_LOAD, 0, 0, _NUMBER))
    for numbers in CALLS.values():
        program += [(_IF_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ALLOW)]
    for number, wanted in conditions.items():
        program.append((_IF_EQUAL, 0, 3 * len(wanted) + 1, number))
        for place, value in zip(_ARGUMENTS, wanted, strict=False):
            program += [(_LOAD, 0, 0, place), (_IF_EQUAL, 1, 0, value), (_RETURN, 0, 0, _REFUSE)]
        program.append((_RETURN, 0, 0, _ALLOW))
    program.append((_RETURN, 0, 0, _REFUSE))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    prctl = ctypes.CDLL(None).prctl
    if prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return not prctl(_SECCOMP, _FILTER, struct.pack("@HP", len(program), ctypes.addressof(code)))
