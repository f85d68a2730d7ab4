"""Where Chromium is looked for, and the command line that it is started with."""

from pathlib import Path

import pytest

from fetcher.web.browser import command_line
from fetcher.web.browser.command_line import find
from fetcher.web.errors import BrowserUnavailable

PROFILE = Path("/profiles/one")

NAMED = [
    "--headless",  # SRD FR-WF-11
    "--remote-debugging-pipe",  # E16: no port listens
    "--user-data-dir=/profiles/one",  # SRD FR-WF-BROWSER-ISO-01
    "--host-resolver-rules=MAP * ~NOTFOUND",  # E16: all that `Fetch` never sees, but WebRTC
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",  # E16: both, for WebRTC
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-proxy-server",  # SRD FR-WF-10d
]


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


@pytest.mark.parametrize("sandbox", [True, False])
def test_the_flags_that_a_document_names_are_given(sandbox):
    """E16 and the SRD: without any one of them a way to the network or between fetches is open."""
    command = command_line.command("/usr/bin/chromium", PROFILE, sandbox=sandbox)
    assert [command.count(flag) for flag in NAMED] == [1] * len(NAMED)


def test_nothing_reopens_the_network():
    """E16: one `EXCLUDE` would; and a debugging port or a proxy would be a door of its own."""
    command = " ".join(command_line.command("/usr/bin/chromium", PROFILE, sandbox=False))
    for opening in (
        "EXCLUDE",
        "--remote-debugging-port",
        "--proxy-server",
        "--proxy-pac-url",
        "--disable-web",
    ):
        assert opening not in command


@pytest.mark.parametrize(("sandbox", "given"), [(True, []), (False, ["--no-sandbox", "--no-zygote"])])
def test_the_sandbox_stays_on_unless_it_is_given_up(sandbox, given):
    """E16."""
    command = command_line.command("/usr/bin/chromium", PROFILE, sandbox=sandbox)
    assert [flag for flag in command if flag.startswith(("--no-sandbox", "--no-zygote"))] == given
    assert not any(flag.startswith(("--disable-setuid", "--single-process")) for flag in command)


def test_the_environment_is_empty_but_for_places_to_write():
    """E16: no token reaches it."""
    assert command_line.environment(PROFILE) == {
        "HOME": "/profiles/one",
        "TMPDIR": "/profiles/one",
        "PATH": "/usr/bin:/bin",
    }
