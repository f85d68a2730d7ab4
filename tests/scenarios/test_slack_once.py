"""One reply to every question: when a process sleeps, an agent gives up, or Slack refuses for long."""

import asyncio
import json
import sqlite3
import threading
from contextlib import closing
from types import SimpleNamespace

import pytest

from fetcher.agent import Answer
from slackapp import wording
from slackapp.listeners.incoming import message_key
from slackapp.playground.webapi.faults import Fault
from slackapp.slack.client import make_client
from slackapp.slack.message import Mark, Message, MessageKind, Place
from slackapp.slack.poster import Poster
from slackapp.stores.contract import ReplyRecord
from slackapp.work.agent_runs import Runs
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import CHANNEL, TEAM, ScriptedAgent, Stage, part_of

TWO_PARTS = Answer(text="\n\n".join("文です。" * 400 for _ in range(10)))
DAY = 24 * 3600


@pytest.fixture
def clock():
    return FakeClock(LATER)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    for module in ("builtin_handlers", "handler"):
        monkeypatch.setattr(f"slack_sdk.http_retry.{module}.time", SimpleNamespace(sleep=lambda _: None))


@pytest.fixture
def patience(monkeypatch, clock):
    """Waiting moves the clock, and takes no time."""
    waits: list[float] = []

    def wait(_, seconds):
        waits.append(seconds)
        clock.advance(seconds)

    monkeypatch.setattr(Runs, "wait", wait)
    return waits


def kinds(stage, ts):
    return [(part_of(each), each["metadata"]["event_payload"]["sort"]) for each in stage.replies(ts)]


def test_a_process_that_slept_goes_on_with_its_own_question(sqlite_settings, clock):
    """The sweeper is faster than the heartbeat, and leaves alone what this process holds."""
    agent = ScriptedAgent(hold=(hold := threading.Event()))
    with Stage(sqlite_settings, clock=clock, agent=agent) as stage:
        ts = stage.mention()
        assert agent.begun.acquire(timeout=60)
        clock.advance(3600)
        stage.swept()
        hold.set()
        assert [each["text"] for each in stage.settled().replies(ts)] == ["コーヒー豆は1,200円です。"]
        assert len(agent.asked) == 1
        assert stage.unfinished() == []


def test_an_agent_that_cancels_itself_has_failed(sqlite_settings, clock):
    """It is not run again and again: an interruption is one only if the process ends."""

    class Cancelling(ScriptedAgent):
        async def ask(self, request, on_progress):
            self.asked.append(request)
            raise asyncio.CancelledError

    agent = Cancelling()
    with Stage(sqlite_settings, clock=clock, agent=agent) as stage:
        ts = stage.mention()
        assert [each["text"] for each in stage.settled().replies(ts)] == [wording.failed()]
        assert (len(agent.asked), stage.unfinished()) == (1, [])


def refuse_second_part(stage, times):
    def is_second(arguments):
        return '"part": "1"' in json.dumps(arguments).replace("\\", "")

    stage.slack.faults.next("chat.postMessage", Fault(status=429, retry_after=90), times, when=is_second)


def test_a_long_wait_that_slack_asks_for_is_waited_with_the_answer_in_hand(sqlite_settings, clock, patience):
    """The agent is asked once, and the second part follows."""
    agent = ScriptedAgent(TWO_PARTS)
    with Stage(sqlite_settings, clock=clock, agent=agent, patience_seconds=300) as stage:
        refuse_second_part(stage, 2)
        ts = stage.mention()
        assert kinds(stage.settled(), ts) == [("0", "answer"), ("1", "answer")]
        assert 90 in patience
        assert (len(agent.asked), stage.unfinished()) == (1, [])


def test_what_slack_refuses_for_longer_is_tried_when_slack_has_said(sqlite_settings, clock):
    """Five times, which is more than the attempts of a question; meanwhile the first part stands."""
    agent = ScriptedAgent(TWO_PARTS)
    with Stage(sqlite_settings, clock=clock, agent=agent) as stage:
        refuse_second_part(stage, 5)
        ts = stage.mention()
        stage.settled()
        for _ in range(4):
            assert kinds(stage, ts) == [("0", "answer")]
            clock.advance(80)
            asked = len(agent.asked)
            stage.swept()
            assert len(agent.asked) == asked
            clock.advance(11)
            stage.swept()
        clock.advance(91)
        assert kinds(stage.swept(), ts) == [("0", "answer"), ("1", "answer")]
        assert stage.unfinished() == []


def test_a_claim_of_a_later_version_keeps_its_question(tmp_path, clock):
    """After a rollback: fields that this version does not know are ignored."""
    where = tmp_path / "s.sqlite3"
    agent = ScriptedAgent(hold=(hold := threading.Event()))
    with Stage({"sqlite_path": str(where)}, clock=clock, agent=agent) as stage:
        ts = stage.mention()
        assert agent.begun.acquire(timeout=60)
    hold.set()
    with closing(sqlite3.connect(where)) as connection, connection:
        [(written,)] = connection.execute("SELECT incoming FROM dedupe WHERE incoming IS NOT NULL")
        later = json.dumps(json.loads(written) | {"mood": "good", "attachments": [{"id": 1}]})
        connection.execute("UPDATE dedupe SET incoming = ? WHERE incoming IS NOT NULL", (later,))
    with Stage({"sqlite_path": str(where)}, clock=clock, slack=stage.slack) as stage:
        clock.advance(120)
        assert [each["text"] for each in stage.swept().replies(ts)] == ["コーヒー豆は1,200円です。"]


def test_a_claim_that_cannot_be_read_leaves_no_placeholder(sqlite_settings, clock):
    with Stage(sqlite_settings, clock=clock) as stage:
        ts = stage.mention(deliver=False)
        key, now = message_key(TEAM, CHANNEL, ts), clock.now().timestamp()
        place = Place(channel=CHANNEL, thread_ts=ts, since=ts)
        message = Message(text="確認しています", kind=MessageKind.PROGRESS)
        posted = Poster(make_client(stage.settings)).post(place, message, Mark(key=key, part="0"))
        stage.store.claim(key, "?", owner="o", now=now, lease_until=now + 1, expires_at=now + DAY)
        stage.store.record_reply(key, owner="o", reply_record=ReplyRecord(replies=(posted,)))
        clock.advance(10)
        assert [each["text"] for each in stage.swept().replies(ts)] == [wording.failed()]
        assert stage.unfinished() == []
