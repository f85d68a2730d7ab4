"""Events as Slack sends them: which app gets which, how they are signed, and when they are retried."""

import json
import threading

import pytest
from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier

from slackapp.playground.events.transports import Signature
from slackapp.playground.http import Reply
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from tests.slackapp.playground.apps import SECRET, ScriptedApp, install_app

MENTION = "<@U0READER> <https://shop.example/?a=1&amp;b=2>"


def _events(app):
    return [body["event"] for body in app.bodies]


def _wait_for_deliveries(slack, number):
    assert slack.wait_until(lambda: len(slack.deliveries) >= number)


def test_a_mention_is_delivered_twice_under_two_ids(slack, app):
    """Once as `app_mention`, once as `message`; both carry the same timestamp."""
    ts = slack.say("U0TANAKA", "general", MENTION)
    _wait_for_deliveries(slack, 2)
    first, second = app.bodies
    assert {first["event"]["type"], second["event"]["type"]} == {"app_mention", "message"}
    assert first["event_id"] != second["event_id"]
    assert {event["ts"] for event in _events(app)} == {ts}
    assert {event["text"] for event in _events(app)} == {MENTION}


def test_an_envelope_has_slacks_fields(slack, app, clock):
    """Team, app, authorization, time and whether the channel is shared."""
    shared = slack.workspace.add_channel("partner", is_ext_shared=True)
    slack.workspace.add_team("T0OTHER", "取引先")
    stranger = slack.workspace.add_user("stranger", team_id="T0OTHER")
    slack.say(stranger.id, shared.id, "質問")
    _wait_for_deliveries(slack, 1)
    (body,) = app.bodies
    assert (body["type"], body["team_id"], body["api_app_id"]) == ("event_callback", "T0LOCAL", "A0READER")
    assert body["event_time"] == int(clock.now().timestamp())
    assert body["authorizations"][0] == {
        "enterprise_id": None,
        "team_id": "T0LOCAL",
        "user_id": "U0READER",
        "is_bot": True,
        "is_enterprise_install": False,
    }
    assert body["is_ext_shared_channel"] is True
    assert (body["event"]["user_team"], body["event"]["channel_type"]) == ("T0OTHER", "channel")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("direct", {("message", "im")}),
        ("private", {("app_mention", None), ("message", "group")}),
        ("outside", set()),
    ],
)
def test_what_an_app_hears_depends_on_the_channel(slack, app, kind, expected):
    """A direct message is not a mention; outside its channels the bot gets nothing."""
    channels = {
        "direct": slack.direct("U0TANAKA"),
        "private": slack.workspace.add_channel("secret", private=True).id,
        "outside": slack.workspace.add_channel("outside", is_member=False).id,
    }
    slack.say("U0TANAKA", channels[kind], MENTION)
    slack.open_home("U0TANAKA")
    _wait_for_deliveries(slack, len(expected) + 1)
    received = {(event["type"], event.get("channel_type")) for event in _events(app)}
    assert received - {("app_home_opened", None)} == expected


def test_an_app_gets_only_events_that_it_subscribed_to(slack):
    """Without `message.channels` a mention is delivered once."""
    with ScriptedApp() as app:
        install_app(slack, app.url, subscriptions=frozenset({"app_mention"}))
        ts = slack.say("U0TANAKA", "general", MENTION)
        slack.react("U0TANAKA", "general", ts, "x")
        _wait_for_deliveries(slack, 1)
        assert [event["type"] for event in _events(app)] == ["app_mention"]


def test_requests_are_signed(slack, app):
    """The SDK's own verifier accepts them, but only with the right secret."""
    slack.open_home("U0TANAKA")
    _wait_for_deliveries(slack, 1)
    (request,) = app.requests
    headers, body = dict(request.headers), request.body.decode()
    assert SignatureVerifier(SECRET).is_valid_request(body, headers)
    assert not SignatureVerifier("other").is_valid_request(body, headers)


