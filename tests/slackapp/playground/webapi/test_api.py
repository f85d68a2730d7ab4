"""The Web API: tokens, scopes, bodies, unknown methods and rate limits."""

import json
import urllib.request

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from slackapp.playground.server import LocalSlack
from slackapp.playground.webapi.methods.all_methods import METHODS
from tests.slackapp.playground.apps import APP_TOKEN, TOKEN, error_of, install_app


def test_the_caller_is_known_by_its_token(slack, client):
    """auth.test names the team, the bot user and the bot."""
    answer = client.auth_test()
    assert (answer["team_id"], answer["user_id"], answer["bot_id"]) == ("T0LOCAL", "U0READER", "B0READER")
    assert answer["team"] == "サンプル株式会社"


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_asks_for_a_token(slack, method):
    """Without a token, with a strange one and with one of the wrong kind, Slack's own errors come."""
    wrong_kind = TOKEN if METHODS[method].app_token else APP_TOKEN
    assert error_of(WebClient("", base_url=slack.api_url).api_call, method) == "not_authed"
    assert error_of(WebClient("xoxb-other", base_url=slack.api_url).api_call, method) == "invalid_auth"
    assert (
        error_of(WebClient(wrong_kind, base_url=slack.api_url).api_call, method) == "not_allowed_token_type"
    )


@pytest.mark.parametrize("method", sorted(name for name, row in METHODS.items() if row.scope))
def test_a_method_needs_its_scope(slack, client, method):
    """The refusal names the scope that the token lacks."""
    install_app(slack, scopes=frozenset({"commands"}))
    with pytest.raises(SlackApiError) as caught:
        client.api_call(method)
    assert caught.value.response["error"] == "missing_scope"
    assert caught.value.response["needed"] == METHODS[method].scope


@pytest.mark.parametrize(
    ("channel", "needed"),
    [("C0GENERAL", "channels:history"), ("private", "groups:history"), ("im", "im:history")],
)
def test_history_needs_the_scope_of_its_kind_of_channel(slack, client, channel, needed):
    """Reading a channel, a private one and a direct conversation are three permissions."""
    where = {"private": lambda: slack.workspace.add_channel("secret", private=True).id}
    where["im"] = lambda: slack.direct("U0TANAKA")
    install_app(slack, scopes=frozenset({"chat:write"}))
    with pytest.raises(SlackApiError) as caught:
        client.conversations_history(channel=where.get(channel, lambda: channel)())
    assert (caught.value.response["error"], caught.value.response["needed"]) == ("missing_scope", needed)


def test_an_unknown_method_is_named(client):
    """A method that is not in the table is `unknown_method`."""
    assert error_of(client.api_call, "chat.shout") == "unknown_method"


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json; charset=utf-8", json.dumps({"channel": "C0GENERAL", "text": "A & あ"}).encode()),
        ("application/x-www-form-urlencoded", b"channel=C0GENERAL&text=A+%26+%E3%81%82"),
        (
            "multipart/form-data; boundary=xx",
            '--xx\r\nContent-Disposition: form-data; name="channel"\r\n\r\nC0GENERAL\r\n'
            '--xx\r\nContent-Disposition: form-data; name="text"\r\n\r\nA & あ\r\n--xx--\r\n'.encode(),
        ),
    ],
    ids=["json", "form", "multipart"],
)
def test_arguments_come_in_every_body_that_slack_takes(slack, content_type, body):
    """JSON, a form and a multipart body say the same."""
    headers = {"Content-Type": content_type, "Authorization": f"Bearer {TOKEN}"}
    request = urllib.request.Request(f"{slack.api_url}chat.postMessage", data=body, headers=headers)
    with urllib.request.urlopen(request) as response:
        assert json.load(response)["message"]["text"] == "A & あ"


@pytest.mark.parametrize(("body", "error"), [(b"{", "invalid_json"), (b"[1]", "json_not_object")])
def test_a_broken_body_is_refused(slack, body, error):
    """Slack's error says whether it is not JSON or not an object."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
    request = urllib.request.Request(f"{slack.api_url}auth.test", data=body, headers=headers)
    with urllib.request.urlopen(request) as response:
        assert json.load(response)["error"] == error


def test_a_call_is_kept_without_its_token(slack, client):
    """Calls show method, arguments, answer and app; the token is in none of them."""
    client.api_call("users.info", params={"user": "U0SATO", "token": TOKEN})
    (call,) = slack.calls_of("users.info")
    assert call.arguments == {"user": "U0SATO"}
    assert (call.status, call.app_id, call.response["user"]["real_name"]) == (200, "A0READER", "佐藤 健")
    assert TOKEN not in repr(call)


def test_too_many_calls_are_told_to_wait(clock):
    """With rate limits on, the 61st message of a minute in a channel is a 429; other channels go on."""
    with LocalSlack(clock=clock, rate_limits=True, own_events=False) as slack:
        install_app(slack)
        client = WebClient(TOKEN, base_url=slack.api_url)
        for _ in range(60):
            client.chat_postMessage(channel="C0GENERAL", text="x")
        clock.advance(20)
        with pytest.raises(SlackApiError) as caught:
            client.chat_postMessage(channel="C0GENERAL", text="x")
        assert (caught.value.response.status_code, caught.value.response.headers["Retry-After"]) == (
            429,
            "40",
        )
        assert client.chat_postMessage(channel="C0RANDOM", text="x")["ok"]
        clock.advance(40)
        assert client.chat_postMessage(channel="C0GENERAL", text="x")["ok"]


def test_people_and_teams_are_described(slack, client):
    """users.info and team.info show deactivated users, guests and other teams, and refuse unknown ids."""
    slack.workspace.add_team("T0OTHER", "取引先")
    gone = slack.workspace.add_user("ito", deleted=True)
    guest = slack.workspace.add_user("guest", team_id="T0OTHER", is_restricted=True)
    assert client.users_info(user=gone.id)["user"]["deleted"] is True
    shown = client.users_info(user=guest.id)["user"]
    assert (shown["team_id"], shown["is_restricted"]) == ("T0OTHER", True)
    assert "locale" not in shown
    assert client.users_info(user="U0SMITH", include_locale=True)["user"]["locale"] == "en-US"
    assert client.team_info()["team"]["name"] == "サンプル株式会社"
    assert client.team_info(team="T0OTHER")["team"]["name"] == "取引先"
    assert error_of(client.team_info, team="T0NONE") == "team_not_found"
    assert error_of(client.users_info, user="U0NONE") == "user_not_found"
