"""The Bolt app: it acknowledges by itself, and hands over what is for us."""

import json
import time
from concurrent.futures import Executor, Future
from typing import Any

import pytest
from slack_bolt import BoltRequest
from slack_sdk.signature import SignatureVerifier

from slackapp.app import Credentials, build_app
from slackapp.listeners.incoming import Incoming, Kind
from tests.slackapp import payloads

SECRET = "secret"


class Handler:
    """Keeps what it is handed, and says whether that is decided."""

    def __init__(self):
        self.questions, self.stops, self.votes, self.homes = [], [], [], []
        self.decided = True

    def answer(self, incoming):
        self.questions.append((incoming, None))

    def stop_run(self, stop):
        self.stops.append(stop)

    def accept(self, incoming, last):
        self.questions.append((incoming, last))
        return self.decided

    def stop(self, stop, last):
        self.stops.append(stop)
        return self.decided

    def save_feedback(self, feedback):
        self.votes.append(feedback)

    def show_home(self, opened):
        self.homes.append(opened.user)

    def suggest_prompts(self, opened):
        self.homes.append(opened.channel)


class Now(Executor):
    """Runs what is submitted at once, so that a test sees what came of it."""

    def submit(self, function, /, *args, **kwargs):
        future: Future[Any] = Future()
        future.set_result(function(*args, **kwargs))
        return future


@pytest.fixture
def handler():
    return Handler()


@pytest.fixture
def send(handler):
    """Sends the app a signed body; the status of its answer. A call to Slack would fail the test."""
    return sender(handler, handler)


def sender(handler, acceptance):
    credentials = Credentials(bot_token="xoxb-1", signing_secret=SECRET, read_reaction="newspaper")
    app = build_app(credentials, lambda: handler, acceptance=acceptance, executor=Now())

    def sent(body, **headers):
        text = json.dumps(body)
        moment = str(int(time.time()))
        signature = SignatureVerifier(SECRET).generate_signature(timestamp=moment, body=text)
        signed = {
            "content-type": "application/json",
            "x-slack-request-timestamp": moment,
            "x-slack-signature": signature,
        }
        return app.dispatch(BoltRequest(body=text, headers=signed | headers)).status

    return sent


def test_a_mention_is_handed_over_without_a_word_to_slack(send, handler):
    """The payload has the app's own user: Slack is not asked, so nothing can fail."""
    assert send(payloads.mention()) == 200
    [(incoming, last)] = handler.questions
    assert isinstance(incoming, Incoming)
    assert (incoming.bot_user, last) == (payloads.BOT, False)


def test_events_that_slack_leaves_out_are_told_in_the_log(send, handler, caplog):
    """The request itself is acknowledged: Slack switches events off for apps that refuse too many."""
    told = {"type": "app_rate_limited", "team_id": payloads.TEAM, "minute_rate_limited": 1518467820}
    assert send(told) == 200
    assert [record.message for record in caplog.records] == ["events_limited"]
    assert handler.questions == []


def test_without_an_acceptance_a_question_is_acknowledged_and_handed_over_later(handler):
    """As on Lambda."""
    send = sender(handler, None)
    bodies = (payloads.mention(), payloads.command("https://shop.example/"), payloads.shortcut("x"))
    for body in (*bodies, payloads.reaction("newspaper"), payloads.modal("https://shop.example/")):
        assert send(body) == 200
    assert [(incoming.kind, last) for incoming, last in handler.questions] == [
        ("mention", None),
        ("command", None),
        ("shortcut", None),
        ("reaction", None),
        ("modal", None),
    ]


@pytest.mark.parametrize(
    ("number", "last"), [("0", False), ("1", False), ("2", False), ("3", True), ("4", True), ("x", False)]
)
def test_the_last_delivery_of_an_event_is_known_as_one(send, handler, number, last):
    """Over Socket Mode the first one has a number too: 0."""
    assert send(payloads.mention(), **{"x-slack-retry-num": number}) == 200
    assert [given for _, given in handler.questions] == [last]


@pytest.mark.parametrize(("number", "status"), [("0", 503), ("1", 503), ("2", 503), ("3", 200)])
def test_an_undecided_event_is_not_acknowledged_unless_it_is_the_last(send, handler, number, status):
    """Slack sends it again."""
    handler.decided = False
    assert send(payloads.mention(), **{"x-slack-retry-num": number}) == status
    deleted = payloads.event(
        type="message", subtype="message_deleted", channel=payloads.CHANNEL, deleted_ts="100.1", ts="100.2"
    )
    assert send(deleted, **{"x-slack-retry-num": number}) == status
    assert send(payloads.reaction("newspaper"), **{"x-slack-retry-num": number}) == status
    assert (len(handler.questions), len(handler.stops)) == (2, 1)


def test_an_undecided_command_or_shortcut_is_acknowledged(send, handler):
    """Slack sends it once."""
    handler.decided = False
    assert send(payloads.command("https://shop.example/ いくら？")) == 200
    assert send(payloads.shortcut("https://shop.example/")) == 200
    assert send(payloads.modal("https://shop.example/")) == 200
    assert [last for _, last in handler.questions] == [True, True, True]


def test_an_empty_modal_is_not_a_question_and_an_empty_command_asks_for_help(send, handler):
    """The help is in the user's language, which is looked up after the acknowledgement."""
    assert send(payloads.modal("shop.example")) == 200
    assert handler.questions == []
    assert send(payloads.command("  ")) == 200
    [(incoming, _)] = handler.questions
    assert (incoming.kind, incoming.question) == (Kind.COMMAND, "")


@pytest.mark.parametrize(
    "body",
    [
        payloads.event(type="member_joined_channel", user="U1", channel="C1"),
        payloads.message("お昼ですね"),
        payloads.message("x", subtype="channel_join"),
        payloads.mention(bot_id="B1"),
        {"type": "shortcut", "callback_id": "unknown", "team": {"id": "T1"}, "user": {"id": "U1"}},
        {"type": "block_actions", "actions": [{"action_id": "unknown", "type": "button", "block_id": "b"}]},
        payloads.command("x", command="/other"),
        payloads.reaction("eyes"),
    ],
    ids=["event", "small talk", "report", "bot", "shortcut", "button", "command", "reaction"],
)
def test_what_asks_us_nothing_is_acknowledged_and_dropped(send, handler, body):
    """Slack sends again what is not acknowledged."""
    assert send(body) == 200
    assert (handler.questions, handler.stops, handler.votes) == ([], [], [])


def test_a_command_and_a_shortcut_are_handed_over(send, handler):
    assert send(payloads.command("https://shop.example/ いくら？")) == 200
    assert send(payloads.shortcut("https://shop.example/")) == 200
    assert [incoming.kind for incoming, _ in handler.questions] == ["command", "shortcut"]


def test_the_two_tabs_are_handed_over_and_others_are_not(send, handler):
    for tab in ("home", "messages", "about"):
        assert send(payloads.event(type="app_home_opened", user="U1", channel="D1", tab=tab)) == 200
    assert handler.homes == ["U1", "D1"]
