"""What another worker finds when one has ended: it goes on at once, and tells nothing a second time."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.run.wiring import LazyHandler
from slackapp.work.agent_runs import Interrupted, Runs
from slackapp.work.lease import ClaimLost, Lease
from slackapp.work.sweep import sweep
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import CHANNEL, USER, ScriptedAgent, Stage, part_of

SPARING: dict[str, Any] = {"rate_limit_per_minute": 1, "rate_limit_burst": 1}
LEASE_SECONDS = 60


@pytest.fixture
def clock():
    return FakeClock(LATER)


@pytest.fixture
def stage(sqlite_settings, clock):
    """One question a minute; what is refused a minute later would be answered."""
    with Stage(sqlite_settings, clock=clock, **SPARING) as running:
        yield running
        assert running.settled().unfinished() == []


@pytest.fixture
def cut_off(stage, clock, monkeypatch):
    """Has a question end before it is written down as done, and then swept."""

    def finish(_, **__):
        raise Interrupted

    def done(ask):
        with monkeypatch.context() as patch:
            patch.setattr(Lease, "finish", finish)
            ask()
            stage.settled()
        assert len(stage.unfinished()) == 1
        clock.advance(LEASE_SECONDS + 1)
        return stage.swept()

    return done


def by_mention(stage):
    stage.mention()


def by_command(stage):
    stage.slack.command(USER, CHANNEL, "/fetch", "https://a.example/price いくら？")


def by_direct_message(stage):
    stage.slack.say(USER, stage.slack.direct(USER), "https://a.example/price いくら？")


@pytest.mark.parametrize("ask", [by_mention, by_command, by_direct_message])
def test_whoever_was_refused_is_not_answered_afterwards(stage, cut_off, ask):
    """One refusal or one reply; a run that goes on with another's work is not asked for quota again."""
    stage.mention()
    assert len(stage.settled().agent.asked) == 1
    posted = len(stage.slack.calls_of("chat.postMessage"))
    cut_off(lambda: ask(stage))
    assert len(stage.agent.asked) == 1
    said = stage.slack.calls_of("chat.postMessage")[posted:]
    heard = [call.arguments["text"] for call in said] + [each["text"] for each in stage.slack.ephemerals()]
    assert heard == [wording.refusal(RefusalCode.RATE_LIMITED, wait_seconds=60)]


def test_a_worker_that_ends_in_good_order_lets_nobody_wait(store, clock):
    """A deployment in the middle of a question: no lease has to run out first, and no attempt has failed."""
    hold = threading.Event()
    busy = ScriptedAgent(hold=hold)
    with Stage(store, agent=busy, clock=clock) as stage:
        ts = stage.mention()
        assert busy.begun.acquire(timeout=60)
        stage.running.lazy_handler.interrupt()
        hold.set()
        stage.settled()
        agent = ScriptedAgent()
        others = LazyHandler(
            stage.settings.model_copy(update={"max_attempts": 1}),
            environ={},
            open_agent=lambda: agent,
            clock=clock,
        )
        with ThreadPoolExecutor(1) as pool:
            for resumed in sweep(others.get(), pool):
                resumed.result()
        assert len(agent.asked) == 1
        assert [part_of(message) for message in stage.replies(ts)] == ["0"]
        assert stage.unfinished() == []
        others.interrupt()
        others.close()


def lost(*_, **__):
    raise ClaimLost("another worker has it")


@pytest.mark.parametrize(
    ("end", "stands"),
    [
        ((Runs, "answer"), [wording.failed()]),
        ((Lease, "finish"), ["コーヒー豆は1,200円です。", wording.failed()]),
    ],
    ids=["a placeholder", "an answer"],
)
def test_a_request_of_a_newer_version_is_told_where_it_was_asked(
    sqlite_settings, clock, monkeypatch, end, stands
):
    """Its kind is unknown after a rollback: a placeholder is replaced, and an answer that stands stays."""
    with Stage(sqlite_settings, clock=clock) as stage:
        with monkeypatch.context() as patch:
            patch.setattr(*end, lost)
            asked = [stage.mention()]
            stage.slack.command(USER, CHANNEL, "/fetch", "https://a.example/price いくら？")
            stage.settled()
        asked += [each["ts"] for each in stage.slack.timeline(CHANNEL) if part_of(each) == "root"]
        with closing(sqlite3.connect(sqlite_settings["sqlite_path"])) as file:
            file.execute("UPDATE dedupe SET incoming = json_set(incoming, '$.kind', 'telepathy')")
            file.commit()
        clock.advance(LEASE_SECONDS + 10)
        assert stage.swept().unfinished() == []
        for ts in asked:
            texts = [each["text"] for each in stage.replies(ts) if part_of(each) != "root"]
            assert texts == stands
