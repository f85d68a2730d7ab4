"""The output and the exit status of commands."""

import sys
from pathlib import Path

FAILED = 1


def own_command(words: str) -> str:
    """A command of this app as people can paste it: with the Python that runs now, from this directory."""
    python = Path(sys.executable)
    shown = python.relative_to(Path.cwd()) if python.is_relative_to(Path.cwd()) else python
    return f"{shown} -m slackapp {words}"


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
