"""What a function is told of a request, and what a caller of its answer."""

import base64
import http.client
import json
from urllib.parse import urlsplit

import pytest

from tests.fakes.api_gateway import PATH, ApiGateway, event_of, first_format
from tests.fakes.lambda_runtime import FunctionFailed
from tests.fakes.lambda_worker import Outcome


class Function:
    """Answers as it is told to, and keeps the last event."""

    def __init__(self, answer):
        self._answer = answer

    def invoke(self, event):
        self.event = event
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def _posted(function, path=PATH, body=b"{}"):
    with ApiGateway(function) as gateway:
        parts = urlsplit(gateway.url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=5)
        connection.request("POST", path, body, {"X-Slack-Signature": "v0=1"})
        response = connection.getresponse()
        read = response.status, response.headers["X-Said"], response.read()
        connection.close()
        return read


def test_a_function_is_asked_and_its_answer_passed_on():
    """Names of headers are in lower case, as API Gateway has them."""
    function = Function({"statusCode": 202, "headers": {"x-said": "yes"}, "body": "は"})
    assert _posted(function, body="本文".encode()) == (202, "yes", "は".encode())
    assert function.event["headers"]["x-slack-signature"] == "v0=1"
    assert (function.event["body"], function.event["isBase64Encoded"]) == ("本文", False)
    assert function.event["requestContext"]["http"]["method"] == "POST"


def test_a_function_that_fails_is_an_internal_error():
    failed = FunctionFailed(Outcome(payload=b"{}", error="Unhandled"))
    assert _posted(Function(failed))[0] == 500


def test_another_path_reaches_no_function():
    function = Function({})
    assert _posted(function, path="/elsewhere")[0] == 404
    assert not hasattr(function, "event")


@pytest.mark.parametrize("path", [PATH, f"{PATH}?a=b"])
def test_an_event_can_be_sent_as_json(path):
    """A query stands beside the path."""
    event = json.loads(json.dumps(event_of(path, {"A": "b"}, b"\xff")))
    assert (event["rawPath"], event["headers"]) == (PATH, {"a": "b"})


@pytest.mark.parametrize(
    ("kind", "body"),
    [("application/x-www-form-urlencoded; charset=utf-8", b"a=b"), ("application/json", b"\xff")],
)
def test_what_is_no_text_comes_as_base64(kind, body):
    event = event_of(PATH, {"Content-Type": kind}, body)
    assert (base64.b64decode(event["body"]), event["isBase64Encoded"]) == (body, True)


def test_the_first_format_has_each_header_twice():
    event = first_format(event_of(PATH, {"X-Slack-Signature": "v0=1"}, b"{}"))
    assert event["headers"] == {"x-slack-signature": "v0=1"}
    assert event["multiValueHeaders"] == {"x-slack-signature": ["v0=1"]}
    assert (event["httpMethod"], event["body"]) == ("POST", "{}")
