"""Events of every source give their request, or a sentence that says why not."""

import base64
import json
from typing import Any

import pytest

from fetcher.invoke.errors import InvalidRequest
from fetcher.invoke.events import LONGEST_SECONDS, EventSource, payload_of, source_of
from tests.fetcher.invoke.lambda_world import asking

TEXT = json.dumps(asking(), ensure_ascii=False)
V2 = {"http": {"method": "POST", "path": "/invoke"}}
EVENTS = {
    "direct": (asking(), EventSource.DIRECT),
    "api gateway v1": (
        {"httpMethod": "POST", "requestContext": {"stage": "prod"}, "body": TEXT, "isBase64Encoded": False},
        EventSource.API_GATEWAY_V1,
    ),
    "api gateway v2": (
        {
            "version": "2.0",
            "requestContext": V2 | {"domainName": "x.execute-api.ap-northeast-1.amazonaws.com"},
            "body": TEXT,
        },
        EventSource.API_GATEWAY_V2,
    ),
    "function url": (
        {
            "version": "2.0",
            "requestContext": V2 | {"domainName": "x.lambda-url.ap-northeast-1.on.aws"},
            "body": TEXT,
        },
        EventSource.FUNCTION_URL,
    ),
    "eventbridge": (
        {"version": "0", "source": "my.app", "detail-type": "ask", "detail": asking()},
        EventSource.EVENTBRIDGE,
    ),
    "the document's own short forms": ({"body": TEXT, "requestContext": {}}, EventSource.API_GATEWAY_V1),
    "a body alone": ({"body": TEXT}, EventSource.API_GATEWAY_V1),
    "a detail alone": ({"detail": asking()}, EventSource.EVENTBRIDGE),
    "a byte order mark": ({"requestContext": V2, "body": "\ufeff" + TEXT}, EventSource.API_GATEWAY_V2),
    "base64": (
        {"requestContext": V2, "isBase64Encoded": True, "body": base64.b64encode(TEXT.encode()).decode()},
        EventSource.API_GATEWAY_V2,
    ),
    "base64 with a byte order mark": (
        {
            "requestContext": V2,
            "isBase64Encoded": True,
            "body": base64.b64encode(b"\xef\xbb\xbf" + TEXT.encode()).decode(),
        },
        EventSource.API_GATEWAY_V2,
    ),
}


@pytest.mark.parametrize(("event", "source"), EVENTS.values(), ids=EVENTS)
def test_each_source_is_told_and_gives_its_request(event, source):
    assert source_of(event) is source
    assert payload_of(event, source) == asking()


BAD: dict[str, tuple[Any, str]] = {
    "null": (None, "not a JSON object"),
    "a list": ([asking()], "not a JSON object"),
    "text": ("hello", "not a JSON object"),
    "a number": (1, "not a JSON object"),
    "a queue's records": ({"Records": [{"body": TEXT}]}, "Records are not supported"),
    "no body": ({"requestContext": V2}, "body is empty"),
    "a null body": ({"requestContext": {}, "body": None}, "body is empty"),
    "an empty body": ({"requestContext": {}, "body": ""}, "body is empty"),
    "an empty base64 body": ({"requestContext": {}, "body": "", "isBase64Encoded": True}, "body is empty"),
    "a body that is no text": ({"requestContext": {}, "body": {"a": 1}}, "not text"),
    "no JSON": ({"requestContext": {}, "body": "agentId=ABC"}, "not valid JSON"),
    "half a JSON": ({"requestContext": {}, "body": TEXT[:-1]}, "not valid JSON"),
    "deep JSON": ({"requestContext": {}, "body": "[" * 200_000}, "not valid JSON"),
    "a long number": ({"requestContext": {}, "body": "1" * 5000}, "not valid JSON"),
    "a JSON list": ({"requestContext": {}, "body": "[]"}, "not a JSON object"),
    "JSON null": ({"requestContext": {}, "body": "null"}, "not a JSON object"),
    "no base64": ({"requestContext": {}, "body": "日本", "isBase64Encoded": True}, "Base64"),
    "half base64": ({"requestContext": {}, "body": "abc", "isBase64Encoded": True}, "Base64"),
    "no UTF-8": ({"requestContext": {}, "body": "/////w==", "isBase64Encoded": True}, "not UTF-8"),
    "a detail that is text": ({"detail": "hello"}, "detail is not a JSON object"),
    "a null detail": ({"detail": None}, "detail is not a JSON object"),
}


@pytest.mark.parametrize(("event", "reason"), BAD.values(), ids=BAD)
def test_what_holds_no_request_is_refused_with_its_reason(event, reason):
    with pytest.raises(InvalidRequest, match=reason):
        payload_of(event, source_of(event))


def test_a_request_is_never_taken_for_an_envelope():
    """A direct request may have fields of any name beside its own."""
    assert source_of(asking(detail={}, body="x", requestContext={})) is EventSource.DIRECT


def test_every_source_is_left_a_second_to_answer_in():
    """API Gateway hangs up after 29 seconds (REST) and 30 (HTTP)."""
    assert LONGEST_SECONDS[EventSource.API_GATEWAY_V1] < 29
    assert LONGEST_SECONDS[EventSource.API_GATEWAY_V2] < 30
    assert {LONGEST_SECONDS[source] for source in EventSource} == {28, 29, 60}
