"""Which pages leave the cache, and how it keeps count when files come and go by other hands."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from fetcher.web.cache.index import MAX_ALIASES
from tests.fakes.clock import NOON
from tests.fetcher.web.cache.shelf import ARTICLE, Shelf, url


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "cache")


def test_a_page_and_its_article_are_one_entry_and_go_together(tmp_path: Path) -> None:
    """Two files of one key count once, and are evicted with their alias."""
    shelf = Shelf(tmp_path, entries=2)
    shelf.put("a", requested="start")
    shelf.put("a", mode=ARTICLE, requested="start")
    shelf.put("b")
    assert shelf.kept("ab") == "ab"
    shelf.put("c")
    assert shelf.kept("abc") == "bc"
    assert not shelf.path("a", suffix=".article.json").exists()
    assert not shelf.path("start", suffix=".alias").exists()


def test_using_the_article_keeps_the_entry_too(tmp_path: Path) -> None:
    """A key was used when either of its files was."""
    shelf = Shelf(tmp_path, entries=2)
    shelf.put("a")
    shelf.put("a", mode=ARTICLE)
    shelf.put("b")
    shelf.get("a", mode=ARTICLE)
    shelf.put("c")
    assert shelf.kept("abc") == "ac"


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


def test_an_article_too_large_to_stand_beside_its_entry_replaces_it(tmp_path: Path) -> None:
    """The byte limit holds for the two files of one key as well."""
    shelf = Shelf(tmp_path, size=3000)
    shelf.put("a", "x" * 2000)
    assert shelf.put("a", "y" * 2000, mode=ARTICLE)
    assert shelf.kept("a") == ""
    assert shelf.text("a", mode=ARTICLE) == "y" * 2000


def test_the_byte_limit_is_used_to_its_last_byte(tmp_path: Path) -> None:
    """SRD FR-WF-16f: what just fits evicts nothing, the two files of one key included."""
    ample = Shelf(tmp_path / "ample")
    ample.put("a", "x" * 100)
    each = ample.path("a").stat().st_size
    for spare, kept in ((0, "ab"), (-1, "b")):
        shelf = Shelf(tmp_path / f"pages{spare}", size=2 * each + spare)
        for name in "ab":
            assert shelf.put(name, "x" * 100)
        assert shelf.kept("ab") == kept
    ample.put("a", "y" * 100, mode=ARTICLE)
    both = sum(path.stat().st_size for path in ample.directory.glob("*/*.json"))
    for spare, kept in ((0, "a"), (-1, "")):
        shelf = Shelf(tmp_path / f"modes{spare}", size=both + spare)
        assert shelf.put("a", "x" * 100)
        assert shelf.put("a", "y" * 100, mode=ARTICLE)
        assert shelf.kept("a") == kept


def test_overwriting_evicts_nothing(tmp_path: Path) -> None:
    """A page that is stored again takes its own place."""
    shelf = Shelf(tmp_path, entries=2)
    shelf.put("a")
    shelf.put("b")
    shelf.put("b", "longer")
    assert shelf.kept("ab") == "ab"


def test_aliases_of_one_page_are_limited(shelf: Shelf) -> None:
    """A site that invents URLs for one page fills no disk: the newest aliases stay."""
    for number in range(MAX_ALIASES + 3):
        shelf.put("final", requested=f"start/{number}")
    assert len(list(shelf.directory.glob("*/*.alias"))) == MAX_ALIASES
    assert shelf.get("start/2") is None
    assert shelf.text("start/3") == "text"


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


def test_in_a_larger_cache_deleted_files_are_found_out_by_and_by(tmp_path: Path) -> None:
    """After half of its files were deleted, a full cache soon holds as many as it may again."""
    shelf = Shelf(tmp_path, entries=60)
    for number in range(60):
        shelf.put(str(number))
    for path in shelf.entries()[:30]:
        path.unlink()
    for number in range(60, 120):
        shelf.put(str(number))
    assert len(shelf.entries()) == 60


def test_files_copied_in_are_counted(tmp_path: Path) -> None:
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
        pytest.param(lambda index: index.unlink(), id="deleted"),
        pytest.param(lambda index: index.write_bytes(b""), id="empty"),
        pytest.param(lambda index: index.write_bytes(b"garbage" * 1000), id="garbage"),
        pytest.param(lambda index: index.write_bytes(index.read_bytes()[:5000]), id="cut"),
        pytest.param(
            lambda index: index.write_bytes(index.read_bytes()[:8192] + b"\xff" * 50_000), id="torn"
        ),
    ],
)
def test_a_lost_index_is_made_anew_from_the_files(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    """The index is never the truth: without it the order of use is read from the entries."""
    shelf = Shelf(tmp_path, entries=3)
    for name in "abc":
        shelf.put(name, requested=f"to-{name}")
    shelf.get("a")
    damage(tmp_path / "index.sqlite3")
    shelf.put("a", mode=ARTICLE)
    assert shelf.put("d")
    assert shelf.kept("abcd") == "acd"
    assert not shelf.path("to-b", suffix=".alias").exists()
    assert shelf.text("to-c") == "text"


def test_an_index_that_counted_wrong_is_made_anew(tmp_path: Path) -> None:
    """Totals that no eviction can bring down are found out, and the page is stored all the same."""
    shelf = Shelf(tmp_path, entries=3)
    shelf.put("a")
    with closing(sqlite3.connect(tmp_path / "index.sqlite3", isolation_level=None)) as connection:
        connection.execute("UPDATE totals SET entries = 1000")
    assert shelf.put("b")
    assert shelf.put("c")
    assert shelf.kept("bc") == "bc"


def test_an_index_of_another_program_is_replaced(tmp_path: Path) -> None:
    """Tables that are not ours are thrown away with their file."""
    shelf = Shelf(tmp_path)
    with closing(sqlite3.connect(tmp_path / "index.sqlite3")) as connection:
        connection.execute("CREATE TABLE entries (something TEXT)")
    assert shelf.put("a")
    assert shelf.text("a") == "text"


def test_the_clock_may_go_backwards(tmp_path: Path) -> None:
    """An entry used in the future is still a hit, and then the most recent by today's clock."""
    shelf = Shelf(tmp_path, entries=2)
    shelf.put("a")
    shelf.clock.set(NOON - timedelta(days=30))
    assert shelf.text("a") == "text"
    shelf.clock.advance(timedelta(seconds=1))
    shelf.put("b")
    shelf.put("c")
    assert shelf.kept("abc") == "bc"


