"""The document's validation rules, just inside and just outside."""

import pytest

from fetcher.invoke.errors import InvalidRequest
from fetcher.invoke.request import RULES, AgentInvocationRequest
from tests.fetcher.invoke.lambda_world import asking

UUID_V4 = "0f8fad5b-d9cb-469f-a165-70867728950e"
MESSAGES = {rule.field: rule.complaint for rule in RULES}

GOOD = [
    ("agentId", "ABCDE12345"),
    ("agentId", "0000000000"),
    ("agentAliasId", "ZZZZZZZZZZ"),
    ("agentAliasId", "TSTALIASID"),
    ("agentAliasId", "DRAFT"),
    ("sessionId", None),
    ("sessionId", ...),
    ("sessionId", UUID_V4),
    ("sessionId", UUID_V4.upper()),
    ("sessionId", "00000000-0000-4000-8000-000000000000"),
    ("sessionId", "ffffffff-ffff-4fff-bfff-ffffffffffff"),
    ("inputText", "x"),
    ("inputText", "a" * 25_600),
    ("inputText", "あ" * 8533 + "a"),
    ("timeout", 1),
    ("timeout", 60),
    ("timeout", None),
    ("maxRetries", 0),
    ("maxRetries", 5),
    ("maxRetries", None),
]

BAD = [
    ("agentId", ...),
    ("agentId", None),
    ("agentId", ""),
    ("agentId", "ABCDE1234"),
    ("agentId", "ABCDE123456"),
    ("agentId", "abcde12345"),
    ("agentId", "ABCDE1234\n"),
    ("agentId", "ABCDE12345\n"),
    ("agentId", "ABCDE-2345"),
    ("agentId", "ABCDE1234５"),
    ("agentId", "DRAFT"),
    ("agentId", 1234567890),
    ("agentId", ["ABCDE12345"]),
    ("agentAliasId", ...),
    ("agentAliasId", "draft"),
    ("agentAliasId", "DRAFT1"),
    ("agentAliasId", "TSTALIASI"),
    ("agentAliasId", "fghij67890"),
    ("agentAliasId", 5),
    ("agentAliasId", ["DRAFT"]),
    ("sessionId", ""),
    ("sessionId", "123e4567-e89b-12d3-a456-426614174000"),
    ("sessionId", "0f8fad5b-d9cb-369f-a165-70867728950e"),
    ("sessionId", "0f8fad5b-d9cb-569f-a165-70867728950e"),
    ("sessionId", "0f8fad5b-d9cb-469f-7165-70867728950e"),
    ("sessionId", "0f8fad5b-d9cb-469f-c165-70867728950e"),
    ("sessionId", UUID_V4.replace("-", "")),
    ("sessionId", "{" + UUID_V4 + "}"),
    ("sessionId", UUID_V4 + "\n"),
    ("sessionId", 4),
    ("inputText", ...),
    ("inputText", ""),
    ("inputText", "a" * 25_601),
    ("inputText", "あ" * 8533 + "aa"),
    ("inputText", "あ" * 8534),
    ("inputText", "\ud83d"),
    ("inputText", 5),
    ("inputText", ["x"]),
    ("timeout", 0),
    ("timeout", 61),
    ("timeout", -1),
    ("timeout", "30"),
    ("timeout", 30.0),
    ("timeout", 1.5),
    ("timeout", True),
    ("maxRetries", -1),
    ("maxRetries", 6),
    ("maxRetries", "3"),
    ("maxRetries", False),
    ("maxRetries", 3.0),
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
