"""The local Slack as a whole: its activity log, its capacity, its server."""

import contextlib
import http.client
import json
import threading
from urllib.parse import urlsplit

import pytest
from slack_sdk import WebClient

from fetcher.loopback import NotRunning
from slackapp.playground.errors import ApiRefused
from slackapp.playground.http import text_reply
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Capacity, Json
from slackapp.playground.webapi.faults import Fault
from slackapp.playground.workspace.typed_text import slack_markup
from tests.slackapp.playground.apps import TOKEN, install_app


def _connection(slack):
    return contextlib.closing(http.client.HTTPConnection(urlsplit(slack.base_url).netloc, timeout=5))


def _request(connection, path="/api/auth.test", verb="POST", **headers):
    connection.request(verb, path, b"", {"Authorization": f"Bearer {TOKEN}", **headers})
    response = connection.getresponse()
    return response.status, response.read()


def test_it_starts_with_a_company_in_it(slack):
    """Four people, two channels, and a conversation with the bot each."""
    workspace = slack.workspace
    assert {user.real_name for user in workspace.users.values() if not user.is_bot} == {
        "田中 花子",
        "佐藤 健",
        "鈴木 陽子",
        "Emma Smith",
    }
    assert {channel.name for channel in workspace.channels.values() if not channel.is_im} == {
        "general",
        "random",
    }
    assert {channel.user for channel in workspace.channels.values() if channel.is_im} == {
        "U0TANAKA",
        "U0SATO",
        "U0SMITH",
        "U0SUZUKI",
    }


def test_it_has_no_address_before_it_starts():
    with pytest.raises(NotRunning):
        _ = LocalSlack().api_url


def test_a_connection_serves_many_requests(slack):
    """HTTP/1.1 keep-alive with exact lengths."""
    with _connection(slack) as connection:
        for _ in range(3):
            status, body = _request(connection)
            assert (status, json.loads(body)["ok"]) == (200, True)
        assert connection.sock is not None


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Host": "["},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
def test_foreign_hosts_and_origins_are_refused(slack, headers):
    """Another host name means DNS rebinding, another origin a page of another site."""
    with _connection(slack) as connection:
        assert _request(connection, **headers)[0] == 403


def test_its_own_pages_may_call(slack):
    with _connection(slack) as connection:
        assert _request(connection, Origin=slack.base_url.rstrip("/"))[0] == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [("/", 404), ("/upload/F0NONE", 404), ("/response/x", 404), ("x://[", 400)],
)
def test_an_unknown_path_is_answered(slack, path, status):
    """The connection goes on."""
    with _connection(slack) as connection:
        assert _request(connection, path)[0] == status
        assert _request(connection)[0] == 200


def test_more_paths_can_be_served():
    """The playground adds its page."""
    routes = {"/page": lambda request: text_reply(request.query["q"])}
    with LocalSlack(routes=routes) as slack, _connection(slack) as connection:
        assert _request(connection, "/page?q=%E3%81%82", "GET") == (200, "あ".encode())


def test_waiting_ends_with_the_change(slack, client):
    """It returns the predicate's value, which is false when the time is over."""
    threading.Timer(0.02, lambda: client.chat_postMessage(channel="C0GENERAL", text="x")).start()
    (message,) = slack.wait_until(lambda: slack.timeline("general"))
    assert message["text"] == "x"
    assert slack.wait_until(lambda: False, timeout=0.01) is False


def test_subscribers_get_every_change_in_order(slack, client):
    """As JSON, until they unsubscribe."""
    records: list[Json] = []
    stop = slack.subscribe(records.append)
    ts = client.chat_postMessage(channel="C0GENERAL", text="一")["ts"]
    client.chat_update(channel="C0GENERAL", ts=ts, text="二")
    slack.react("U0SATO", "general", ts, "eyes")
    stop()
    client.chat_delete(channel="C0GENERAL", ts=ts)
    kinds = [record["type"] for record in records if record["type"] != "delivery"]
    assert kinds == ["message", "call", "message", "call", "message"]
    assert [record["number"] for record in records] == sorted(record["number"] for record in records)
    assert TOKEN not in json.dumps(records)


