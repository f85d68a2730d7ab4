"""Which pages leave the cache, when files come and go by other hands and processes die."""

import fcntl
import json
import multiprocessing
import os
import random
import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from fetcher.web.cache import directory
from tests.fakes.clock import NOON
from tests.fetcher.web.cache.shelf import ARTICLE, SRD, Shelf

ENTRIES = 8
SIZE = 60_000
SPAWN = multiprocessing.get_context("spawn")


def used_at(shelf: Shelf, name: str, moment: str) -> None:
    """Change a page's time of use in its file, by hand."""
    path = shelf.path(name)
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"last_accessed_at": moment}))


def test_eviction_follows_the_entries_own_times(tmp_path: Path) -> None:
    """SRD FR-WF-CCH-LRU-01: `last_accessed_at` of the file counts, whoever has written it."""
    shelf = Shelf(tmp_path, entries=3)
    for name in "abc":
        shelf.put(name)
    used_at(shelf, "a", "2026-01-10T13:00:00Z")
    used_at(shelf, "c", "2026-01-09T12:00:00+09:00")
    shelf.put("d")
    assert shelf.kept("abcd") == "abd"


def test_a_page_and_its_article_are_evicted_by_their_own_times(tmp_path: Path) -> None:
    """Each is an entry of its own; the alias goes with the last of them."""
    shelf = Shelf(tmp_path, entries=2)
    shelf.put("a", requested="start")
    shelf.put("a", mode=ARTICLE, requested="start")
    shelf.put("b")
    assert [shelf.text("a"), shelf.text("start", mode=ARTICLE), shelf.text("b")] == [None, "text", "text"]
    shelf.put("c")
    assert shelf.text("a", mode=ARTICLE) is None
    assert not shelf.path("start", suffix=".alias").exists()


def test_ties_are_broken_by_key(tmp_path: Path) -> None:
    """Of entries used at one moment the one with the smallest key goes (FR-WF-CCH-LRU-01)."""
    shelf = Shelf(tmp_path, entries=3)
    names = sorted("abc", key=lambda name: shelf.path(name).stem)
    for name in reversed(names):
        shelf.put(name)
        shelf.clock.set(NOON)
    shelf.clock.advance(timedelta(seconds=1))
    shelf.put("d")
    assert [shelf.kept(name) for name in names] == ["", names[1], names[2]]


def test_the_byte_limit_evicts_the_oldest(tmp_path: Path) -> None:
    """Entries are evicted until the new one fits into `max_cache_bytes` (FR-WF-16f)."""
    shelf = Shelf(tmp_path, size=10_000)
    for name in "abcd":
        shelf.put(name, "x" * 2000)
    assert shelf.kept("abcd") == "abcd"
    shelf.put("e", "x" * 4000)
    assert shelf.kept("abcde") == "cde"
    assert sum(path.stat().st_size for path in shelf.entries()) <= 10_000


def test_the_byte_limit_is_used_to_its_last_byte(tmp_path: Path) -> None:
    """SRD FR-WF-16f: what just fits evicts nothing."""
    ample = Shelf(tmp_path / "ample")
    ample.put("a", "x" * 100)
    each = ample.path("a").stat().st_size
    for spare, kept in ((0, "ab"), (-1, "b")):
        shelf = Shelf(tmp_path / f"pages{spare}", size=2 * each + spare)
        for name in "ab":
            assert shelf.put(name, "x" * 100)
        assert shelf.kept("ab") == kept


def test_overwriting_evicts_nothing(tmp_path: Path) -> None:
    """A page that is stored again takes its own place (FR-WF-CCH-NOCACHE-01)."""
    shelf = Shelf(tmp_path, entries=2)
    shelf.put("a")
    shelf.put("b")
    shelf.put("b", "longer")
    assert shelf.kept("ab") == "ab"
    assert shelf.text("b") == "longer"