@pytest.mark.parametrize("signature", [kind for kind in Signature if kind is not Signature.VALID])
def test_requests_can_be_signed_badly(slack, app, signature):
    """Forged, stale and missing signatures are for tests of apps that must refuse them."""
    delivery = slack.deliver({"type": "event_callback"}, signature=signature)[0].result()
    (request,) = app.requests
    assert delivery.status == 200
    assert not SignatureVerifier(SECRET).is_valid_request(request.body.decode(), dict(request.headers))


def test_an_edit_and_a_deletion_are_delivered(slack, app):
    """With the message as it was before."""
    ts = slack.say("U0TANAKA", "general", "前", deliver=False)
    slack.edit("U0TANAKA", "general", ts, "後")
    slack.delete("general", ts, "U0TANAKA")
    _wait_for_deliveries(slack, 2)
    by_type = {event["subtype"]: event for event in _events(app)}
    assert by_type["message_changed"]["message"]["text"] == "後"
    assert by_type["message_changed"]["previous_message"]["text"] == "前"
    deletion = by_type["message_deleted"]
    assert (deletion["deleted_ts"], deletion["previous_message"]["text"]) == (ts, "後")


def test_a_mention_added_by_an_edit_is_a_mention(slack, app):
    """It says that it was edited."""
    ts = slack.say("U0TANAKA", "general", "前", deliver=False)
    slack.edit("U0TANAKA", "general", ts, MENTION)
    _wait_for_deliveries(slack, 2)
    mention = next(event for event in _events(app) if event["type"] == "app_mention")
    assert (mention["ts"], "edited" in mention) == (ts, True)


def test_a_deletion_of_a_message_with_replies_is_a_change(slack, app, client, root):
    """Slack leaves a tombstone under replies and reports no deletion."""
    client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="はい")
    slack.delete("general", root, "U0TANAKA")
    _wait_for_deliveries(slack, 1)
    (event,) = _events(app)
    assert (event["subtype"], event["message"]["subtype"]) == ("message_changed", "tombstone")
    assert event["previous_message"]["ts"] == root


def test_a_reaction_and_the_stop_button_are_delivered(slack, app, client):
    """The stop names the streams that it ended."""
    channel = slack.direct("U0SATO")
    question = slack.say("U0SATO", channel, "質問", deliver=False)
    stream = client.chat_startStream(channel=channel, thread_ts=question)["ts"]
    slack.react("U0SATO", channel, question, "x")
    slack.stop_session("U0SATO", channel, question)
    _wait_for_deliveries(slack, 2)
    by_type = {event["type"]: event for event in _events(app)}
    assert by_type["reaction_added"]["item"] == {"type": "message", "channel": channel, "ts": question}
    assert by_type["agent_session_stopped"]["streaming_message_ts"] == [stream]
    assert by_type["agent_session_stopped"]["thread_ts"] == question


def test_apps_get_events_for_their_own_messages_by_default(clock):
    """As in real Slack; each carries the bot's id."""
    with LocalSlack(clock=clock) as slack, ScriptedApp() as app:
        install_app(slack, app.url)
        client = WebClient("xoxb-local", base_url=slack.api_url)
        ts = client.chat_postMessage(channel="C0GENERAL", text="一")["ts"]
        client.chat_update(channel="C0GENERAL", ts=ts, text="二")
        _wait_for_deliveries(slack, 2)
        plain = next(event for event in _events(app) if "subtype" not in event)
        assert (plain["bot_id"], plain["text"]) == ("B0READER", "一")
        assert {event.get("subtype") for event in _events(app)} == {None, "message_changed"}


def test_bots_get_events_for_messages_of_each_other(slack, app):
    """A second app's message reaches the first, marked as a bot's."""
    with ScriptedApp() as second:
        other = App(
            bot_token="xoxb-2",
            request_url=second.url,
            app_id="A2",
            bot_id="B2",
            bot_user="U0OTHERBOT",
            name="別のボット",
        )
        slack.install(other)
        WebClient("xoxb-2", base_url=slack.api_url).chat_postMessage(channel="C0GENERAL", text=MENTION)
        _wait_for_deliveries(slack, 2)
        assert second.requests == []
        assert {event["bot_id"] for event in _events(app)} == {"B2"}


