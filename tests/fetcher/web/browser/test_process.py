"""Chromium as a process group, and its directory."""

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from fetcher.web.browser import process
from fetcher.web.browser.process import LOCK, PREFIX, create_profile, start, sweep
from tests.fetcher.web.browser.programs import until

SHELL = "/bin/sh"
FAMILY = "trap '' TERM HUP; sleep 60 & sleep 60 & echo ready >&4; wait"
"""A leader with two children, deaf to polite requests."""


@pytest.fixture
def family(tmp_path):
    group = start([SHELL, "-c", FAMILY], {"PATH": "/usr/bin:/bin"}, tmp_path / "errors")
    assert os.read(group.reading, 10) == b"ready\n"
    yield group
    group.kill()
    group.wait_until_gone()
    os.close(group.reading)
    os.close(group.writing)


def test_the_pipes_are_the_childs_descriptors_three_and_four(tmp_path):
    group = start([SHELL, "-c", "read line <&3; echo heard $line >&4"], {}, tmp_path / "errors")
    os.write(group.writing, b"us\n")
    assert os.read(group.reading, 100) == b"heard us\n"
    group.wait_until_gone()
    os.close(group.reading)
    os.close(group.writing)


def test_no_other_descriptor_and_no_variable_is_inherited(tmp_path, monkeypatch):
    """E16: no token reaches the browser."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    with (tmp_path / "ours").open("w"):
        group = start([SHELL, "-c", "ls -l /dev/fd/ >&4; env >&4"], {"PATH": "/usr/bin:/bin"}, tmp_path / "e")
        group.wait_until_gone()
        said = os.read(group.reading, 10_000).decode()
    assert "secret" not in said
    assert "ours" not in said
    assert "PATH=/usr/bin:/bin" in said
    os.close(group.reading)
    os.close(group.writing)


def test_limits_are_set_before_the_program_starts(tmp_path):
    group = start([SHELL, "-c", "ulimit -c >&4; ulimit -s >&4"], {}, tmp_path / "errors")
    group.wait_until_gone()
    assert os.read(group.reading, 100) == b"0\n61440\n"
    os.close(group.reading)
    os.close(group.writing)


def test_killing_ends_the_whole_family(family):
    """Children included, however deaf they are."""
    assert len(family.members) == 3
    family.kill()
    family.wait_until_gone()
    assert family.members == []


LEADERLESS = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).pthread_exit(None)
"""
"""A process whose first thread has ended before its others, as Chromium's does when it is killed."""


def test_a_leader_whose_threads_are_still_ending_is_waited_for(tmp_path):
    """The kernel calls it a zombie already and has nothing to collect yet; none is to stay."""
    group = start([sys.executable, "-SE", "-c", LEADERLESS], {}, tmp_path / "errors")
    state = Path(f"/proc/{group.pid}/stat")
    until(lambda: " Z " in state.read_text())
    killer = threading.Timer(0.05, group.kill)
    killer.start()
    group.wait_until_gone()
    killer.join()
    assert not state.exists()
    os.close(group.reading)
    os.close(group.writing)


def test_memory_is_that_of_all_members(family):
    largest = max(member.resident for member in family.members)
    assert family.resident > largest > 100_000


def test_systems_without_proc_give_the_same_answer(family):
    """What `ps` says is what the kernel says."""
    by_kernel, by_ps = (
        {member.pid for member in listed(family.pid)}
        for listed in (process._listed_by_kernel, process._listed_by_ps)
    )
    assert by_kernel == by_ps


def test_what_the_program_says_of_its_troubles_is_kept(tmp_path):
    group = start([SHELL, "-c", "echo no sandbox >&2; exit 3"], {}, tmp_path / "errors")
    group.wait_until_gone()
    assert (tmp_path / "errors").read_text() == "no sandbox\n"
    os.close(group.reading)
    os.close(group.writing)


def test_a_start_that_fails_leaves_no_descriptor(tmp_path):
    before = len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(OSError, match="No such file"):
        start([SHELL], {}, tmp_path / "nowhere" / "errors")
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_it_is_fresh_private_and_gone_afterwards(tmp_path):
    """SRD FR-WF-BROWSER-ISO-01."""
    with create_profile(tmp_path) as first, create_profile(tmp_path) as second:
        assert first != second
        assert stat.S_IMODE(first.stat().st_mode) == 0o700
        (first / "Cookies").write_text("x")
        (first / "deep" / "er").mkdir(parents=True)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_behind_is_removed(tmp_path):
    """Its lock went with the process; those in use, and what is not ours, stay."""
    left = tmp_path / f"{PREFIX}left"
    left.mkdir()
    (left / LOCK).touch()
    strange = tmp_path / f"{PREFIX}without-lock"
    strange.mkdir()
    with create_profile(tmp_path) as used:
        assert not left.exists()
        sweep(tmp_path)
        assert used.exists()
    assert list(tmp_path.iterdir()) == [strange]


def test_a_link_in_place_of_a_lock_is_not_followed(tmp_path):
    """In a directory that others may write to, a planted profile leads nowhere."""
    target = tmp_path / "precious"
    target.touch()
    planted = tmp_path / f"{PREFIX}planted"
    planted.mkdir()
    (planted / LOCK).symlink_to(target)
    sweep(tmp_path)
    assert planted.exists()