def test_a_full_cache_is_not_looked_through_for_each_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in a hundred goes beyond what is needed, so that the next writes find room."""
    shelf = Shelf(tmp_path, entries=200)
    for number in range(200):
        shelf.put(str(number))
    read: list[Path] = []
    honest = Path.open

    def recorded(path: Path, *arguments: str) -> object:
        read.append(path)
        return honest(path, *arguments)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", recorded)
    for number in range(200, 203):
        shelf.put(str(number))
    assert len(read) == 200
    assert len(shelf.entries()) == 200


def test_aliases_are_limited(tmp_path: Path) -> None:
    """A site that invents URLs for one page fills no disk: there are no more aliases than entries."""
    shelf = Shelf(tmp_path, entries=5)
    for number in range(8):
        shelf.put("final", requested=f"start/{number}")
        os.utime(shelf.path(f"start/{number}", suffix=".alias"), (number, number))
    assert len(list(shelf.directory.glob("*/*.alias"))) == 5
    assert shelf.get("start/2") is None
    assert shelf.text("start/7") == "text"


def test_files_deleted_by_hand_are_not_counted(tmp_path: Path) -> None:
    """Room made by hand is room: the only page left is not evicted (FR-WF-17b)."""
    shelf = Shelf(tmp_path, entries=5)
    for name in "abcde":
        shelf.put(name)
    for name in "bcde":
        shelf.path(name).unlink()
    for name in "fghi":
        shelf.put(name)
    assert shelf.kept("afghi") == "afghi"
    shelf.put("j")
    assert shelf.kept("afghij") == "fghij"


def test_files_copied_in_are_counted_once_a_limit_is_reached(tmp_path: Path) -> None:
    """Entries that came from elsewhere are evicted by the time of use that they state."""
    ours, theirs = Shelf(tmp_path / "ours", entries=3), Shelf(tmp_path / "theirs")
    theirs.put("a")
    for name in "bcd":
        ours.clock.advance(timedelta(seconds=10))
        ours.put(name)
    ours.path("a").parent.mkdir(exist_ok=True)
    shutil.copy(theirs.path("a"), ours.path("a"))
    assert ours.text("a") == "text"
    ours.put("e")
    assert ours.kept("abcde") == "ade"


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda usage: usage.unlink(), id="deleted"),
        pytest.param(lambda usage: usage.write_bytes(b""), id="empty"),
        pytest.param(lambda usage: usage.write_bytes(b"garbage" * 1000), id="garbage"),
        pytest.param(lambda usage: usage.write_bytes(b"9999 9999999999 9999"), id="wrong"),
    ],
)
def test_lost_numbers_are_counted_again(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    """The files decide."""
    shelf = Shelf(tmp_path, entries=3)
    for name in "abc":
        shelf.put(name, requested=f"to-{name}")
    shelf.get("a")
    damage(tmp_path / "usage")
    assert shelf.put("d")
    assert shelf.kept("abcd") == "acd"
    assert not shelf.path("to-b", suffix=".alias").exists()
    assert shelf.text("to-c") == "text"


def test_a_lowered_limit_holds_from_the_next_write(tmp_path: Path) -> None:
    """The cache shrinks to its new limit at once, and the most recent stay."""
    shelf = Shelf(tmp_path, entries=100)
    for name in "abcdefgh":
        shelf.put(name)
    shelf.limit(entries=3)
    shelf.put("i")
    assert shelf.kept("abcdefghi") == "ghi"


@pytest.mark.parametrize(("minutes", "stays"), [(59, True), (61, False)])
def test_stale_temporary_files_are_removed_when_evicting(tmp_path: Path, minutes: int, stays: bool) -> None:
    """What a killed process left behind goes after an hour."""
    shelf = Shelf(tmp_path, entries=2)
    shelf.put("a")
    shelf.put("b")
    temporary = shelf.path("b", suffix=".tmp.0123456789abcdef")
    temporary.write_bytes(b"half")
    written = temporary.stat().st_mtime - 60 * minutes
    os.utime(temporary, (written, written))
    shelf.put("c")
    assert temporary.exists() is stays


def hammer(path: Path, seed: int) -> int:
    """Store, look up and read raw at random; return how many lookups hit."""
    chance = random.Random(seed)
    shelf = Shelf(path, entries=ENTRIES, size=SIZE)
    hits = 0
    for turn in range(40):
        name, mode = str(chance.randrange(12)), chance.choice([SRD, ARTICLE])
        if chance.random() < 0.5:
            text = f"{seed}.{turn};" * chance.randrange(1, 1500)
            assert shelf.put(name, text, mode=mode, requested="start")
        found = shelf.text(name, mode=mode)
        assert found is None or len(set(found.split(";"))) == 2, "a page made of two"
        hits += found is not None
        for entry in shelf.entries():
            with suppress(FileNotFoundError):  # it may be gone, and is never there in part
                json.loads(entry.read_bytes())
    return hits


def test_processes_share_a_directory(tmp_path: Path) -> None:
    """Writers, readers and evictions of several processes leave a cache within its limits."""
    with ProcessPoolExecutor(2, mp_context=SPAWN) as pool:
        hits = [pool.submit(hammer, tmp_path, seed) for seed in range(2)]
        assert all(future.result() for future in hits)
    shelf = Shelf(tmp_path)
    sizes = [path.stat().st_size for path in shelf.entries()]
    assert len(sizes) <= ENTRIES
    assert sum(sizes) <= SIZE
    assert (tmp_path / "usage").read_text().split()[:2] == [str(len(sizes)), str(sum(sizes))]
    assert shelf.left_over() == []


def die_while_writing(path: Path) -> None:
    """Be killed with the lock held, an entry evicted and a temporary file written."""

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    Path.replace = die  # type: ignore[assignment, method-assign]
    Shelf(path, entries=2).put("c")


def test_a_killed_process_leaves_no_lock_and_no_wrong_number(tmp_path: Path) -> None:
    """Others go on at once."""
    shelf = Shelf(tmp_path, entries=2)
    shelf.put("a")
    shelf.put("b")
    process = SPAWN.Process(target=die_while_writing, args=(tmp_path,))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert shelf.kept("abc") == "b"
    assert shelf.put("d")
    assert shelf.kept("abcd") == "bd"


def test_a_writer_that_never_ends_stops_no_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A hit is served without its mark; a store fails as any other write does (FR-WF-16h)."""
    monkeypatch.setattr(directory, "STORE_SECONDS", 0)
    monkeypatch.setattr(directory, "TOUCH_SECONDS", 0)
    shelf = Shelf(tmp_path)
    shelf.put("a")
    before = shelf.path("a").read_bytes()
    with (tmp_path / "usage").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert shelf.text("a") == "text"
        assert shelf.path("a").read_bytes() == before
        assert not shelf.put("b")
    assert caplog.messages == ["cache_write_failed: another process holds the cache's lock"]
    assert shelf.put("b")
