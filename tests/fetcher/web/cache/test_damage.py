"""What the cache does with damaged files, failing disks and files it may not read."""

import errno
import json
import logging
import os
import shutil
from pathlib import Path

import pytest

from fetcher.web.errors import CacheReadFailed
from tests.fetcher.web.cache.shelf import ARTICLE, Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "cache")


@pytest.mark.parametrize("garbage", [b"", b"../../etc/passwd", b"A" * 64, b"0" * 65, b"\xff" * 64])
def test_a_garbled_alias_is_removed(shelf: Shelf, garbage: bytes) -> None:
    """An alias that names no key is as good as none."""
    shelf.put("final", requested="start")
    alias = shelf.path("start", suffix=".alias")
    alias.write_bytes(garbage)
    assert shelf.get("start") is None
    assert not alias.exists()


def wrong(**changes: object) -> bytes:
    moment = "2026-01-10T12:00:00Z"
    entry = {
        "version": 3,
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
        pytest.param(b"\x00" * 4096, id="zeros"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b"[]", id="array"),
        pytest.param(b"null", id="null"),
        pytest.param(b'{"version": "2"}', id="version as text"),
        pytest.param(b'{"version": true}', id="version as bool"),
        pytest.param(wrong()[:-10], id="cut"),
        pytest.param(wrong().replace(b"planted", b"\xff\xfe"), id="not UTF-8"),
        pytest.param(wrong(canonical_url="https://example.com/b"), id="another page"),
        pytest.param(wrong(rendering_method="browser"), id="another method"),
        pytest.param(wrong(rendering_method="telepathy"), id="no method"),
        pytest.param(wrong(expires_at="soon"), id="no time"),
        pytest.param(wrong(expires_at="2099-01-01T00:00:00"), id="local time"),
        pytest.param(wrong(expires_at=4070908800), id="number for a time"),
        pytest.param(wrong(extracted="text"), id="no document"),
        pytest.param(wrong(extracted={"markdown": 5}), id="no text"),
        pytest.param(wrong(extracted={}), id="nothing extracted"),
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


@pytest.mark.parametrize("removed_by", ["lookup", "store"])
def test_a_directory_in_an_entrys_place_is_removed(shelf: Shelf, removed_by: str) -> None:
    """Even a directory under an entry's name is only damage."""
    path = shelf.path("a")
    (path / "inside").mkdir(parents=True)
    if removed_by == "lookup":
        assert shelf.get("a") is None
        assert not path.exists()
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


def test_text_that_is_no_unicode_is_not_written(shelf: Shelf, caplog: pytest.LogCaptureFixture) -> None:
    """A lone surrogate, which no file can hold, costs the entry and not the fetch."""
    assert not shelf.put("a", "\ud800")
    assert "cache_write_failed" in caplog.text


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


def test_a_lookup_works_while_the_index_does_not(shelf: Shelf) -> None:
    """Reading depends on nothing but the entry's own file."""
    shelf.put("a")
    index = shelf.directory / "index.sqlite3"
    index.unlink()
    index.mkdir()
    assert shelf.text("a") == "text"
    assert not shelf.put("b")
