"""What is decided before Slack is acknowledged: nothing acknowledged is lost, nothing is said twice."""

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest

from slackapp import wording
from slackapp.listeners.incoming import Incoming, message_key
from slackapp.listeners.payloads import from_event
from slackapp.playground.events.transports import Kind, OutgoingRequest
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from slackapp.playground.webapi.faults import Fault
from slackapp.run import socket_mode
from slackapp.settings import SlackSettings
from slackapp.stores.dynamodb import connect
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import CHANNEL, OPEN, TEAM, USER, ScriptedAgent, Stage, is_answered, ours
from tests.slackapp.stores.wire import Wire

ANSWERED = "コーヒー豆は1,200円です。"
LINK_AND_QUESTION = "<https://a.example/shipping> 送料は？"
SOON = 0.6
"""Seconds for a decision, where the store takes longer; a thread begins its work in less."""
ALWAYS = 10_000


def texts(messages):
    return [message["text"] for message in messages]


def statuses(stage, bodies, retry_num=0):
    return [stage.slack.deliver(body, retry_num=retry_num)[0].result().status for body in bodies]


@contextmanager
def locked(path):
    """Another process writes to the file, and takes its time."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@pytest.fixture
def impatient(sqlite_settings):
    """The app with a store that others may lock; a decision is due soon."""
    with Stage(sqlite_settings, decide_seconds=SOON) as stage:
        assert stage.store
        yield stage


def test_a_claim_that_is_written_late_is_run_and_the_repeated_delivery_finds_it(impatient):
    """Undecided is not "not written": the event is not acknowledged, and nothing is said."""
    stage = impatient
    ts = stage.mention(deliver=False)
    bodies = stage.slack.bodies(CHANNEL, ts)
    with locked(stage.settings.sqlite_path):
        assert statuses(stage, bodies) == [503, 503]
        assert stage.replies(ts) == []
    assert stage.slack.wait_until(lambda: is_answered(stage.slack, CHANNEL, ts))
    assert statuses(stage, bodies, retry_num=1) == [200, 200]
    assert texts(stage.settled().replies(ts)) == [ANSWERED]
    assert (stage.slack.ephemerals(), len(stage.agent.asked)) == ([], 1)


def test_a_command_is_acknowledged_undecided_and_answered_when_it_is_decided(impatient):
    stage = impatient
    with locked(stage.settings.sqlite_path):
        assert stage.slack.command(USER, CHANNEL, "/fetch", "https://a.example/ は？").ok
        assert stage.slack.ephemerals() == []
    assert stage.slack.wait_until(lambda: stage.agent.asked)
    stage.settled()
    [root] = [message["ts"] for message in stage.slack.timeline(CHANNEL)]
    assert texts(stage.replies(root))[1:] == [ANSWERED]
    assert stage.slack.ephemerals() == []


@pytest.fixture
def wire(dynamodb_settings):
    with Wire(dynamodb_settings["dynamodb_endpoint_url"]) as way:
        yield way


@pytest.fixture
def wired(wire, dynamodb_settings, monkeypatch):
    """The app behind a way to DynamoDB where things go wrong; nobody waits between two tries."""
    monkeypatch.setitem(connect.__kwdefaults__, "read_seconds", 0.7)
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    described = {**dynamodb_settings, "dynamodb_endpoint_url": wire.url}
    clock = FakeClock(LATER)
    with Stage(described, clock=clock, heartbeat_seconds=0.05) as stage:
        assert stage.store
        yield stage
        wire.plan.clear()
        assert stage.settled().unfinished() == []


def test_a_claim_whose_response_is_lost_is_not_refused_and_answered_once(wired, wire):
    """No try has an answer, but the first was carried out: the repeated delivery finds the claim."""
    ts = wired.mention(deliver=False)
    [asked, _] = wired.slack.bodies(CHANNEL, ts)
    wire.plan.extend(["lose"] * 3)
    assert statuses(wired, [asked]) == [503]
    assert statuses(wired, [asked], retry_num=1) == [200]
    assert (wired.settled().slack.ephemerals(), wired.replies(ts)) == ([], [])
    wired._clock.advance(300)  # nobody has the claim: its lease runs out
    assert texts(wired.swept().replies(ts)) == [ANSWERED]


def test_one_event_that_meets_an_error_does_not_refuse_what_the_other_has_claimed(wired, wire):
    """Neither of a mention's two events is told a refusal, on any delivery."""
    ts = wired.mention(deliver=False)
    [asked, echo] = wired.slack.bodies(CHANNEL, ts)
    assert statuses(wired, [echo]) == [200]
    assert texts(wired.settled().replies(ts)) == [ANSWERED]
    for number, status in ((0, 503), (3, 200)):
        wire.plan.extend(["ResourceNotFoundException"] * ALWAYS)
        assert statuses(wired, [asked], retry_num=number) == [status]
        wire.plan.clear()
    assert wired.settled().slack.ephemerals() == []


