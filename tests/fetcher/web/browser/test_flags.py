"""The command line that Chromium is started with, flag by flag as the documents name them."""

from pathlib import Path

import pytest

from fetcher.web.browser import flags

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


@pytest.mark.parametrize("flag", NAMED)
@pytest.mark.parametrize("sandbox", [True, False])
def test_a_flag_that_a_document_names_is_given(flag, sandbox):
    """E16 and the SRD: without any one of them a way to the network or between fetches is open."""
    assert flags.command("/usr/bin/chromium", PROFILE, sandbox=sandbox).count(flag) == 1


def test_the_program_comes_first_and_an_empty_page_last():
    command = flags.command("/usr/bin/chromium", PROFILE, sandbox=True)
    assert (command[0], command[-1]) == ("/usr/bin/chromium", "about:blank")


def test_nothing_reopens_the_network():
    """E16: one `EXCLUDE` would; and a debugging port or a proxy would be a door of its own."""
    command = " ".join(flags.command("/usr/bin/chromium", PROFILE, sandbox=False))
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
    command = flags.command("/usr/bin/chromium", PROFILE, sandbox=sandbox)
    assert [flag for flag in command if flag.startswith(("--no-sandbox", "--no-zygote"))] == given
    assert not any(flag.startswith(("--disable-setuid", "--single-process")) for flag in command)


def test_the_environment_is_empty_but_for_places_to_write():
    """E16: no token reaches it."""
    assert flags.environment(PROFILE) == {
        "HOME": "/profiles/one",
        "TMPDIR": "/profiles/one",
        "PATH": "/usr/bin:/bin",
    }
