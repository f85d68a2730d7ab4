"""What version 0.1.0 left in its store, its cache and its threads is read by this one.

That version wrote the files in `version_0_1_0/`: a store while a follow-up was being answered, the thread as
Slack returned it, and a cached page.
"""

import json
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fetcher.codes import ReadingMode, RenderingMethod
from fetcher.web.cache import open_cache
from fetcher.web.net.canonical import canonicalise
from slackapp.listeners.incoming import Incoming, Kind, Name
from slackapp.stores.sqlite import SQLiteStore
from slackapp.thread.agent_request import read_message
from tests.fakes.clock import FakeClock

LEFT = Path(__file__).with_name("version_0_1_0")
ROOT, QUESTION = "1794895770.666988", "1794895771.565385"
KEY = f"T0LOCAL:C0GENERAL:{QUESTION}"
WHILE_ANSWERING = 1794895775.0
AFTER_ITS_LEASE = WHILE_ANSWERING + 3600


@pytest.fixture
def store(tmp_path):
    file = tmp_path / "store.sqlite3"
    database = sqlite3.connect(file)
    database.executescript((LEFT / "store.sql").read_text("utf-8"))
    database.close()
    store = SQLiteStore(file)
    store.create_tables()
    yield store
    store.close()


def test_a_claim_is_taken_over_with_its_question_and_its_placeholder(store):
    [claim] = store.expired_claims(now=AFTER_ITS_LEASE, limit=10)
    taken = store.take_over(claim, owner="new", now=AFTER_ITS_LEASE, lease_until=AFTER_ITS_LEASE + 60)
    assert (taken.key, taken.attempt) == (KEY, 2)
    assert taken.reply_record.replies == ("1794895771.592809",)
    incoming = Incoming.from_json(taken.incoming)
    assert (incoming.kind, incoming.user, incoming.text) == (Kind.FOLLOW_UP, "U0TANAKA", "送料も教えて")


def test_what_was_answered_is_not_claimed_again(store):
    moments = {"now": WHILE_ANSWERING, "lease_until": WHILE_ANSWERING + 60, "expires_at": AFTER_ITS_LEASE}
    assert store.claim(f"T0LOCAL:C0GENERAL:{ROOT}", "{}", owner="new", **moments) is None


def test_a_thread_is_still_ours_and_its_urls_are_known(store):
    thread = Name.THREAD.of("T0LOCAL", "C0GENERAL", ROOT)
    assert store.linked_claim_key(thread, now=AFTER_ITS_LEASE) == KEY
    record = f"known:T0LOCAL:C0GENERAL:{ROOT}"
    assert store.known_urls(record, now=AFTER_ITS_LEASE) == (
        "https://shop.example/price",
        "https://shop.example/about",
    )


def test_our_messages_in_a_thread_are_recognised():
    messages = json.loads((LEFT / "thread.json").read_text("utf-8"))
    read = [read_message(message, "U0READER") for message in messages]
    assert [(message.ours, message.key, message.kind) for message in read] == [
        (False, "", ""),
        (True, f"T0LOCAL:C0GENERAL:{ROOT}", "answer"),
        (False, "", ""),
        (True, KEY, "progress"),
    ]
    assert read[1].text.startswith("コーヒー豆は1,200円です。")


@pytest.mark.parametrize(("mode", "hit"), [(ReadingMode.SRD, True), (ReadingMode.ARTICLE, False)])
def test_a_cached_page_is_read_or_missed(tmp_path, mode, hit):
    """The SRD's entry is read. An article's file had no links of the whole page: a miss, and no error."""
    shutil.copytree(LEFT / "cache", tmp_path / "cache")
    (tmp_path / "cache").chmod(0o700)
    clock = FakeClock(datetime(2026, 1, 11, tzinfo=UTC))
    limits = {"ttl_days": 7, "query_ttl_hours": 24, "max_entries": 10, "max_bytes": 1_000_000}
    cache = open_cache(directory=str(tmp_path / "cache"), clock=clock, **limits)
    assert cache
    page = cache.lookup(canonicalise("https://example.com/old-price"), RenderingMethod.HTTP, mode)
    assert (page is not None) is hit
