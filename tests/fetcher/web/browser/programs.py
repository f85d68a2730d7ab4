"""Programs that are taken for Chromium and are none; they speak as much of its language as a test needs."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

_SCRIPT = """#!{python} -SE
import json, os, sys, time
def hear():
    text = b""
    while not text.endswith(b"\\0"):
        piece = os.read(3, 1)
        if not piece:
            sys.exit(0)
        text += piece
    return json.loads(text[:-1])
def say(**message):
    os.write(4, json.dumps(message).encode() + b"\\0")
def greet(product):
    say(id=hear()["id"], result={{"product": product}})
{body}
"""


def program(directory: Path, body: str) -> str:
    """An executable file that runs a piece of Python with `hear`, `say` and `greet`."""
    path = directory / "not-chromium"
    path.write_text(_SCRIPT.format(python=sys.executable, body=body), "utf-8")
    path.chmod(0o700)
    return str(path)


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Waits for what another process does."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)
