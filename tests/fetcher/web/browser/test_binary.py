"""Where Chromium is looked for."""

import pytest

from fetcher.web.browser.binary import find
from fetcher.web.errors import BrowserUnavailable


def _install(directory, name, content=b"\x7fELF"):
    path = directory / name
    path.write_bytes(content)
    path.chmod(0o755)
    return str(path)


def test_the_lighter_browser_comes_first(tmp_path):
    """E16: the headless shell before Chromium, Chromium before Chrome."""
    names = ["google-chrome", "chromium", "chromium-headless-shell"]
    for name in names:
        installed = _install(tmp_path, name)
        assert find("", search_path=str(tmp_path), directories=()) == installed


def test_known_directories_are_searched_after_the_path(tmp_path):
    """SRD FR-WF-11: `PATH` comes first, whatever is found there."""
    (tmp_path / "known").mkdir()
    (tmp_path / "bin").mkdir()
    known = _install(tmp_path / "known", "chromium-headless-shell")
    path, directories = str(tmp_path / "bin"), (str(tmp_path / "known"),)
    assert find("", path, directories) == known
    on_path = _install(tmp_path / "bin", "chrome")
    assert find("", path, directories) == on_path


def test_the_path_in_the_settings_wins(tmp_path):
    _install(tmp_path, "chromium")
    own = _install(tmp_path, "my-chromium")
    assert find(own, search_path=str(tmp_path)) == own


def test_a_search_that_finds_nothing_says_where_it_looked(tmp_path):
    """SRD FR-WF-11a: the reader knows what to install."""
    with pytest.raises(BrowserUnavailable) as missing:
        find("", search_path=str(tmp_path), directories=("/nowhere",))
    assert missing.value.details["chromium_path"] == ""
    assert "chromium-headless-shell" in missing.value.details["error"]
    assert "/nowhere" in missing.value.details["error"]


def test_a_file_that_may_not_be_run_is_no_chromium(tmp_path):
    path = _install(tmp_path, "chromium")
    (tmp_path / "chromium").chmod(0o644)
    with pytest.raises(BrowserUnavailable):
        find(path)
    with pytest.raises(BrowserUnavailable):
        find("", search_path=str(tmp_path), directories=())


def test_the_program_behind_a_distributions_script_is_started(tmp_path):
    """E16: a script would stand between us and the process that we have to end."""
    (tmp_path / "lib").mkdir()
    script = _install(tmp_path, "chromium", b"#!/bin/sh\nexec chromium")
    assert find(script, directories=(str(tmp_path / "lib"),)) == script
    real = _install(tmp_path / "lib", "chromium")
    assert find(script, directories=(str(tmp_path / "lib"),)) == real
