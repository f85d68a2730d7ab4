"""Requests that Slack did not send, or not like this: turned away before anything is looked up or said."""

import pytest

from slackapp.playground.events.transports import Signature
from tests.slackapp.stage import CHANNEL, TEAM, Stage


@pytest.fixture
def stage(sqlite_settings):
    """None of this reaches the store, whatever its kind."""
    with Stage(sqlite_settings) as running:
        yield running
        assert untouched(running)


def untouched(stage):
    """Whether no call was made to Slack and nobody was answered."""
    return stage.settled().slack.calls == () and stage.agent.asked == [] and stage.unfinished() == []


@pytest.mark.parametrize("signature", [Signature.FORGED, Signature.STALE, Signature.MISSING])
def test_a_request_that_slack_did_not_sign_just_now_is_turned_away(stage, signature):
    """A stale one is what somebody recorded and plays again."""
    body = stage.slack.bodies(CHANNEL, stage.mention(deliver=False))[0]
    [delivery] = stage.slack.deliver(body, signature=signature)
    assert delivery.result().status == 401


UNREADABLE = [
    b"{",
    b"[]",
    b"null",
    b'"text"',
    b"7",
    b"\xff\xfe\x00",
    b"[" * 60_000,
    b'{"a":' * 60_000,
]


def test_bodies_that_are_no_json_object_are_refused_as_such(stage):
    """Each gets a 400, and the server lives on."""
    answers = [stage.slack.deliver(body)[0].result().status for body in UNREADABLE]
    assert answers == [400] * len(UNREADABLE)


EVENT = {"type": "event_callback", "team_id": TEAM, "event_id": "Ev1"}
ODD = [
    {},
    {"type": "event_callback"},
    {**EVENT, "event": None},
    {**EVENT, "event": "app_mention"},
    {**EVENT, "event": ["app_mention"]},
    {**EVENT, "event": {"type": "app_mention"}},
    {**EVENT, "event": {"type": "app_mention", "user": 5, "channel": [], "ts": {}, "text": 7}},
    {**EVENT, "event": {"type": "message", "subtype": "message_changed", "message": None}},
    {**EVENT, "event": {"type": "message", "subtype": "message_deleted"}},
    {**EVENT, "event": {"type": "reaction_added", "reaction": "x", "item": "message"}},
    {**EVENT, "event": {"type": "agent_session_stopped", "streaming_message_ts": 3}},
    {**EVENT, "event": {"type": "app_home_opened", "tab": "home"}},
    {**EVENT, "event": {"type": "never_heard_of"}},
    {**EVENT, "authorizations": ["x"], "event": {"type": "app_mention"}},
    {**EVENT, "authorizations": "x", "event": {"type": "app_mention"}},
    {**EVENT, "event": {"type": 1, "user": "U0SATO"}},
    {"type": "block_actions"},
    {"type": "block_actions", "actions": []},
    {"type": "block_actions", "actions": [None]},
    {"type": "block_actions", "actions": [{"action_id": 5}]},
    {"type": "message_action", "callback_id": "read_link"},
    {"type": "view_submission"},
    {"type": "view_submission", "view": []},
    {"type": "view_submission", "view": {"callback_id": "read_link_modal"}},
    {"type": "view_submission", "view": {"type": "modal", "callback_id": ["read_link_modal"]}},
    {"type": "view_closed", "view": {"type": "modal", "callback_id": None}},
]


def test_a_signed_body_of_another_shape_breaks_nothing(stage, capfd):
    """Every one is refused or ignored: no connection is dropped, and nothing breaks on the way."""
    answers = [stage.slack.deliver(body)[0].result().status for body in ODD]
    assert set(answers) <= {200, 400, 404}
    assert "Traceback" not in capfd.readouterr().err


def test_the_request_url_is_verified(stage):
    assert stage.slack.verify_url()


def test_a_body_longer_than_any_of_slacks_is_not_read(stage):
    assert stage.slack.deliver(b"x" * (1024 * 1024 + 1))[0].result().status in (413, 0)
