"""When there is a cache at all, and who may look into it."""

import os
import re
from pathlib import Path

import pytest

from fetcher.web.cache import PageCache, open_cache
from fetcher.web.cache.files import reason_to_distrust
from tests.fakes.clock import FakeClock
from tests.fetcher.web.cache.shelf import HTTP, MIB, Shelf, url


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "cache")


@pytest.mark.parametrize("directory", ["", "  ", "\t"])
def test_no_directory_means_no_cache(directory: str) -> None:
    """An empty setting disables caching (FR-WF-CCH-ENABLE-01)."""
    assert opened(directory) is None


def opened(directory: str | Path, *, entries: int = 1) -> PageCache | None:
    return open_cache(
        directory=str(directory),
        clock=FakeClock(),
        ttl_days=7,
        query_ttl_hours=24,
        max_entries=entries,
        max_bytes=MIB,
    )


def test_a_file_is_written_beside_its_place_and_then_moved_there(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SRD FR-WF-16g: `{keyhex}.tmp.{random}` in the same directory, then a rename."""
    moved: list[tuple[Path, Path]] = []
    honest = Path.replace

    def recorded(one: Path, to: Path) -> Path:
        moved.append((one, to))
        return honest(one, to)

    monkeypatch.setattr(Path, "replace", recorded)
    shelf.put("a")
    shelf.put("a")
    assert [to for _, to in moved] == [shelf.path("a")] * 2
    names = [one.name for one, _ in moved]
    assert all(re.fullmatch(rf"{shelf.path('a').stem}\.tmp\.[0-9a-f]{{16}}", name) for name in names)
    assert len(set(names)) == 2
    assert {one.parent for one, _ in moved} == {shelf.path("a").parent}


def test_no_entries_means_no_cache(tmp_path: Path) -> None:
    """`max_cache_entries = 0` disables caching, and makes no directory (FR-WF-CCH-ENABLE-01)."""
    assert opened(tmp_path / "cache", entries=0) is None
    assert not (tmp_path / "cache").exists()


def test_a_directory_that_cannot_be_made_disables_caching(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file in the directory's way is reported once, and caching is off (FR-WF-CCH-ENABLE-01)."""
    (tmp_path / "file").touch()
    assert opened(tmp_path / "file") is None
    assert opened(tmp_path / "file" / "cache") is None
    assert [message.partition(":")[0] for message in caplog.messages] == ["cache_disabled"] * 2


def test_a_relative_directory_is_taken_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache stays where it was opened when the process moves on (FR-WF-CFG-03a)."""
    monkeypatch.chdir(tmp_path)
    cache = opened("here/cache")
    monkeypatch.chdir("/")
    assert cache is not None
    assert cache.lookup(url("a"), HTTP) is None
    assert (tmp_path / "here" / "cache").is_dir()


def test_the_directory_and_its_files_are_private(shelf: Shelf) -> None:
    """Nobody else may read what a team reads: 0700 and 0600, whatever the umask."""
    before = os.umask(0)
    try:
        shelf.put("a", requested="start")
        shelf.get("start")
    finally:
        os.umask(before)
    for path in [shelf.directory, *shelf.directory.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize(
    ("mode", "usable"), [(0o700, True), (0o755, True), (0o775, False), (0o702, False), (0o777, False)]
)
def test_a_directory_that_others_may_write_to_is_not_used(tmp_path: Path, mode: int, usable: bool) -> None:
    """Where others could plant pages there is no caching; where they can only look, files are 0600."""
    directory = tmp_path / "cache"
    directory.mkdir()
    directory.chmod(mode)
    assert (opened(directory) is not None) is usable


def test_another_users_directory_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory that was there first in a shared /tmp is somebody else's trap."""
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert opened(tmp_path) is None


@pytest.mark.parametrize(("owner", "usable"), [("own", True), ("root", True), ("other", False)])
def test_a_symbolic_link_is_followed_only_if_it_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: str, usable: bool
) -> None:
    """A link planted at the cache's path leads nowhere; an administrator's does."""
    user = 1000
    owners = {"real": user, "link": {"own": user, "root": 0, "other": 1001}[owner]}
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    honest = {"stat": Path.stat, "lstat": Path.lstat}

    def pretend(name: str):
        def status(path: Path, **options: bool) -> os.stat_result:
            fields = list(honest[name](path, **options))
            fields[4] = owners["real" if name == "stat" else path.name]
            return os.stat_result(fields)

        return status

    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(Path, "stat", pretend("stat"))
    monkeypatch.setattr(Path, "lstat", pretend("lstat"))
    reason = reason_to_distrust(tmp_path / "link")
    assert (reason is None) is usable


def test_a_directory_taken_over_meanwhile_is_no_longer_used(shelf: Shelf) -> None:
    """Trust is checked at each use, not only at the start."""
    shelf.put("a")
    shelf.directory.chmod(0o777)
    assert shelf.get("a") is None
    assert not shelf.put("b")
