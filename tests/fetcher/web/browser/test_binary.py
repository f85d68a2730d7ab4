"""Where Chromium is looked for."""

import os

import pytest

from fetcher.web.browser.binary import find, unwrapped
from fetcher.web.errors import BrowserUnavailable

NAMES = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
]


def _install(directory, name, content=b"\x7fELF"):
    path = directory / name
    path.write_bytes(content)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("first", range(len(NAMES)))
def test_the_lighter_browser_comes_first(tmp_path, first):
    """E16: the headless shell before Chromium, Chromium before Chrome."""
    installed = [_install(tmp_path, name) for name in NAMES[first:]]
    assert find("", search_path=str(tmp_path)) == installed[0]


def test_the_path_in_the_settings_wins(tmp_path):
    _install(tmp_path, NAMES[0])
    own = _install(tmp_path, "my-chromium")
    assert find(own, search_path=str(tmp_path)) == own


def test_a_search_that_finds_nothing_says_what_it_looked_for(tmp_path):
    """SRD FR-WF-11a: whoever reads it knows what to install."""
    with pytest.raises(BrowserUnavailable) as missing:
        find("", search_path=str(tmp_path))
    assert missing.value.details["chromium_path"] == ""
    assert "chromium-headless-shell" in missing.value.details["error"]


def test_a_file_that_may_not_be_run_is_no_chromium(tmp_path):
    path = _install(tmp_path, "chromium")
    (tmp_path / "chromium").chmod(0o644)
    with pytest.raises(BrowserUnavailable):
        find(path)
    with pytest.raises(BrowserUnavailable):
        find("", search_path=str(tmp_path))


def test_the_program_behind_a_distributions_script_is_started(tmp_path):
    """E16: a script would stand between us and the process that we have to end."""
    (tmp_path / "lib").mkdir()
    script = _install(tmp_path, "chromium", b"#!/bin/sh\nexec chromium")
    assert unwrapped(script, [str(tmp_path / "lib")]) == script
    real = _install(tmp_path / "lib", "chromium")
    assert unwrapped(script, [str(tmp_path / "lib")]) == real
    assert unwrapped(real, [str(tmp_path)]) == real


def test_what_cannot_be_read_is_taken_as_it_is(tmp_path):
    assert unwrapped(os.fspath(tmp_path / "gone")) == os.fspath(tmp_path / "gone")