def test_a_failure_is_tried_three_times_more(slack, clock):
    """At once, after a minute and after five, by the injected clock, with number and reason."""
    with ScriptedApp(*[Reply(status=500)] * 9) as app:
        install_app(slack, app.url)
        slack.open_home("U0TANAKA")
        for count, wait in ((2, 60), (3, 300)):
            assert slack.wait_until(lambda count=count: len(slack.deliveries) == count)
            assert slack.wait_until(lambda: slack.retries_waiting == 1)
            clock.advance(wait - 1)
            slack.tick()
            assert slack.retries_waiting == 1
            clock.advance(1)
            slack.tick()
        _wait_for_deliveries(slack, 4)
        assert slack.retries_waiting == 0
        headers = [request.headers for request in app.requests]
        assert [each.get("x-slack-retry-num") for each in headers] == [None, "1", "2", "3"]
        assert [each.get("x-slack-retry-reason") for each in headers] == [None, *["http_error"] * 3]
        assert len({body["event_id"] for body in app.bodies}) == 1
        assert [(each.attempt, each.status, each.error) for each in slack.deliveries] == [
            (number, 500, "http_error") for number in range(4)
        ]


def test_a_slow_app_gets_the_event_again(clock):
    """After the time to acknowledge, also while the first request is still running."""
    finish = threading.Event()

    class SlowAtFirst(ScriptedApp):
        def _answer(self, request):
            first = not self.requests
            reply = super()._answer(request)
            if first:
                finish.wait(60)
            return reply

    with LocalSlack(clock=clock, ack_timeout=0.5) as slack, SlowAtFirst() as app:
        install_app(slack, app.url)
        slack.open_home("U0TANAKA")
        _wait_for_deliveries(slack, 2)
        finish.set()
        assert [(each.attempt, each.error) for each in slack.deliveries] == [(0, "http_timeout"), (1, "")]


def test_an_app_can_ask_not_to_be_tried_again(slack):
    """With `X-Slack-No-Retry`."""
    with ScriptedApp(Reply(status=500, headers={"X-Slack-No-Retry": "1"})) as app:
        install_app(slack, app.url)
        slack.open_home("U0TANAKA")
        _wait_for_deliveries(slack, 1)
        slack.verify_url()
        assert (len(slack.deliveries), slack.retries_waiting) == (2, 0)


def test_an_app_that_cannot_be_reached_is_tried_again(slack):
    """A refused connection is one of Slack's reasons."""
    with ScriptedApp() as gone:
        url = gone.url
    install_app(slack, url)
    slack.open_home("U0TANAKA")
    _wait_for_deliveries(slack, 2)
    assert {each.error for each in slack.deliveries} == {"connection_failed"}


def test_any_event_can_be_delivered_again_many_times_at_once(slack, app):
    """As a retry, with the number that Slack would give."""
    ts = slack.say("U0TANAKA", "general", MENTION, deliver=False)
    body = slack.bodies("general", ts)[0]
    done = [future.result() for future in slack.deliver(body, retry_num=2, times=20)]
    assert {each.status for each in done} == {200}
    assert {request.headers["x-slack-retry-num"] for request in app.requests} == {"2"}
    assert {each["event_id"] for each in app.bodies} == {body["event_id"]}
    assert len(app.requests) == 20


def test_a_body_can_be_anything(slack, app):
    """Bytes go out as they are, signed."""
    slack.deliver(b"not json", content_type="text/plain")[0].result()
    (request,) = app.requests
    assert (request.body, request.content_type) == (b"not json", "text/plain")
    assert SignatureVerifier(SECRET).is_valid_request("not json", dict(request.headers))


def test_the_url_is_verified(slack):
    """An app that echoes the challenge passes, as JSON or as text; another does not."""

    class Echo(ScriptedApp):
        def _answer(self, request):
            return Reply(body=json.loads(request.body)["challenge"].encode())

    with Echo() as app, ScriptedApp() as other:
        assert slack.verify_url(install_app(slack, app.url))
        assert not slack.verify_url(install_app(slack, other.url))
