"""How a run is stopped: by the one who asked, in any of Slack's ways, and by nobody else."""

import threading

import pytest

from slackapp import wording
from slackapp.listeners.incoming import message_key
from tests.slackapp.stage import CHANNEL, TEAM, USER, ScriptedAgent, Stage

OTHER = "U0SATO"
ANSWERED = "コーヒー豆は1,200円です。"
EITHER = pytest.mark.parametrize("store", ["sqlite"], indirect=True)
"""For stories in which it does not matter which store it is: they are told with one."""


@pytest.fixture
def hold():
    """The agent is busy until it is set."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def stage(store, hold):
    """A busy app; at the end no claim is left."""
    with Stage(store, agent=ScriptedAgent(hold=hold), lease_seconds=3, heartbeat_seconds=0.2) as running:
        yield running
        hold.set()
        assert running.settled().unfinished() == []


def busy(stage, ts, channel=CHANNEL):
    """Waits until the agent works on a question; the placeholder."""
    assert stage.agent.begun.acquire(timeout=60)
    return stage.replies(ts, channel)[0]["ts"]


def texts(messages):
    return [message["text"] for message in messages]


def pressed(stage, ts, _reply):
    stage.slack.stop_session(USER, CHANNEL, ts)


def crossed(stage, ts, _reply):
    stage.slack.react(USER, CHANNEL, ts, "heavy_multiplication_x")


def crossed_reply(stage, _ts, reply):
    stage.slack.react(USER, CHANNEL, reply, "negative_squared_cross_mark")


def deleted_under_replies(stage, ts, _reply):
    """It leaves a tombstone, which Slack reports as a change."""
    stage.slack.delete(CHANNEL, ts)


def deleted(stage, ts, _reply):
    """As Slack reports it of a message that has no replies yet."""
    event = {
        "type": "message",
        "subtype": "message_deleted",
        "channel": CHANNEL,
        "channel_type": "channel",
        "hidden": True,
        "deleted_ts": ts,
        "ts": "1.2",
        "event_ts": "1.2",
    }
    [body, _] = stage.slack.bodies(CHANNEL, ts)
    stage.slack.deliver(body | {"event": event})


@pytest.mark.parametrize("way", [pressed, crossed, crossed_reply, deleted_under_replies, deleted])
def test_a_run_is_stopped_and_the_reply_says_so(stage, way):
    ts = stage.mention()
    way(stage, ts, busy(stage, ts))
    assert texts(stage.settled().replies(ts)) == [wording.stopped()]
    assert stage.slack.ephemerals() == []


@EITHER
def test_a_message_that_asks_to_stop_stops_the_answer_of_its_thread(stage):
    """It is never a question: where nothing is being answered, the asker is told how to stop."""
    ts = stage.mention()
    busy(stage, ts)
    stage.slack.say(USER, CHANNEL, "止めて", thread_ts=ts)
    assert texts(stage.settled().replies(ts)) == [wording.stopped()]
    stage.slack.say(USER, CHANNEL, "止めて", thread_ts=ts)
    stage.settled().mention("ストップ")
    assert {each["text"] for each in stage.settled().slack.ephemerals(USER)} == {wording.nothing_to_stop()}
    assert len(stage.slack.ephemerals(USER)) == 2
    assert len(stage.agent.asked) == 1


@EITHER
def test_words_stop_the_askers_own_answer_also_where_another_user_has_asked_since(stage, hold):
    ts = stage.mention()
    busy(stage, ts)
    stage.slack.say(OTHER, CHANNEL, "https://b.example/ は？", thread_ts=ts)
    assert stage.agent.begun.acquire(timeout=60)
    stage.slack.say(USER, CHANNEL, "止めて", thread_ts=ts)
    assert stage.slack.wait_until(lambda: wording.stopped() in texts(stage.replies(ts)))
    hold.set()
    assert texts(stage.settled().replies(ts)) == [wording.stopped(), ANSWERED]
    assert stage.slack.ephemerals() == []


@EITHER
def test_words_stop_all_answers_of_the_asker_in_the_thread(stage):
    ts = stage.mention()
    busy(stage, ts)
    stage.slack.say(USER, CHANNEL, "https://b.example/ は？", thread_ts=ts)
    assert stage.agent.begun.acquire(timeout=60)
    stage.slack.say(USER, CHANNEL, "止めて", thread_ts=ts)
    assert texts(stage.settled().replies(ts)) == [wording.stopped()] * 2


@EITHER
def test_words_stop_an_answer_in_a_thread_that_others_began(stage, hold):
    """The asker need not mention the app; the same words of others are theirs."""
    ts = stage.slack.say(OTHER, CHANNEL, "おはよう")
    stage.mention(thread_ts=ts)
    assert stage.agent.begun.acquire(timeout=60)
    stage.slack.say(OTHER, CHANNEL, "止めて", thread_ts=ts)
    stage.slack.say(USER, CHANNEL, "止めて", thread_ts=ts)
    assert texts(stage.settled().replies(ts)) == [wording.stopped()]
    assert stage.slack.ephemerals() == []


@pytest.mark.parametrize("where", ["request", "reply", "button", "words"])
def test_nobody_but_the_asker_stops_a_run(stage, hold, where):
    ts = stage.mention()
    reply = busy(stage, ts)
    if where == "button":
        stage.slack.stop_session(OTHER, CHANNEL, ts)
    elif where == "words":
        stage.slack.say(OTHER, CHANNEL, "止めて", thread_ts=ts)
    else:
        stage.slack.react(OTHER, CHANNEL, ts if where == "request" else reply, "x")
    assert where == "words" or stage.slack.wait_until(lambda: delivered(stage) & STOPS)
    assert stage.slack.wait_until(stage.slack.ephemerals)
    hold.set()
    assert texts(stage.settled().replies(ts)) == [ANSWERED]
    [told] = stage.slack.ephemerals()
    assert (told["to"], told["thread_ts"]) == (OTHER, ts)
    assert told["text"] == wording.only_the_asker_stops()


@EITHER
def test_another_user_is_told_once_for_each_run(stage, hold):
    ts = stage.mention()
    busy(stage, ts)
    stage.slack.stop_session(OTHER, CHANNEL, ts)
    stage.slack.react(OTHER, CHANNEL, ts, "x")
    assert stage.slack.wait_until(lambda: delivered(stage) >= STOPS)
    assert stage.slack.wait_until(stage.slack.ephemerals)
    hold.set()
    assert len(stage.settled().slack.ephemerals()) == 1


@EITHER
def test_another_user_is_told_in_the_thread_of_a_command(stage, hold):
    stage.slack.command(USER, CHANNEL, "/fetch", "https://a.example/ は？")
    assert stage.agent.begun.acquire(timeout=60)
    [root] = [message["ts"] for message in stage.slack.timeline(CHANNEL)]
    stage.slack.stop_session(OTHER, CHANNEL, root)
    assert stage.slack.wait_until(stage.slack.ephemerals)
    hold.set()
    [told] = stage.settled().slack.ephemerals()
    assert told["thread_ts"] == root


STOPS = {"reaction_added", "agent_session_stopped"}


def delivered(stage):
    """The types of events that the app has acknowledged."""
    return {delivery.type for delivery in stage.slack.deliveries}


@EITHER
def test_other_reactions_stop_nothing(stage, hold):
    ts = stage.mention()
    busy(stage, ts)
    stage.slack.react(USER, CHANNEL, ts, "eyes")
    assert stage.slack.wait_until(lambda: delivered(stage) & STOPS)
    hold.set()
    assert texts(stage.settled().replies(ts)) == [ANSWERED]


@EITHER
def test_a_stop_after_the_answer_changes_nothing(stage, hold):
    hold.set()
    ts = stage.mention()
    stage.settled()
    stage.slack.react(USER, CHANNEL, ts, "x")
    stage.slack.stop_session(USER, CHANNEL, ts)
    stage.slack.delete(CHANNEL, ts)
    assert texts(stage.settled().replies(ts)) == [ANSWERED]


def test_a_streamed_answer_is_stopped_by_slacks_button(stage):
    """Slack has ended the stream by itself; what stands there then is our sentence, once."""
    where = stage.slack.direct(USER)
    ts = stage.slack.say(USER, where, "https://a.example/ は？")
    busy(stage, ts, where)
    stage.slack.stop_session(USER, where, ts)
    assert texts(stage.settled().replies(ts, where)) == [wording.stopped()]


@EITHER
def test_a_command_is_stopped_by_a_cross_on_its_thread(stage):
    stage.slack.command(USER, CHANNEL, "/fetch", "https://a.example/ は？")
    assert stage.agent.begun.acquire(timeout=60)
    [root] = [message["ts"] for message in stage.slack.timeline(CHANNEL)]
    stage.slack.react(USER, CHANNEL, root, "x")
    assert texts(stage.settled().replies(root))[1:] == [wording.stopped()]


def test_a_stop_that_another_process_heard_comes_with_the_heartbeat(stage):
    ts = stage.mention()
    busy(stage, ts)
    assert stage.store.request_stop(message_key(TEAM, CHANNEL, ts), now=stage._now())
    assert texts(stage.settled().replies(ts)) == [wording.stopped()]


def test_whoever_stops_one_question_stops_no_other(stage, hold):
    first, second = stage.mention(), stage.mention()
    for _ in range(2):
        assert stage.agent.begun.acquire(timeout=60)
    stage.slack.react(USER, CHANNEL, first, "x")
    assert stage.slack.wait_until(lambda: texts(stage.replies(first)) == [wording.stopped()])
    hold.set()
    assert texts(stage.settled().replies(second)) == [ANSWERED]