def test_a_lowered_limit_holds_from_the_next_write(tmp_path: Path) -> None:
    """A cache of many entries shrinks to its new limit at once, and the most recent stay."""
    shelf = Shelf(tmp_path, entries=10_000)
    shelf.put("0")
    plant(shelf, range(1, 1_000))
    shelf.limit(entries=3)
    assert shelf.put("new")
    assert shelf.entries() == sorted(map(shelf.path, ["998", "999", "new"]))


def plant(shelf: Shelf, numbers: range) -> None:
    """Write many entries as another program would, and leave it to the cache to count them."""
    template = json.loads(shelf.path("0").read_bytes())
    for number in numbers:
        path = shelf.path(str(number))
        path.parent.mkdir(mode=0o700, exist_ok=True)
        moment = NOON + timedelta(seconds=number)
        changes = {"canonical_url": str(url(str(number))), "last_accessed_at": moment.isoformat()}
        path.write_text(json.dumps(template | changes))
    shelf.clock.set(NOON + timedelta(seconds=numbers.stop))
    (shelf.directory / "index.sqlite3").unlink()


@pytest.mark.parametrize(("age", "stays"), [(timedelta(minutes=59), True), (timedelta(minutes=61), False)])
def test_stale_temporary_files_are_removed_when_evicting(tmp_path: Path, age: timedelta, stays: bool) -> None:
    """What a killed process left behind goes after an hour."""
    shelf = Shelf(tmp_path, entries=2)
    shelf.put("a")
    shelf.put("b")
    temporary = shelf.path("b", suffix=".tmp.0123456789abcdef")
    temporary.write_bytes(b"half")
    written = (shelf.clock.now() - age).timestamp()
    os.utime(temporary, (written, written))
    shelf.put("c")
    assert temporary.exists() is stays
