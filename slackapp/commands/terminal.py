"""The output and the exit status of commands."""

import sys

FAILED = 1


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def note(line: str) -> None:
    """Print something that is not the command's result."""
    sys.stderr.write(f"{line}\n")


def fail(line: str) -> int:
    """Print why a command failed; return its exit status."""
    sys.stderr.write(f"{line}\n")
    return FAILED
