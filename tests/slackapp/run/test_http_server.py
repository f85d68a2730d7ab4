"""The plain server in front of the Bolt app: only requests of Slack reach it."""

import http.client
import socket
import time

import pytest
from slack_bolt import App
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.signature import SignatureVerifier

from slackapp.run.http_server import SlackRequestServer
from slackapp.run.signed_requests import MAX_BODY_BYTES

SECRET = "signing secret"


@pytest.fixture
def got():
    """What reached the app's listener."""
    return []


@pytest.fixture
def app(got):
    """An app with one listener."""
    bolt = App(
        signing_secret=SECRET,
        authorize=lambda: AuthorizeResult(enterprise_id=None, team_id="T1", bot_token="xoxb-1"),
    )
    bolt.event("app_mention")(lambda body: got.append(body))
    return bolt


@pytest.fixture
def server(app):
    with SlackRequestServer(app, SECRET) as running:
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
        connection.request("POST", "/slack/events", body, signed(body))
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b'{"challenge": "c"}')
    connection.close()


@pytest.mark.parametrize(
    "fields",
    [
        "Content-Length: 2\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 30\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
    ],
)
def test_a_body_with_two_ends_is_not_read(server, fields):
    """Nothing of it becomes a request of its own."""
    assert "413" in sent(server, f"POST /slack/events HTTP/1.1\r\nHost: h\r\n{fields}\r\n{{}}")


@pytest.mark.parametrize(
    ("body", "status"),
    [("", 404), ("{", 400), ("[]", 400), ("null", 400), ("3", 400), ("[" * 50_000, 400)],
)
def test_what_is_no_object_is_a_bad_request(server, got, body, status):
    """An empty body is an event without a listener."""
    connection = http.client.HTTPConnection(server.url.split("/")[2], timeout=5)
    connection.request("POST", "/slack/events", body, signed(body))
    assert connection.getresponse().status == status
    connection.close()
    assert got == []


def signed(body):
    now = str(int(time.time()))
    signature = SignatureVerifier(SECRET).generate_signature(timestamp=now, body=body)
    assert signature
    named = {"X-Slack-Request-Timestamp": now, "X-Slack-Signature": signature}
    return named | {"Content-Type": "application/json"}
