"""Finds Chromium: at the path that settings name, else on `PATH`, else where packages install it."""

import os
import shutil
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
    "Chromium",
    "Google Chrome",
)
"""In the order of preference: the shell starts in a quarter of the time and half the memory."""

DIRECTORIES = (
    "/usr/lib/chromium",
    "/usr/lib/chromium-browser",
    "/usr/lib64/chromium-browser",
    "/opt/chromium",
    "/opt/chrome-headless-shell",
    "/Applications/Chromium.app/Contents/MacOS",
    "/Applications/Google Chrome.app/Contents/MacOS",
)
"""Where packages install it outside of `PATH`; distributions put a script for it on `PATH`."""


def find(
    chromium_path: str, search_path: str | None = None, directories: tuple[str, ...] = DIRECTORIES
) -> str:
    """The path of the Chromium to start; raises `browser_unavailable`, which names the places searched."""
    if chromium_path:
        if not os.access(chromium_path, os.X_OK) or Path(chromium_path).is_dir():
            raise BrowserUnavailable(chromium_path=chromium_path, error="there is no program at this path")
        return _unwrapped(chromium_path, directories)
    for path in (search_path, os.pathsep.join(directories)):
        if found := next(filter(None, (shutil.which(name, path=path) for name in NAMES)), None):
            return _unwrapped(found, directories)
    error = (
        f"Chromium is not installed: looked for {', '.join(NAMES)} on PATH and in {', '.join(directories)}"
    )
    raise BrowserUnavailable(chromium_path="", error=error)


def _unwrapped(path: str, directories: tuple[str, ...]) -> str:
    """The program that a distribution's script starts, since the script would hide the process from us."""
    with Path(path).open("rb") as file:
        if file.read(2) != b"#!":
            return path
    return shutil.which(Path(path).name, path=os.pathsep.join(directories)) or path
