"""Many processes on one cache directory: nothing torn, nothing over the limits, no lock left behind."""

import json
import multiprocessing
import os
import random
import signal
import sqlite3
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fetcher.web import cache as cache_module
from tests.fetcher.web.cache.shelf import ARTICLE, SRD, Shelf

ENTRIES = 8
SIZE = 60_000
SPAWN = multiprocessing.get_context("spawn")


def hammer(directory: Path, seed: int, rounds: int) -> int:
    """Store, look up and read raw at random; return how many lookups hit."""
    chance = random.Random(seed)
    shelf = Shelf(directory, entries=ENTRIES, size=SIZE)
    hits = 0
    for turn in range(rounds):
        name, mode = str(chance.randrange(12)), chance.choice([SRD, ARTICLE])
        if chance.random() < 0.5:
            assert shelf.put(
                name, f"{seed}.{turn};" * chance.randrange(1, 1500), mode=mode, requested="start"
            )
        text = shelf.text(name, mode=mode)
        assert text is None or len(set(text.split(";"))) == 2, "a page made of two"
        hits += text is not None
        parse_all(shelf)
    return hits


def parse_all(shelf: Shelf) -> None:
    """Read each entry as it lies there: it may be gone, and is never in part."""
    for path in shelf.entries():
        with suppress(FileNotFoundError):
            json.loads(path.read_bytes())


def assert_sound(shelf: Shelf) -> None:
    assert len({path.name[:64] for path in shelf.entries()}) <= ENTRIES
    assert sum(path.stat().st_size for path in shelf.entries()) <= SIZE
    assert shelf.left_over() == []
    with closing(sqlite3.connect(shelf.directory / "index.sqlite3")) as index:
        counted = {key for (key,) in index.execute("SELECT key FROM entries")}
    assert counted == {path.name[:64] for path in shelf.entries()}


def test_processes_share_a_directory(tmp_path: Path) -> None:
    """Writers, readers and evictions of several processes leave a cache within its limits."""
    with ProcessPoolExecutor(2, mp_context=SPAWN) as pool:
        hits = [pool.submit(hammer, tmp_path, seed, 40) for seed in range(2)]
        assert all(future.result() for future in hits)
    assert_sound(Shelf(tmp_path))


def test_threads_share_a_cache(tmp_path: Path) -> None:
    """The same holds for the threads of one process."""
    with ThreadPoolExecutor(4) as pool:
        hits = [pool.submit(hammer, tmp_path, seed, 20) for seed in range(4)]
        assert all(future.result() for future in hits)
    assert_sound(Shelf(tmp_path))


def die_while_writing(directory: Path) -> None:
    """Be killed with the lock held, an entry evicted and a temporary file written."""

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    Path.replace = die  # type: ignore[assignment, method-assign]
    Shelf(directory, entries=2).put("c")


def run(target: Callable[[Path], None], directory: Path) -> int | None:
    process = SPAWN.Process(target=target, args=(directory,))
    process.start()
    process.join(30)
    return process.exitcode


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that cannot be caught")
def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    """Others go on at once, with the right count, and clean up later."""
    shelf = Shelf(tmp_path, entries=2)
    shelf.put("a")
    shelf.put("b")
    assert run(die_while_writing, tmp_path) == -signal.SIGKILL
    assert shelf.kept("abc") == "b"
    assert len(shelf.left_over()) == 1

    assert shelf.put("d")
    assert shelf.kept("abcd") == "bd"
    shelf.clock.set(datetime.now(UTC) + timedelta(hours=2))
    assert shelf.put("c")
    assert shelf.left_over() == []


def test_a_lookup_does_not_wait_for_a_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another process holds the index a hit is served, without its mark."""
    monkeypatch.setattr(cache_module, "TOUCH_TIMEOUT", timedelta(0))
    shelf = Shelf(tmp_path)
    shelf.put("a")
    before = shelf.path("a").read_bytes()
    with closing(sqlite3.connect(tmp_path / "index.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert shelf.text("a") == "text"
        assert shelf.path("a").read_bytes() == before


def test_a_store_gives_up_on_a_writer_that_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A store that cannot get the index fails as any other write does (FR-WF-16h)."""
    monkeypatch.setattr(cache_module, "STORE_TIMEOUT", timedelta(0))
    shelf = Shelf(tmp_path)
    shelf.put("a")
    with closing(sqlite3.connect(tmp_path / "index.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not shelf.put("b")
    assert caplog.messages == ["cache_write_failed: database is locked"]
    assert shelf.put("b")
