"""What a process does that shares a SQLite file with another."""

import multiprocessing
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from slackapp.stores.sqlite import SQLiteStore

NOW = 1_768_046_400.0


def race(path: Path, start: Barrier, results: "Queue[tuple[int, int]]") -> None:
    """Opens the same new file as everybody else, and claims the same keys."""
    start.wait()
    store = SQLiteStore(path, busy_seconds=20)
    store.create_tables()
    owner = multiprocessing.current_process().name

    def claim(key: str) -> bool:
        until = NOW + 60
        return bool(store.claim(key, "{}", owner=owner, now=NOW, lease_until=until, expires_at=NOW + 600))

    claims = sum(claim(f"k{n}") for n in range(50))
    taken = sum(
        store.take_rate_slot("m", now=NOW, interval=6, burst=20, expires_after=60) == 0.0 for _ in range(25)
    )
    store.close()
    results.put((claims, taken))
