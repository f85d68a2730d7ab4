"""A store in a file, empty."""

from collections.abc import Iterator

import pytest

from slackapp.stores.sqlite import SQLiteStore


@pytest.fixture
def store(tmp_path) -> Iterator[SQLiteStore]:
    store = SQLiteStore(tmp_path / "store.sqlite3")
    store.create_tables()
    yield store
    store.close()
