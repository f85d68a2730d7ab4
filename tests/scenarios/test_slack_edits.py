"""Edits: one that calls the app is a question, once; one of a question changes nothing but is noticed."""

import threading

import pytest

from slackapp import wording
from slackapp.listeners.payloads import EDIT_SECONDS
from slackapp.work.lease import CLAIMED_SECONDS
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import CHANNEL, USER, ScriptedAgent, Stage

OTHER = "U0SATO"
ONE = pytest.mark.parametrize("store", ["sqlite"], indirect=True)


@pytest.fixture
def hold():
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def busy(store, hold):
    """An app whose agent works until `hold` is set."""
    with Stage(store, agent=ScriptedAgent(hold=hold)) as stage:
        yield stage
        hold.set()
        assert stage.settled().unfinished() == []


@pytest.fixture
def stage(store):
    with Stage(store, clock=FakeClock(LATER)) as running:
        yield running
        assert running.settled().unfinished() == []


def edit(stage, ts, text, user=USER, channel=CHANNEL):
    if stage._clock:
        stage._clock.advance(1)
    stage.slack.edit(user, channel, ts, text)
    return stage


def test_a_message_that_is_edited_to_mention_us_is_a_question_once(stage):
    """Slack sends the change and a mention; a second edit sends both again."""
    ts = stage.slack.say(USER, CHANNEL, "https://a.example/price いくら？")
    for text in ("いくら？", "やはり年額で"):
        edit(stage.settled(), ts, f"<@{stage.app.bot_user}> https://a.example/price {text}").settled()
    [asked] = stage.agent.asked
    assert asked.question.endswith("いくら？")
    assert (len(stage.replies(ts)), stage.slack.ephemerals()) == (1, [])


@ONE
def test_an_edit_in_a_group_dm_is_a_question_too(stage):
    """No mention event comes there."""
    where = stage.slack.workspace.open_group(USER, OTHER, stage.app.bot_user).id
    ts = stage.slack.say(USER, where, "https://a.example/price いくら？")
    edit(stage.settled(), ts, f"<@{stage.app.bot_user}> いくら？", channel=where).settled()
    assert len(stage.replies(ts, where)) == 1


def test_an_edited_question_that_was_answered_is_not_answered_again(stage):
    ts = stage.mention()
    edit(stage.settled(), ts, f"<@{stage.app.bot_user}> 別の質問").settled()
    assert (len(stage.agent.asked), stage.slack.ephemerals()) == (1, [])


@ONE
def test_an_old_question_is_not_answered_again_when_its_claim_is_gone(stage):
    ts = stage.mention()
    stage.settled()
    stage._clock.advance(CLAIMED_SECONDS + 3600)
    edit(stage, ts, f"<@{stage.app.bot_user}> 別の質問").settled()
    assert len(stage.agent.asked) == 1
    assert EDIT_SECONDS < CLAIMED_SECONDS


def test_the_asker_who_edits_a_running_question_is_told_once(busy, hold):
    ts = busy.mention()
    assert busy.agent.begun.acquire(timeout=60)
    for text in ("年額は？", "税込みでは？"):
        edit(busy, ts, f"<@{busy.app.bot_user}> {text}")
    assert busy.slack.wait_until(busy.slack.ephemerals)
    hold.set()
    [told] = busy.settled().slack.ephemerals()
    assert (told["to"], told["text"], told["thread_ts"]) == (USER, wording.first_text_counts(), ts)
    assert len(busy.agent.asked) == 1


@ONE
def test_a_preview_is_no_edit(busy, hold):
    """Slack reports it as a change of the message."""
    ts = busy.mention("<https://a.example/price> いくら？")
    assert busy.agent.begun.acquire(timeout=60)
    busy.slack.unfurl(CHANNEL, ts, from_url="https://a.example/price", title="料金")
    hold.set()
    assert busy.settled().slack.ephemerals() == []
    assert len(busy.agent.asked) == 1
