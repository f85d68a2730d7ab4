"""Finds Chromium: at the path that settings name, else the first one that is installed."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from fetcher.web.errors import BrowserUnavailable

NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
"""In the order of preference: the shell starts in a quarter of the time and half the memory."""

USUAL_PATHS = (
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "/opt/chromium/chromium",
    "/opt/chrome-headless-shell/chrome-headless-shell",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
"""Where packages install it outside of `PATH`."""

WRAPPED = ("/usr/lib/chromium", "/usr/lib/chromium-browser", "/usr/lib64/chromium-browser")
"""Directories of the programs that distributions start by shell scripts."""


def find(chromium_path: str, search_path: str | None = None) -> str:
    """The path of the Chromium to start; raises `browser_unavailable`, which names the places searched."""
    if chromium_path:
        if not os.access(chromium_path, os.X_OK) or Path(chromium_path).is_dir():
            raise BrowserUnavailable(chromium_path=chromium_path, error="there is no program at this path")
        return unwrapped(chromium_path)
    candidates = [found for name in NAMES if (found := shutil.which(name, path=search_path))]
    for candidate in [*candidates, *(USUAL_PATHS if search_path is None else ())]:
        if os.access(candidate, os.X_OK):
            return unwrapped(candidate)
    raise BrowserUnavailable(
        chromium_path="", error=f"Chromium is not installed: looked on PATH for {', '.join(NAMES)}"
    )


def unwrapped(path: str, directories: Iterable[str] = WRAPPED) -> str:
    """The program that a distribution's script starts, since the script would hide the process from us."""
    try:
        with Path(path).open("rb") as file:
            is_script = file.read(2) == b"#!"
    except OSError:
        return path
    if not is_script:
        return path
    programs = (str(Path(directory, Path(path).name)) for directory in directories)
    return next((program for program in programs if os.access(program, os.X_OK)), path)
