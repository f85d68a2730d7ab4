"""The plain server in front of the Bolt app: what is no request of Slack's does not reach it."""

import http.client
import socket

import pytest
from slack_bolt import App
from slack_bolt.authorization import AuthorizeResult

from slackapp.http import MAX_BODY_BYTES, HttpServer, dispatch


@pytest.fixture
def got():
    """What reached the app's listener."""
    return []


@pytest.fixture
def app(got):
    """An app that takes anything."""
    bolt = App(
        signing_secret="s",
        request_verification_enabled=False,
        authorize=lambda: AuthorizeResult(enterprise_id=None, team_id="T1", bot_token="xoxb-1"),
    )
    bolt.event("app_mention")(lambda body: got.append(body))
    return bolt


@pytest.fixture
def server(app):
    with HttpServer(app) as running:
        yield running


def sent(server, text):
    """The first line of the answer to a request written by hand."""
    host, port = server.url.removeprefix("http://").partition("/")[0].split(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(text.encode("latin-1"))
        return connection.makefile("rb").readline().decode().strip()


@pytest.mark.parametrize(
    "length",
    ["", "x", "-1", "\xb2", str(MAX_BODY_BYTES + 1), "9" * 5000],
    ids=["none", "a word", "negative", "superscript", "too long", "5,000 digits"],
)
def test_a_length_that_slack_would_not_send_is_refused(server, length, capfd):
    """Without a look at the body."""
    field = f"Content-Length: {length}\r\n" if length else ""
    assert "413" in sent(server, f"POST /slack/events HTTP/1.1\r\nHost: h\r\n{field}\r\n")
    assert capfd.readouterr().err == ""


def test_other_verbs_are_refused(server):
    assert "501" in sent(server, "GET /slack/events HTTP/1.1\r\nHost: h\r\n\r\n")


def test_requests_on_one_connection_are_answered_one_after_another(server):
    host = server.url.removeprefix("http://").partition("/")[0]
    connection = http.client.HTTPConnection(host, timeout=5)
    body = '{"type": "url_verification", "challenge": "c"}'
    for _ in range(3):
        connection.request("POST", "/slack/events", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b'{"challenge": "c"}')
    connection.close()


@pytest.mark.parametrize("body", ["", "{", "[]", "null", "3", "[" * 50_000])
def test_what_is_no_object_is_a_bad_request(app, got, body):
    """An empty body is an event that nobody listens to."""
    response = dispatch(app, body, {"content-type": "application/json"})
    assert response.status == (404 if not body else 400)
    assert got == []
