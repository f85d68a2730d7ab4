"""Events of every source give their request, and its rules hold just inside and just outside."""

import base64
import json
from typing import Any

import pytest

from fetcher.invoke.request import (
    LONGEST_SECONDS,
    RULES,
    AgentInvocationRequest,
    EventSource,
    payload_of,
    source_of,
)
from fetcher.invoke.response import InvalidRequest
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


NOT_READ: dict[str, tuple[Any, str]] = {
    "null": (None, "not a JSON object"),
    "a list": ([asking()], "not a JSON object"),
    "a queue's records": ({"Records": [{"body": TEXT}]}, "Records are not supported"),
    "no body": ({"requestContext": V2}, "body is empty"),
    "a null body": ({"requestContext": {}, "body": None}, "body is empty"),
    "an empty body": ({"requestContext": {}, "body": ""}, "body is empty"),
    "a body that is no text": ({"requestContext": {}, "body": {"a": 1}}, "not text"),
    "no JSON": ({"requestContext": {}, "body": "agentId=ABC"}, "not valid JSON"),
    "deep JSON": ({"requestContext": {}, "body": "[" * 200_000}, "not valid JSON"),
    "a long number": ({"requestContext": {}, "body": "1" * 5000}, "not valid JSON"),
    "a JSON list": ({"requestContext": {}, "body": "[]"}, "not a JSON object"),
    "no base64": ({"requestContext": {}, "body": "日本", "isBase64Encoded": True}, "Base64"),
    "no UTF-8": ({"requestContext": {}, "body": "/////w==", "isBase64Encoded": True}, "not UTF-8"),
    "a detail that is text": ({"detail": "hello"}, "detail is not a JSON object"),
}


@pytest.mark.parametrize(("event", "reason"), NOT_READ.values(), ids=NOT_READ)
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


UUID_V4 = "0f8fad5b-d9cb-469f-a165-70867728950e"
MESSAGES = {rule.field: rule.complaint for rule in RULES}

GOOD = [
    ("agentId", "ABCDE12345"),
    ("agentAliasId", "ZZZZZZZZZZ"),
    ("agentAliasId", "TSTALIASID"),
    ("agentAliasId", "DRAFT"),
    ("sessionId", None),
    ("sessionId", ...),
    ("sessionId", UUID_V4),
    ("sessionId", UUID_V4.upper()),
    ("inputText", "x"),
    ("inputText", "a" * 25_600),
    ("inputText", "あ" * 8533 + "a"),
    ("timeout", 1),
    ("timeout", 60),
    ("maxRetries", 0),
    ("maxRetries", 5),
]

BAD = [
    ("agentId", ...),
    ("agentId", None),
    ("agentId", ""),
    ("agentId", "ABCDE1234"),
    ("agentId", "ABCDE123456"),
    ("agentId", "abcde12345"),
    ("agentId", "ABCDE12345\n"),
    ("agentId", "ABCDE1234５"),
    ("agentId", "DRAFT"),
    ("agentId", 1234567890),
    ("agentAliasId", ...),
    ("agentAliasId", "draft"),
    ("agentAliasId", "DRAFT1"),
    ("agentAliasId", "fghij67890"),
    ("sessionId", ""),
    ("sessionId", "123e4567-e89b-12d3-a456-426614174000"),
    ("sessionId", "0f8fad5b-d9cb-369f-a165-70867728950e"),
    ("sessionId", "0f8fad5b-d9cb-569f-a165-70867728950e"),
    ("sessionId", "0f8fad5b-d9cb-469f-7165-70867728950e"),
    ("sessionId", "0f8fad5b-d9cb-469f-c165-70867728950e"),
    ("sessionId", UUID_V4.replace("-", "")),
    ("sessionId", UUID_V4 + "\n"),
    ("sessionId", 4),
    ("inputText", ...),
    ("inputText", ""),
    ("inputText", "a" * 25_601),
    ("inputText", "あ" * 8533 + "aa"),
    ("inputText", "\ud83d"),
    ("inputText", 5),
    ("timeout", 0),
    ("timeout", 61),
    ("timeout", "30"),
    ("timeout", 30.0),
    ("timeout", True),
    ("maxRetries", -1),
    ("maxRetries", 6),
    ("maxRetries", False),
]


def _id(value):
    return repr(value)[:40]


@pytest.mark.parametrize(("field", "value"), GOOD, ids=_id)
def test_a_request_that_keeps_every_rule_is_taken(field, value):
    request = AgentInvocationRequest.from_payload(asking(**{field: value}))
    attribute = next(rule.attribute for rule in RULES if rule.field == field)
    if value not in (None, ...):
        assert getattr(request, attribute) == value


@pytest.mark.parametrize(("field", "value"), BAD, ids=_id)
def test_a_request_that_breaks_a_rule_is_told_which(field, value):
    with pytest.raises(InvalidRequest) as caught:
        AgentInvocationRequest.from_payload(asking(**{field: value}))
    assert caught.value.message == MESSAGES[field]


def test_the_defaults_are_the_documents():
    request = AgentInvocationRequest.from_payload(asking())
    assert (request.session_id, request.timeout, request.max_retries) == (None, 30, 3)


def test_every_broken_rule_is_told_at_once():
    """A caller who made two mistakes need not come twice."""
    with pytest.raises(InvalidRequest) as caught:
        AgentInvocationRequest.from_payload({"timeout": 0})
    for field in ("agentId", "agentAliasId", "inputText", "timeout"):
        assert MESSAGES[field] in caught.value.message


def test_the_documents_own_sentence_is_used():
    assert MESSAGES["agentId"] == "Invalid agentId format. Expected 10 uppercase alphanumeric characters."


def test_unknown_fields_are_ignored():
    assert AgentInvocationRequest.from_payload(asking(colour="red")).input_text == "天気は？"
