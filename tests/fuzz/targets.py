"""The targets by name, each a module with a function `check`."""

import importlib
from collections.abc import Callable
from pathlib import Path

TARGETS = (
    "urls",
    "robots_files",
    "charsets",
    "pages",
    "reader_answers",
    "chunks",
    "fitting",
    "slack_payloads",
    "slack_replies",
    "way_out",
    "invocations",
)
CORPUS = Path(__file__).with_name("corpus")
"""Inputs to begin with, in a directory for each target."""
WORDS = Path(__file__).with_name("words")
"""What is worth putting into inputs, in a file for each target that has such words."""

Check = Callable[[bytes], None]


def check_of(target: str) -> Check:
    """The target's check, imported now: a fuzzer instruments what is imported while it watches."""
    check: Check = importlib.import_module(f"tests.fuzz.{target}").check
    return check
