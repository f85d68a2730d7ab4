"""When there is a cache at all, who may look into it, and what damaged files and failing disks do to it."""

import errno
import json
import logging
import os
import re
import shutil
from pathlib import Path

import pytest

from fetcher.web.cache import PageCache, open_cache
from fetcher.web.errors import CacheReadFailed
from tests.fakes.clock import FakeClock
from tests.fetcher.web.cache.shelf import ARTICLE, HTTP, MIB, Shelf, url


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "cache")


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


@pytest.mark.parametrize("directory", ["", "  "])
def test_no_directory_means_no_cache(directory: str) -> None:
    """An empty setting disables caching (FR-WF-CCH-ENABLE-01)."""
    assert opened(directory) is None


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
    assert (opened(tmp_path / "link") is not None) is usable


def test_a_directory_taken_over_meanwhile_is_no_longer_used(shelf: Shelf) -> None:
    """Trust is checked at each use, not only at the start."""
    shelf.put("a")
    shelf.directory.chmod(0o777)
    assert shelf.get("a") is None
    assert not shelf.put("b")


def wrong(**changes: object) -> bytes:
    moment = "2026-01-10T12:00:00Z"
    entry = {
        "version": 2,
        "canonical_url": "https://example.com/a",
        "rendering_method": "http",
        "fetched_at": moment,
        "expires_at": "2099-01-01T00:00:00Z",
        "last_accessed_at": moment,
        "extracted": {"markdown": "planted", "title": None, "language": None},
    }
    return json.dumps(entry | changes).encode()


def test_an_entry_written_by_another_program_is_read(shelf: Shelf) -> None:
    """Any JSON of the right shape under the right name is an entry."""
    shelf.put("a")
    shelf.path("a").write_bytes(wrong())
    assert shelf.text("a") == "planted"
    assert shelf.text("a") == "planted"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b'{"version": "2"}', id="version as text"),
        pytest.param(wrong()[:-10], id="cut"),
        pytest.param(wrong().replace(b"planted", b"\xff\xfe"), id="not UTF-8"),
        pytest.param(wrong(canonical_url="https://example.com/b"), id="another page"),
        pytest.param(wrong(rendering_method="browser"), id="another method"),
        pytest.param(wrong(expires_at="soon"), id="no time"),
        pytest.param(wrong(extracted={"markdown": 5}), id="no text"),
    ],
)
def test_a_damaged_entry_is_a_miss_and_is_removed(shelf: Shelf, content: bytes) -> None:
    """What cannot be read makes room for what can."""
    shelf.put("a")
    shelf.path("a").write_bytes(content)
    assert shelf.get("a") is None
    assert not shelf.path("a").exists()
    assert shelf.put("a")
    assert shelf.text("a") == "text"


def test_a_damaged_entry_leaves_its_article(shelf: Shelf) -> None:
    """Each of the two files stands for itself."""
    shelf.put("a")
    shelf.put("a", "article", mode=ARTICLE)
    shelf.path("a").write_bytes(b"")
    assert shelf.get("a") is None
    assert shelf.text("a", mode=ARTICLE) == "article"


@pytest.mark.parametrize("suffix", [".json", ".alias"])
def test_a_file_that_may_not_be_read_is_an_error(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """`cache_read_failed` names the file and the reason, and is worth another try."""
    shelf.put("final", requested="start")
    forbidden = shelf.path("final" if suffix == ".json" else "start", suffix=suffix)
    honest = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path == forbidden:
            raise PermissionError(errno.EACCES, "Permission denied")
        return honest(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    with pytest.raises(CacheReadFailed) as caught:
        shelf.get("start")
    assert caught.value.details == {"path": str(forbidden), "error": "Permission denied"}
    assert caught.value.retryable


def fail_with(number: int):
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("broken", ["replace", "open", "fdopen"])
def test_a_full_disk_costs_the_entry_and_not_the_fetch(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    """A failed write is logged, returns False, leaves no temporary file and the old entry (FR-WF-16h)."""
    shelf.put("a", "old")
    with monkeypatch.context() as patch:
        patch.setattr(os, broken, fail_with(errno.ENOSPC))
        assert not shelf.put("a", "new")
        assert shelf.text("a") == "old"
    assert caplog.messages == [f"cache_write_failed: [Errno 28] {os.strerror(errno.ENOSPC)}"]
    assert shelf.left_over() == []
    assert shelf.put("a", "new")
    assert shelf.text("a") == "new"


def test_a_rename_across_devices_becomes_a_copy(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file cannot be moved it is copied, and the temporary one deleted (FR-WF-16g)."""
    monkeypatch.setattr(os, "replace", fail_with(errno.EXDEV))
    assert shelf.put("a", requested="start")
    assert shelf.text("start") == "text"
    assert shelf.left_over() == []
    assert shelf.path("a").stat().st_mode & 0o777 == 0o600


def test_a_failure_is_logged_without_the_query(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Log lines carry fields, and no query string (FR-WF-19b, FR-WF-19c)."""
    shelf = Shelf(tmp_path, size=100)
    shelf.put("a?token=secret")
    record = caplog.records[0]
    assert record.name == "fetcher.web.cache"
    assert (record.levelno, record.__dict__["fields"]["event"]) == (logging.WARNING, "cache_write_failed")
    assert "secret" not in str(record.__dict__)


def test_a_directory_removed_meanwhile_is_made_anew(shelf: Shelf) -> None:
    """Clearing the cache by hand needs no restart (FR-WF-17b)."""
    shelf.put("a")
    shutil.rmtree(shelf.directory)
    assert shelf.get("a") is None
    assert shelf.put("b")
    assert shelf.text("b") == "text"
    assert shelf.directory.stat().st_mode & 0o777 == 0o700


def test_a_lookup_works_while_writing_does_not(shelf: Shelf) -> None:
    """Reading depends on nothing but the entry's own file."""
    shelf.put("a")
    usage = shelf.directory / "usage"
    usage.unlink()
    usage.mkdir()
    assert shelf.text("a") == "text"
    assert not shelf.put("b")
