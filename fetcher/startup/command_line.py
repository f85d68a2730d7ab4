"""What every command of the project does around its work: UTF-8, signals, and lost output."""

import errno
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TextIO

from fetcher.settings import ConfigurationError

FAILED, MISCONFIGURED, INTERRUPTED = 1, 2, 130
LOST = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE})
"""Errors of a full disk, a closed terminal and a closed pipe."""


def run(command: Callable[[], int]) -> int:
    """Run a command and return its exit status; what ends it early is told in a sentence."""
    prepare_streams()
    with interrupting_signals() as received:
        try:
            try:
                status = command()
            except SystemExit:  # help, the version or a usage error, which argparse has written
                sys.stdout.flush()
                raise
            sys.stdout.flush()
            return status
        except ConfigurationError as error:
            tell(str(error))
            return MISCONFIGURED
        except KeyboardInterrupt:
            tell("Stopped.")
            return 128 + received[-1]
        except OSError as error:
            if error.errno not in LOST:
                raise
            if error.errno != errno.EPIPE:  # the reader of a pipe may have seen enough
                place = f" ({error.filename})" if error.filename else ""
                tell(f"Nothing more can be written: {error.strerror}{place}.")
            discard_unwritten(sys.stdout)
            return FAILED


def prepare_streams() -> None:
    """Make the output UTF-8 wherever it goes; a stream that the caller has closed goes nowhere."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115  # open until the exit
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


@contextmanager
def interrupting_signals() -> Iterator[list[int]]:
    """Let a closed terminal and a kill end a command as Ctrl+C does, so that it removes its temporary files.

    Yields the numbers of the signals, the last of which ended the command.
    """
    received: list[int] = [signal.SIGINT]

    def end(number: int, frame: FrameType | None) -> None:
        received.append(number)
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # ignored, as for a shell's background job
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)

    # What the caller ignores stays ignored, as `nohup` asks.
    usual = [each for each in (signal.SIGHUP, signal.SIGTERM) if signal.getsignal(each) is signal.SIG_DFL]
    for each in usual:
        signal.signal(each, end)
    try:
        yield received
    finally:
        for each in usual:
            signal.signal(each, signal.SIG_DFL)


def tell(line: str) -> None:
    """Write a line to standard error, if that can be written: no work fails for want of its progress."""
    try:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except OSError:
        discard_unwritten(sys.stderr)


def discard_unwritten(stream: TextIO) -> None:
    """Let what a stream holds go nowhere if it cannot be written: Python would try again at the exit."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
