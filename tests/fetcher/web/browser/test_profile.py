"""A directory for one rendering."""

import stat

import pytest

from fetcher.web.browser.profile import LOCK, PREFIX, create_profile, sweep


def test_it_is_fresh_private_and_gone_afterwards(tmp_path):
    """SRD FR-WF-BROWSER-ISO-01."""
    with create_profile(tmp_path) as first, create_profile(tmp_path) as second:
        assert first != second
        assert stat.S_IMODE(first.stat().st_mode) == 0o700
        (first / "Cookies").write_text("x")
        (first / "deep" / "er").mkdir(parents=True)
    assert list(tmp_path.iterdir()) == []


def test_it_is_gone_after_a_failure(tmp_path):
    with pytest.raises(RuntimeError), create_profile(tmp_path):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_it_is_gone_where_it_cannot_be_locked(tmp_path, monkeypatch):
    """A disk that is full at just this moment leaves no directory behind."""

    def refuse(*_):
        raise OSError

    monkeypatch.setattr("fetcher.web.browser.profile.fcntl.flock", refuse)
    with pytest.raises(OSError), create_profile(tmp_path):  # noqa: PT011  # whatever the system says
        pass
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