def test_a_command_that_the_store_never_answered_is_pursued_until_it_does(wired, wire):
    wire.plan.extend(["drop"] * ALWAYS)
    assert wired.slack.command(USER, CHANNEL, "/fetch", "https://a.example/ は？").ok
    assert wired.settled().slack.ephemerals() == []
    wire.plan.clear()
    assert wired.slack.wait_until(lambda: wired.agent.asked)
    [root] = [message["ts"] for message in wired.settled().slack.timeline(CHANNEL)]
    assert texts(wired.replies(root))[1:] == [ANSWERED]


def test_the_last_delivery_of_an_undecided_event_is_pursued_and_not_told(wired, wire):
    ts = wired.mention(deliver=False)
    [asked, _] = wired.slack.bodies(CHANNEL, ts)
    wire.plan.extend(["drop"] * ALWAYS)
    assert statuses(wired, [asked], retry_num=2) == [503]
    assert statuses(wired, [asked], retry_num=3) == [200]
    wire.plan.clear()
    wire.plan.extend(["ResourceNotFoundException"] * 3)  # it may have been written before
    assert statuses(wired, [asked], retry_num=3) == [200]
    wire.plan.clear()
    assert wired.slack.wait_until(lambda: is_answered(wired.slack, CHANNEL, ts))
    assert texts(wired.settled().replies(ts)) == [ANSWERED]
    assert wired.slack.ephemerals() == []


def test_a_store_that_does_not_answer_delays_no_other_acknowledgement(wire, dynamodb_settings):
    """More questions than there are threads for claims; the home tab is acknowledged meanwhile."""
    described = {**dynamodb_settings, "dynamodb_endpoint_url": wire.url}
    with Stage(described, decide_seconds=1.0, slack=LocalSlack(own_events=False)) as stage:
        assert stage.store
        wire.plan.extend(["hang"] * ALWAYS)
        stamps = [stage.mention(deliver=False) for _ in range(60)]
        bodies = [stage.slack.bodies(CHANNEL, ts)[0] for ts in stamps]
        opened = {"type": "event_callback", "team_id": TEAM, "event": {"type": "app_home_opened", "tab": "x"}}
        with ThreadPoolExecutor(61) as senders:

            def send(body):
                request = OutgoingRequest(kind=Kind.EVENT, payload=body)
                return stage.slack._dispatcher.deliver(stage.app, request)[0]

            sent = [senders.submit(send, body) for body in bodies]
            assert stage.slack.wait_until(lambda: len(wire.operations) > 20)
            other = senders.submit(send, opened).result()
            undecided = [each.result() for each in sent]
        wire.plan.clear()
        wire.over.set()
    assert (other.status, {each.status for each in undecided}) == (200, {503})
    assert other.seconds < 1
    assert max(each.seconds for each in undecided) < 2.5