def test_newcomers_are_in_the_public_channels_of_their_team(slack, client):
    """A person of another team is where they write."""
    newcomer = slack.workspace.add_user("ito")
    slack.workspace.add_team("T0OTHER", "取引先")
    stranger = slack.workspace.add_user("stranger", team_id="T0OTHER")
    members = slack.workspace.channel("general").members
    assert (newcomer.id in members, stranger.id in members) == (True, False)
    slack.say(stranger.id, "general", "はじめまして")
    assert client.chat_postEphemeral(channel="C0GENERAL", user=stranger.id, text="x")["ok"]


def test_only_so_much_is_kept():
    """Calls, deliveries, messages and ephemeral messages each have their limit."""
    capacity = Capacity(calls=3, deliveries=2, messages=5, ephemerals=1)
    with LocalSlack(capacity=capacity, own_events=False) as slack:
        install_app(slack)
        client = WebClient(TOKEN, base_url=slack.api_url)
        for number in range(4):
            root = client.chat_postMessage(channel="C0GENERAL", text=str(number))["ts"]
            client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="返")
            client.chat_postEphemeral(channel="C0GENERAL", user="U0SATO", text=str(number))
            slack.deliver({})[0].result()
        assert (len(slack.calls), len(slack.deliveries), len(slack.workspace.messages)) == (3, 2, 5)
        assert [each["text"] for each in slack.ephemerals()] == ["3"]
        assert [message["text"] for message in slack.timeline("general")] == ["2", "3"]


def test_it_stops_while_a_call_is_held():
    """And while a connection waits for its next request."""
    slack = LocalSlack(own_events=False).start()
    install_app(slack)
    with _connection(slack) as idle:
        _request(idle)
        slack.faults.next("auth.test", Fault(hold=threading.Event()))
        client = WebClient(TOKEN, base_url=slack.api_url)
        caller = threading.Thread(target=client.auth_test)
        caller.start()
        assert slack.wait_until(lambda: slack.faults.held)
        slack.stop()
        caller.join(60)
        assert not caller.is_alive()


def test_it_takes_two_hundred_calls_from_twenty_threads(slack):
    """Each gets its own answer, none is lost."""

    def work(number):
        client = WebClient(TOKEN, base_url=slack.api_url)
        for _ in range(10):
            client.chat_postMessage(channel="C0GENERAL", text=str(number))

    threads = [threading.Thread(target=work, args=[number]) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({message["ts"] for message in slack.timeline("general")}) == 200


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("@tanaka さん、#general へ", "<@U0TANAKA> さん、<#C0GENERAL|general> へ"),
        ("https://a.example/?x=1&y=2 を読んで", "<https://a.example/?x=1&amp;y=2> を読んで"),
        ("「https://a.example/x」。", "「<https://a.example/x>」。"),
        ("1 < 2 & 3 > 2", "1 &lt; 2 &amp; 3 &gt; 2"),
        ("<@U0TANAKA>", "&lt;@U0TANAKA&gt;"),
        ("@webreader @Webリーダー 要約して", "<@U0READER> <@U0READER> 要約して"),
        ("@here @nobody a@tanaka", "<!here> @nobody a@tanaka"),
        ("https://a.example/@tanaka", "<https://a.example/@tanaka>"),
    ],
)
def test_what_is_typed_is_kept_in_slacks_form(slack, typed, kept):
    """Names become ids, links get their brackets, and signs are escaped."""
    assert slack_markup(typed, slack.workspace) == kept
    ts = slack.say("U0SATO", "general", typed, typed=True)
    assert slack.thread("general", ts)[0]["text"] == kept


@pytest.mark.parametrize(
    "act",
    [
        lambda slack: slack.say("U0NONE", "general", "x"),
        lambda slack: slack.say("U0SATO", "nowhere", "x"),
        lambda slack: slack.say("U0SATO", "general", "x", "1.000001"),
        lambda slack: slack.edit("U0SATO", "general", "1.000001", "x"),
        lambda slack: slack.delete("general", "1.000001"),
        lambda slack: slack.react("U0SATO", "general", "1.000001", "x"),
    ],
)
def test_people_cannot_do_what_slack_would_not_let_them(slack, act):
    """A mistake in a test or on a page has a name."""
    with pytest.raises(ApiRefused):
        act(slack)


def test_a_reply_to_a_reply_goes_to_the_thread(slack, root):
    """People reply in threads, wherever they click."""
    reply = slack.say("U0SATO", "general", "一", root)
    slack.say("U0TANAKA", "general", "二", reply)
    assert [message["text"] for message in slack.thread("general", root)] == ["こんにちは", "一", "二"]
