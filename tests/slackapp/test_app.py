"""The Bolt app: it acknowledges by itself, and hands over what is for us."""

import json
import time
from concurrent.futures import Executor, Future
from typing import Any

import pytest
from slack_bolt import BoltRequest
from slack_sdk.signature import SignatureVerifier

from slackapp.app import Credentials, build_app
from slackapp.listeners.incoming import Incoming
from tests.slackapp import payloads

SECRET = "secret"


class Handler:
    """Keeps what it is handed."""

    def __init__(self):
        self.questions, self.stops, self.votes, self.homes = [], [], [], []

    def answer(self, incoming, *, first_delivery):
        self.questions.append((incoming, first_delivery))

    def stop_run(self, stop):
        self.stops.append(stop)

    def save_feedback(self, feedback):
        self.votes.append(feedback)

    def show_home(self, user):
        self.homes.append(user)


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
    credentials = Credentials(bot_token="xoxb-1", signing_secret=SECRET)
    app = build_app(credentials, lambda: handler, executor=Now())

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
    [(incoming, first)] = handler.questions
    assert isinstance(incoming, Incoming)
    assert (incoming.bot_user, first) == (payloads.BOT, True)


def test_a_retry_is_known_as_one(send, handler):
    assert send(payloads.mention(), **{"x-slack-retry-num": "1"}) == 200
    assert [first for _, first in handler.questions] == [False]


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
    ],
    ids=["event", "small talk", "report", "bot", "shortcut", "button", "command"],
)
def test_what_asks_us_nothing_is_acknowledged_and_dropped(send, handler, body):
    """Slack sends again what is not acknowledged."""
    assert send(body) == 200
    assert (handler.questions, handler.stops, handler.votes) == ([], [], [])


def test_a_command_and_a_shortcut_are_handed_over(send, handler):
    assert send(payloads.command("https://shop.example/ いくら？")) == 200
    assert send(payloads.shortcut("https://shop.example/")) == 200
    assert [incoming.kind for incoming, _ in handler.questions] == ["command", "shortcut"]


def test_the_home_tab_is_handed_over_and_other_tabs_are_not(send, handler):
    for tab in ("home", "messages"):
        assert send(payloads.event(type="app_home_opened", user="U1", channel="D1", tab=tab)) == 200
    assert handler.homes == ["U1"]
