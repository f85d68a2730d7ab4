"""Real Bolt over HTTP: actions of people reach its listeners, and its answers reach the people."""

import threading

import pytest
from slack_sdk.webhook import WebhookClient

from slackapp.playground.events.transports import Signature
from slackapp.playground.http import Reply
from slackapp.playground.server import LocalSlack
from slackapp.run.http_server import SlackRequestServer
from tests.slackapp.playground.apps import SECRET, ScriptedApp, bolt_for, install_app

FEEDBACK = {
    "type": "context_actions",
    "block_id": "b1",
    "elements": [
        {
            "type": "feedback_buttons",
            "action_id": "feedback",
            "positive_button": {"text": {"type": "plain_text", "text": "良い"}, "value": "good"},
            "negative_button": {"text": {"type": "plain_text", "text": "悪い"}, "value": "bad"},
        }
    ],
}


@pytest.fixture
def bolt(slack):
    """A Bolt app that can be given listeners, installed and reachable."""
    app = bolt_for(slack)
    with SlackRequestServer(app, SECRET) as server:
        install_app(slack, server.url)
        yield app


def test_a_mention_is_answered_in_its_thread(slack, bolt):
    @bolt.event("app_mention")
    def answer(event, say):
        say(text="はい", thread_ts=event["ts"])

    ts = slack.say("U0TANAKA", "general", "<@U0READER> こんにちは")
    assert slack.wait_until(lambda: len(slack.thread("general", ts)) == 2)
    assert slack.thread("general", ts)[1]["text"] == "はい"


@pytest.mark.parametrize(
    ("signature", "status"),
    [(Signature.VALID, 404), (Signature.FORGED, 401), (Signature.STALE, 401), (Signature.MISSING, 401)],
)
def test_bolt_knows_a_bad_signature(slack, bolt, signature, status):
    """A valid request without a listener gets a 404."""
    slack.say("U0TANAKA", "general", "x", deliver=False)
    body = {"type": "event_callback", "team_id": "T0LOCAL", "event": {"type": "nothing"}}
    assert slack.deliver(body, signature=signature)[0].result().status == status


def test_bolt_verifies_its_url(slack, bolt):
    assert slack.verify_url()


def test_a_command_is_acknowledged_and_answered_later(slack, bolt):
    """Only the user sees both; an answer over the response URL may also go to the channel."""

    @bolt.command("/fetch")
    def fetch(ack, command, respond):
        ack(f"受け付けました：{command['text']}")
        respond("おわりました")
        respond(text="皆さんへ", response_type="in_channel")

    outside = slack.workspace.add_channel("outside", is_member=False)
    done = slack.command("U0SATO", outside.id, "/fetch", "https://shop.example/ 料金は？")
    assert (done.ok, done.text) == (True, "受け付けました：https://shop.example/ 料金は？")
    assert slack.wait_until(lambda: slack.timeline(outside.id))
    assert slack.timeline(outside.id)[0]["text"] == "皆さんへ"
    shown = {(each["via"], each["text"]) for each in slack.ephemerals("U0SATO")}
    assert shown == {("ack", done.text), ("response_url", "おわりました")}


def test_a_command_without_a_listener_fails(slack, bolt):
    """The user sees Slack's error."""
    done = slack.command("U0SATO", "general", "/unknown")
    assert (done.ok, done.status, done.error) == (False, 404, "http_service_error")
    assert slack.ephemerals() == []


def test_a_response_address_works_five_times_for_half_an_hour(slack, bolt, clock):
    """As Slack's."""
    urls = []

    @bolt.command("/fetch")
    def fetch(ack, command):
        ack()
        urls.append(command["response_url"])

    slack.command("U0SATO", "general", "/fetch")
    slack.command("U0SATO", "general", "/fetch")
    first = WebhookClient(urls[0])
    assert [first.send(text=str(n)).status_code for n in range(6)] == [200] * 5 + [404]
    second = WebhookClient(urls[1])
    assert second.send(text="一").body == "ok"
    assert second.send(text="二", replace_original=True).status_code == 200
    assert [each["text"] for each in slack.ephemerals()] == ["0", "1", "2", "3", "4", "二"]
    clock.advance(30 * 60)
    assert second.send(text="遅い").status_code == 404


def test_a_shortcut_carries_its_message(slack, bolt, root):
    shown = []

    @bolt.shortcut("read_link")
    def read(ack, shortcut):
        ack()
        shown.append(shortcut)

    assert slack.shortcut("U0SATO", "general", root, "read_link").ok
    (shortcut,) = shown
    assert (shortcut["message"]["text"], shortcut["user"]["id"]) == ("こんにちは", "U0SATO")
    assert shortcut["channel"]["id"] == "C0GENERAL"
    assert shortcut["response_url"].startswith(slack.base_url)


def test_a_click_carries_the_buttons_value(slack, bolt, client, root):
    """Of feedback buttons, the one that was pressed; a missing button cannot be."""
    clicks = []

    @bolt.action("feedback")
    def feedback(ack, body):
        ack()
        clicks.append(body)

    ts = client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="答え", blocks=[FEEDBACK])["ts"]
    assert slack.click("U0SATO", "general", ts, "feedback", "good").ok
    (body,) = clicks
    assert body["actions"][0]["value"] == "good"
    assert body["container"] == {
        "type": "message",
        "message_ts": ts,
        "channel_id": "C0GENERAL",
        "is_ephemeral": False,
        "thread_ts": root,
    }
    with pytest.raises(ValueError, match="no element"):
        slack.click("U0SATO", "general", ts, "other")
    with pytest.raises(ValueError, match="no feedback button"):
        slack.click("U0SATO", "general", ts, "feedback", "odd")


def test_a_home_is_published_when_it_is_opened(slack, bolt):
    @bolt.event("app_home_opened")
    def home(event, client):
        blocks = [{"type": "header", "text": {"type": "plain_text", "text": "ようこそ"}}]
        client.views_publish(user_id=event["user"], view={"type": "home", "blocks": blocks})

    slack.open_home("U0SATO")
    assert slack.wait_until(lambda: slack.workspace.homes.get(("A0READER", "U0SATO")))


def test_a_command_waits_no_longer_than_slack_does(clock):
    """An app that hangs is `operation_timeout` for the user."""
    hang = threading.Event()

    class Hanging(ScriptedApp):
        def _answer(self, request):
            hang.wait(60)
            return Reply()

    with LocalSlack(clock=clock, ack_timeout=0.1) as slack, Hanging() as app:
        install_app(slack, app.url)
        done = slack.command("U0SATO", "general", "/fetch", "x")
        hang.set()
    assert (done.ok, done.error) == (False, "operation_timeout")
