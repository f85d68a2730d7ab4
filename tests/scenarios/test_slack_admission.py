"""Requests that are not Slack's, or not like Slack's, at both of the app's addresses.

The function runs under the real `awslambdaric` without a token, a store or a model: what is refused needs
none of them. The HTTP server gets the same bytes over a raw socket, and must give the same status.
"""

import hashlib
import hmac
import json
import socket
import time
from dataclasses import dataclass

import pytest

from slackapp.app import Credentials, build_app
from slackapp.run.http_server import SlackRequestServer
from slackapp.run.signed_requests import MAX_BODY_BYTES
from tests.fakes.api_gateway import PATH, event_of, first_format
from tests.fakes.lambda_runtime import FunctionFailed, LambdaRuntime
from tests.fakes.sqs import Queues
from tests.slackapp.payloads import mention

SECRET = "signing secret"
SECRETS = {"SLACK_SIGNING_SECRET": SECRET, "SLACK_BOT_TOKEN": "xoxb-1"}
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
DEEP = 200_000


def _signature(body, secret=SECRET, age=0):
    at = str(int(time.time()) - age)
    digest = hmac.new(secret.encode(), f"v0:{at}:".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": f"v0={digest}"}


@dataclass(frozen=True)
class Case:
    """A request, and what it is answered with."""

    name: str
    body: bytes
    status: int
    headers: object = None
    """By name, or a list of pairs; made for the body where it is a function."""

    def __str__(self):
        return self.name

    @property
    def pairs(self):
        given = self.headers(self.body) if callable(self.headers) else self.headers or {}
        return list(given.items()) if isinstance(given, dict) else given


def signed(body):
    return JSON | _signature(body)


def signed_form(body):
    return FORM | _signature(body)


def _with(**changed):
    named = {name.replace("_", "-"): value for name, value in changed.items()}
    return lambda body: signed(body) | named


NESTED = (b"[" * DEEP, b'{"a":' * DEEP, b"[" * DEEP + b"]" * DEEP, b'{"":' * DEEP + b"1" + b"}" * DEEP)
UNSIGNED = [
    Case("nothing at all", b"", 401),
    Case("an object", b"{}", 401, JSON),
    Case("a challenge", b'{"type": "url_verification", "challenge": "x"}', 401, JSON),
    Case("a check of the certificate", b"ssl_check=1&token=x", 401, FORM),
    *(Case(f"nested {body[:5]!r} {len(body)}", body, 401, JSON) for body in NESTED),
    Case("a nested form", b"payload=" + NESTED[0], 401, FORM),
    Case("no UTF-8", b"\xff\xfe\x00", 401, JSON),
    Case("half a pair", b'{"a": "\\ud800"}', 401, JSON),
    Case("half a pair in bytes", b'{"a": "\xed\xa0\x80"}', 401, JSON),
    Case("too large", b"x" * (MAX_BODY_BYTES + 1), 413, JSON),
    Case("too large and signed", b"x" * (MAX_BODY_BYTES + 1), 413, signed),
    Case("no time", b"{}", 401, _with(X_Slack_Request_Timestamp="")),
    Case("a word for a time", b"{}", 401, _with(X_Slack_Request_Timestamp="now")),
    Case("a time of 5,000 digits", b"{}", 401, _with(X_Slack_Request_Timestamp="9" * 5000)),
    Case("a negative time", b"{}", 401, _with(X_Slack_Request_Timestamp="-1")),
    Case("a superscript for a time", b"{}", 401, _with(X_Slack_Request_Timestamp="\xb2")),
    Case("a time with a fraction", b"{}", 401, _with(X_Slack_Request_Timestamp="1.5")),
    Case("no signature", b"{}", 401, _with(X_Slack_Signature="")),
    Case("a signature of other letters", b"{}", 401, _with(X_Slack_Signature="v0=" + "\xe9" * 64)),
    Case("half a signature", b"{}", 401, _with(X_Slack_Signature="v0=" + "0" * 32)),
    Case("another version", b"{}", 401, _with(X_Slack_Signature="v1=" + "0" * 64)),
]
FORGED = [
    Case("forged", b"{}", 401, _with(X_Slack_Signature="v0=" + "0" * 64)),
    Case("another secret", b"{}", 401, lambda body: JSON | _signature(body, "another")),
    Case("stale", b"{}", 401, lambda body: JSON | _signature(body, age=400)),
    Case("from the future", b"{}", 401, lambda body: JSON | _signature(body, age=-400)),
    Case("signed twice", b"{}", 401, lambda body: [*signed(body).items(), *_signature(body).items()]),
    Case(
        "a challenge, forged", b'{"type": "url_verification", "challenge": "x"}', 401, lambda _: signed(b"")
    ),
]
UNREADABLE = [
    *(Case(f"signed {body[:5]!r} {len(body)}", body, 400, signed) for body in NESTED),
    Case("a signed nested form", b"payload=" + NESTED[0], 400, signed_form),
    *(Case(f"signed {body!r}", body, 400, signed) for body in (b"[]", b"null", b"3", b'"x"', b"{", b"\xff")),
    Case("a number of 5,000 digits", b'{"a": ' + b"9" * 5000 + b"}", 400, signed),
    Case("a form with a list", b"payload=%5B%5D", 400, signed_form),
    Case("a form with nothing", b"payload=", 400, signed_form),
    Case("authorizations that are none", b'{"authorizations": ["x"]}', 400, signed),
    Case("a byte order mark", b"\xef\xbb\xbf{}", 400, signed),
]
ACCEPTED = [
    Case("a signed challenge", b'{"type": "url_verification", "challenge": "x"}', 200, signed),
    Case("a signed object", b"{}", 404, signed),
    Case("a signed form", b"a=b", 404, signed_form),
    Case("half a pair, signed", b'{"a": "\\ud800"}', 404, signed),
    Case("nested as deep as can be read", b'{"a":' * 900 + b"1" + b"}" * 900, 404, signed),
]


@pytest.fixture(scope="module")
def bare():
    """A function whose environment has nothing in it."""
    with LambdaRuntime("tests.fakes.slack_function.handler", {}, name="bare") as running:
        yield running


@pytest.fixture(scope="module")
def function():
    """With Slack's secrets, and no store, model or table."""
    with LambdaRuntime("tests.fakes.slack_function.handler", SECRETS, name="secrets") as running:
        yield running


@pytest.fixture(scope="module")
def server():
    def handler():
        raise AssertionError("nothing of this is to be answered")

    credentials = Credentials(bot_token="xoxb-1", signing_secret=SECRET)
    with SlackRequestServer(build_app(credentials, handler), SECRET) as running:
        yield running


def _status(function, event):
    answer = function.invoke(event)
    assert answer["headers"]["x-imported"] == ""
    assert "Traceback" not in function.log
    return answer["statusCode"]


def _event(case):
    headers: dict[str, str] = {}
    for name, value in case.pairs:
        headers[name.lower()] = f"{headers[name.lower()]},{value}" if name.lower() in headers else value
    return event_of(PATH, headers, case.body)


def _first_format(case):
    """A header that came twice has a list of two."""
    event = first_format(_event(case))
    several: dict[str, list[str]] = {}
    for name, value in case.pairs:
        several.setdefault(name, []).append(value)
    last = {name: values[-1] for name, values in several.items()}
    return event | {"headers": last or None, "multiValueHeaders": several or None}


SHAPES = {
    "first format": _first_format,
    "load balancer": lambda case: {
        name: value for name, value in _first_format(case).items() if name != "headers"
    },
}


@pytest.mark.parametrize("case", UNSIGNED, ids=str)
def test_a_function_refuses_what_is_unsigned_before_it_needs_anything(bare, case):
    """Not even Slack's secret, which is not there to be read."""
    assert _status(bare, _event(case)) == case.status


@pytest.mark.parametrize("case", [*FORGED, *UNREADABLE, *ACCEPTED], ids=str)
def test_a_function_refuses_what_is_forged_or_cannot_be_read(function, case):
    assert _status(function, _event(case)) == case.status


@pytest.mark.parametrize("case", [UNSIGNED[1], FORGED[0], FORGED[4], UNREADABLE[0], ACCEPTED[0]], ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_an_event_is_judged_alike(function, case, shape):
    assert _status(function, SHAPES[shape](case)) == case.status


@pytest.mark.parametrize("case", [*UNSIGNED, *FORGED, *UNREADABLE, *ACCEPTED], ids=str)
def test_the_http_server_refuses_the_same(server, case, capfd):
    head = [f"POST {PATH} HTTP/1.1", "Host: h", f"Content-Length: {len(case.body)}", "Connection: close"]
    head += [f"{name}: {value}" for name, value in case.pairs]
    address = server.url.split("/")[2].split(":")
    with socket.create_connection((address[0], int(address[1])), timeout=10) as client:
        client.sendall("\r\n".join([*head, "", ""]).encode("latin-1"))
        if len(case.body) <= MAX_BODY_BYTES:  # what is larger is refused before it comes
            client.sendall(case.body)
        status = client.makefile("rb").readline().split()[1]
    assert int(status) == case.status
    assert "Traceback" not in capfd.readouterr().err


SIGNED = _event(ACCEPTED[0])


def _changed(**fields):
    return SIGNED | fields


ODD = [
    ({}, 400),
    ([], 400),
    (None, 400),
    ("ping", 400),
    (7, 400),
    ({"source": "aws.events", "detail-type": "Scheduled Event", "detail": {}}, 400),
    ({"Records": [{"eventSource": "aws:sqs", "body": "{}"}]}, 400),
    ({"body": "{}", "headers": {}}, 400),
    ({"requestContext": None}, 400),
    ({"requestContext": []}, 400),
    ({"requestContext": {"http": []}}, 400),
    ({"requestContext": {"http": {"method": 5}}}, 400),
    ({"httpMethod": []}, 400),
    (_changed(requestContext={"http": {"method": "GET"}}), 405),
    (_changed(requestContext={"http": {"method": "NONE"}}), 405),
    (first_format(SIGNED) | {"httpMethod": "DELETE"}, 405),
    (_changed(headers=None), 401),
    ({name: value for name, value in SIGNED.items() if name != "headers"}, 401),
    (_changed(headers=[]), 401),
    (_changed(headers=["x-slack-signature"]), 400),
    (_changed(headers="x-slack-signature"), 400),
    (_changed(headers={"x-slack-signature": 5}), 400),
    (_changed(headers={"x-slack-signature": None}), 400),
    (_changed(headers={"x-slack-signature": {"a": 1}}), 400),
    (_changed(headers={"x-slack-signature": [["v0"]]}), 400),
    (_changed(headers={"x-slack-signature": "\ud800", "x-slack-request-timestamp": "1"}), 401),
    (_changed(multiValueHeaders={"x-slack-signature": "v0"}), 401),
    (_changed(multiValueHeaders={"x-slack-signature": 5}), 400),
    (_changed(multiValueHeaders=5, headers=None), 401),
    (_changed(body=5), 400),
    (_changed(body=["x"]), 400),
    (_changed(body={"type": "url_verification"}), 400),
    (_changed(body="\ud800"), 400),
    (_changed(body="%%%", isBase64Encoded=True), 400),
    (_changed(body="日本語", isBase64Encoded=True), 400),
    (_changed(body="YQ", isBase64Encoded=True), 400),
    (_changed(body="/w==", isBase64Encoded=True), 400),
    (_changed(isBase64Encoded=True), 400),
    (_changed(isBase64Encoded="false"), 400),
    (_changed(isBase64Encoded=[]), 400),
    (_changed(body="x" * 4_000_000), 413),
    (_changed(body="A" * 4_000_000, isBase64Encoded=True), 413),
    ({"method": "NONE"}, 400),
    (_changed(method="NONE", headers=[5]), 400),
    (_changed(method="NONE", headers={}), 401),
    (_changed(method="NONE", body="{"), 401),
]


@pytest.mark.parametrize(("event", "status"), ODD, ids=lambda value: repr(value)[:60])
def test_a_function_refuses_events_of_all_shapes(function, event, status):
    """Of other services, of nobody, and of somebody who tries."""
    assert _status(function, event) == status


def test_a_caller_cannot_choose_what_bolt_runs():
    """Bolt's own headers, by which a lazy listener is named, count in messages of our own queues only."""
    body = json.dumps(mention()).encode()
    headers = signed(body) | {"X-Slack-Bolt-Lazy-Only": "1", "X-Slack-Bolt-Lazy-Function-Name": "nothing"}
    queues = Queues()
    with LambdaRuntime("slackapp.lambda_handler.handler", SECRETS | queues.environ, name="slack") as function:
        assert function.invoke(event_of(PATH, headers, body))["statusCode"] == 200
    queues.close()
    [(name, message)] = queues.sent
    assert (name, json.loads(message)["headers"]["x-slack-bolt-lazy-function-name"]) == (
        "questions",
        "answer_later",
    )


def test_a_signature_without_a_secret_to_compare_is_our_fault(bare):
    """A function that has lost its secret must not look like one that refuses."""
    with pytest.raises(FunctionFailed, match="SLACK_SIGNING_SECRET is not set"):
        bare.invoke(_event(ACCEPTED[0]))
