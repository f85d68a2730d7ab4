"""What the guard asks: a store in a file and a local Slack."""

from collections.abc import Iterator

import pytest

from slackapp.incoming import Incoming, Kind
from slackapp.stores.sqlite import SQLiteStore


@pytest.fixture
def store(tmp_path) -> Iterator[SQLiteStore]:
    store = SQLiteStore(tmp_path / "store.sqlite3")
    store.create()
    yield store
    store.close()


def request(**fields) -> Incoming:
    """A mention in a channel of the sample workspace."""
    usual = {
        "kind": Kind.MENTION,
        "key": "T0LOCAL:C0GENERAL:1.1",
        "team": "T0LOCAL",
        "channel": "C0GENERAL",
        "user": "U0SATO",
        "ts": "1.1",
        "thread_ts": "1.1",
        "text": "<@U0READER> https://shop.example/",
        "bot_user": "U0READER",
    }
    return Incoming(**usual | fields)