def test_over_socket_mode_an_undecided_event_is_not_acknowledged_and_comes_again(tmp_path):
    """Its first delivery has the number 0."""
    path = tmp_path / "s.sqlite3"
    with LocalSlack(ack_timeout=1.5) as slack:
        slack.install(App(bot_token="xoxb-1", app_token="xapp-1"))
        settings = SlackSettings.model_validate(
            {
                "slack_bot_token": "xoxb-1",
                "slack_app_token": "xapp-1",
                "slack_api_url": slack.api_url,
                "sqlite_path": str(path),
                **OPEN,
            }
        )
        over = threading.Event()
        environ = {"WEBFETCH_CACHE_DIR": ""}
        app = threading.Thread(target=socket_mode.serve, args=(settings, environ), kwargs={"until": over})
        app.start()
        try:
            assert slack.wait_until(lambda: slack.sockets.count(slack.app.app_id) == 1)
            with locked(path):
                ts = slack.say(USER, "general", f"<@{slack.app.bot_user}> おすすめは何ですか？")
                assert slack.wait_until(lambda: any(each.error for each in slack.deliveries))
                assert [each.attempt for each in slack.deliveries] == [0] * len(slack.deliveries)
                assert {each.status for each in slack.deliveries} == {0}
            assert slack.wait_until(lambda: is_answered(slack, "general", ts))
            assert slack.wait_until(lambda: any(each.status == 200 for each in slack.deliveries))
            assert len(ours(slack, "general", ts)) == 1
            assert slack.ephemerals() == []
        finally:
            over.set()
            app.join(60)


@pytest.fixture
def hold():
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def stage(store):
    with Stage(store) as running:
        yield running
        assert running.settled().unfinished() == []


@pytest.mark.parametrize("is_root", [True, False], ids=["first message", "inside a thread"])
def test_a_follow_up_that_comes_before_the_answer_begins_is_answered(stage, hold, is_root):
    """The question is claimed, and Slack is still being asked who asked it.

    In a thread of others only a reply that has a link and asks is for the app (S20).
    """
    root = "" if is_root else stage.slack.say("U0SATO", CHANNEL, "相談です")
    stage.settled()
    stage.slack.faults.next("users.info", Fault(hold=hold))
    ts = stage.mention(thread_ts=root) if root else stage.mention()
    assert stage.slack.wait_until(lambda: stage.slack.faults.held)
    follow_up = stage.slack.say(USER, CHANNEL, LINK_AND_QUESTION if root else "送料は？", root or ts)
    key = message_key(TEAM, CHANNEL, follow_up)
    assert stage.slack.wait_until(lambda: stage.store.unfinished_claim(key, now=time.time()))
    hold.set()
    assert texts(stage.settled().replies(root or ts)) == [ANSWERED, ANSWERED]


def test_a_thread_in_which_a_question_was_refused_is_not_followed(store):
    """It was linked only as long as its claim was not done."""
    with Stage(store, access_mode="whitelist") as stage:
        root = stage.slack.say("U0SATO", CHANNEL, "相談です")
        stage.mention(thread_ts=root)
        assert len(stage.settled().slack.ephemerals()) == 1
        stage.slack.say(USER, CHANNEL, LINK_AND_QUESTION, root)
        assert len(stage.settled().slack.ephemerals()) == 1


def test_a_follow_up_whose_look_up_failed_is_looked_up_again(wired, wire):
    ts = wired.mention()
    wired.settled()
    follow_up = wired.slack.say(USER, CHANNEL, "送料は？", ts, deliver=False)
    [body] = wired.slack.bodies(CHANNEL, follow_up)
    wire.plan.extend(["drop"] * 3)
    assert statuses(wired, [body]) == [503]
    assert statuses(wired, [body], retry_num=1) == [200]
    assert texts(wired.settled().replies(ts)) == [ANSWERED, ANSWERED]


def test_a_follow_up_to_an_undecided_question_waits_for_the_decision(wired, wire):
    """Its thread may become ours."""
    ts = wired.mention(deliver=False)
    follow_up = wired.slack.say(USER, CHANNEL, "送料は？", ts, deliver=False)
    [asked, _], [body] = wired.slack.bodies(CHANNEL, ts), wired.slack.bodies(CHANNEL, follow_up)
    wire.plan.extend(["drop"] * 3)
    assert statuses(wired, [asked, body]) == [503, 503]
    assert statuses(wired, [asked, body], retry_num=1) == [200, 200]
    assert texts(wired.settled().replies(ts)) == [ANSWERED, ANSWERED]


