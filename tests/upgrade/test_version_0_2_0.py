"""What version 0.2.0 left in SQLite's file and in DynamoDB's tables works on in this version.

That version wrote `version_0_2_0/`: its file as a dump, and its tables with their items as DynamoDB returned
them, while a follow-up was being answered whose asker wanted to stop it.
"""

import json
import sqlite3
from pathlib import Path

import pytest

from slackapp.listeners.incoming import Incoming, Kind, Name
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Entity, Renewal, WhitelistStatus
from slackapp.stores.dynamodb import DynamoDBStore, connect
from slackapp.stores.sqlite import SQLiteStore
from tests.fakes.dynamodb import FUTURE

LEFT = Path(__file__).with_name("version_0_2_0")
TEAM, CHANNEL, THREAD = PLACE = ("T0LOCAL", "C0GENERAL", "1794895770.666988")
KEY = f"{TEAM}:{CHANNEL}:1794895771.565385"
STOPPED, DELETED = "1794895780.000100", "1794895780.000200"
"""Messages with a tombstone: one of U0SATO, one of a deletion."""
NOW = FUTURE + 1
AFTER_ITS_LEASE, LATER = FUTURE + 61, FUTURE + 3600


@pytest.fixture
def sqlite(tmp_path):
    database = sqlite3.connect(tmp_path / "store.sqlite3")
    database.executescript((LEFT / "store.sql").read_text("utf-8"))
    database.close()
    return SQLiteStore(tmp_path / "store.sqlite3")


@pytest.fixture
def dynamodb(dynamodb_endpoint, request):
    settings = SlackSettings(
        dynamodb_endpoint_url=dynamodb_endpoint, dynamodb_table_prefix=f"{request.node.originalname[:60]}-"
    )
    client = connect(settings, read_seconds=30)
    for table, left in json.loads((LEFT / "tables.json").read_text("utf-8")).items():
        name = settings.table_name(table)
        client.create_table(TableName=name, **left["definition"])
        if left["ttl"]:
            expiry = {"Enabled": True, "AttributeName": left["ttl"]}
            client.update_time_to_live(TableName=name, TimeToLiveSpecification=expiry)
        for item in left["items"]:
            client.put_item(TableName=name, Item=item)
    return DynamoDBStore(client, settings.table_name)


@pytest.fixture(params=["sqlite", "dynamodb"])
def store(request):
    store = request.getfixturevalue(request.param)
    assert store.create_tables() == ()
    yield store
    store.close()


def test_a_claim_is_taken_over_with_its_question_and_its_reply(store):
    [claim] = store.expired_claims(now=AFTER_ITS_LEASE, limit=10)
    taken = store.take_over(claim, owner="new", now=AFTER_ITS_LEASE, lease_until=LATER)
    assert (taken.key, taken.attempt, taken.stopped) == (KEY, 2, True)
    record = taken.reply_record
    assert (record.replies, record.uploads, record.contents) == (
        ("1794895771.592809",),
        ("F0TABLE",),
        ("9f86d0",),
    )
    assert (record.runs, record.charged, record.language, record.revision) == (1, True, "ja", 3)
    incoming = Incoming.from_json(taken.incoming)
    assert (incoming.kind, incoming.user, incoming.text) == (Kind.FOLLOW_UP, "U0TANAKA", "送料も教えて")
    assert store.finish(KEY, owner="new")


def test_a_worker_keeps_its_claim(store):
    assert store.renew(KEY, owner="second", lease_until=LATER) is Renewal.STOPPED
    assert store.expired_claims(now=AFTER_ITS_LEASE, limit=10) == ()
    assert store.finish(KEY, owner="second")


def test_what_was_answered_or_stopped_is_not_claimed_again(store):
    moments = {"now": NOW, "lease_until": NOW + 60, "expires_at": LATER}
    claimed = {
        (ts, asker): store.claim(f"{TEAM}:{CHANNEL}:{ts}", "{}", owner="new", asker=asker, **moments)
        for ts, asker in [
            (THREAD, "U0TANAKA"),
            (DELETED, "U0TANAKA"),
            (STOPPED, "U0SATO"),
            (STOPPED, "U0TANAKA"),
        ]
    }
    assert [what for what, claim in claimed.items() if claim] == [(STOPPED, "U0TANAKA")]


def test_a_thread_is_still_ours_and_its_urls_are_known(store):
    thread, asked = Name.THREAD.of(*PLACE), Name.ASKED.of(*PLACE)
    assert store.linked_claim_key(thread, now=NOW) == store.linked_claim_key(asked, now=NOW) == KEY
    assert store.is_thread_ours(thread, asked=asked, root="none", now=NOW)
    urls = ("https://shop.example/送料", "https://shop.example/price")
    assert store.known_urls(Name.KNOWN_URLS.of(*PLACE), now=NOW) == urls


def test_ratings_and_marks_stay(store):
    name = f"feedback:{TEAM}:{CHANNEL}:{THREAD}:U0TANAKA"
    assert store.toggle_feedback(name, "bad", press="1794895790.1", now=NOW, expires_at=LATER).is_repeated
    assert store.add_feedback_reason(name, "やはり古い", now=NOW)
    assert store.toggle_feedback(name, "bad", press="1794895800.1", now=NOW, expires_at=LATER).value == ""
    assert not store.mark_once(f"edited:{KEY}", "another", now=NOW, expires_at=LATER)


def test_counters_go_on(store):
    rate = {"interval": 6.0, "burst": 2, "expires_after": 3600.0}
    waits = [store.take_rate_slot(f"rate:{TEAM}:U0TANAKA", now=FUTURE + at, **rate) for at in (0, 6, 6)]
    assert waits == [6.0, 0.0, 6.0]
    day = f"questions:2100-01-01:{TEAM}"
    assert store.add_usage(day, 1, limit=4, expires_at=LATER)
    assert not store.add_usage(day, 1, limit=4, expires_at=LATER)
    store.add_tally(f"usage:2100-01-01:{TEAM}", {"C0GENERAL_questions": 1}, expires_at=LATER)
    tally = store.tally(f"usage:2100-01-01:{TEAM}", now=NOW)
    assert tally == {"C0GENERAL_questions": 4, "C0GENERAL_tokens": 4200}


def test_the_whitelist_and_the_cache_are_read(store):
    assert store.whitelist_status({Entity.TEAM: TEAM}) == {Entity.TEAM: WhitelistStatus.LISTED}
    assert store.whitelist_entries()[0].label == "本社"
    name = f"name:{TEAM}:U0TANAKA"
    assert store.cached_values([name], now=NOW) == {name: "田中"}


def test_all_rows_of_the_workspace_can_be_deleted(store):
    store.delete_workspace(TEAM)
    assert store.delete_workspace(TEAM) == 0
    assert store.unfinished_claim(KEY, now=NOW) is None
    assert store.whitelist_entries()
