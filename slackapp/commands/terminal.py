"""What commands say where they were typed, and with which status they end."""

import sys

FAILED = 1


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def failed(line: str) -> int:
    """The status of a command that could not do its work, and why."""
    sys.stderr.write(f"{line}\n")
    return FAILED