def _deletion(stage, ts):
    event = {
        "type": "message",
        "subtype": "message_deleted",
        "channel": CHANNEL,
        "deleted_ts": ts,
        "ts": "1.2",
    }
    return stage.slack.bodies(CHANNEL, ts)[0] | {"event": event}


def _cross(stage, ts, user):
    item = {"type": "message", "channel": CHANNEL, "ts": ts}
    event = {"type": "reaction_added", "user": user, "reaction": "x", "item": item, "event_ts": "1.2"}
    return stage.slack.bodies(CHANNEL, ts)[0] | {"event": event}


@pytest.mark.parametrize(
    ("by", "answers"), [("deletion", 0), (USER, 0), ("U0SATO", 1), ("U0SATO then asker", 0), ("both", 0)]
)
def test_a_question_that_was_stopped_before_its_claim_is_not_answered(stage, by, answers):
    """By its asker or by deleting it; a cross of another person stops nothing. Nothing is said."""
    ts = stage.mention(deliver=False)
    crosses = {
        "deletion": [_deletion(stage, ts)],
        USER: [_cross(stage, ts, USER)],
        "U0SATO": [_cross(stage, ts, "U0SATO")],
        "U0SATO then asker": [_cross(stage, ts, "U0SATO"), _cross(stage, ts, USER)],
        "both": [_deletion(stage, ts), _cross(stage, ts, "U0SATO")],
    }
    assert set(statuses(stage, crosses[by])) == {200}
    assert statuses(stage, stage.slack.bodies(CHANNEL, ts)) == [200, 200]
    assert texts(stage.settled().replies(ts)) == [ANSWERED] * answers
    assert (stage.slack.ephemerals(), len(stage.agent.asked)) == ([], answers)


def test_a_question_is_counted_once_whoever_runs_it(store):
    """A worker that died before the limits were asked has counted nothing."""
    clock = FakeClock(LATER)
    with Stage(store, clock=clock, rate_limit_per_minute=1, rate_limit_burst=1) as stage:
        ts = stage.mention(deliver=False)
        [asked, _] = stage.slack.bodies(CHANNEL, ts)
        handler = stage.running.lazy_handler.get()
        incoming = from_event(asked, stage.app.bot_user)
        assert isinstance(incoming, Incoming)
        lease = handler.claim(incoming)
        assert lease
        lease.release()  # as if its worker had died in the queue
        clock.advance(1)
        assert texts(stage.swept().replies(ts)) == [ANSWERED]
        second = stage.mention()
        assert stage.settled().replies(second) == []
        [told] = stage.slack.ephemerals()
        assert "秒" in told["text"]


def test_a_stop_reaches_a_question_that_waits_for_a_thread(sqlite_settings, hold):
    """It is not answered when its turn comes; and nothing is said, because nothing was said before."""
    agent, one = ScriptedAgent(hold=hold), ThreadPoolExecutor(1)
    with Stage(sqlite_settings, agent=agent, executor=one) as stage:
        first = stage.mention(deliver=False)
        waiting = stage.mention(deliver=False)
        assert statuses(stage, stage.slack.bodies(CHANNEL, first)[:1]) == [200]
        assert agent.begun.acquire(timeout=60)
        assert statuses(stage, stage.slack.bodies(CHANNEL, waiting)[:1]) == [200]
        assert statuses(stage, [_cross(stage, waiting, USER)]) == [200]
        hold.set()
        one.shutdown()  # when this returns, both have had their turn
        assert stage.unfinished() == []
        assert texts(stage.replies(first)) == [ANSWERED]
        assert stage.replies(waiting) == []
        assert len(agent.asked) == 1
        assert wording.stopped() not in texts(stage.slack.timeline(CHANNEL))
