"""The objects that callers get are the document's."""

import json
from datetime import datetime, timedelta, timezone

import pytest

from fetcher.invoke.response import (
    LARGEST_RECORD,
    LARGEST_RESPONSE,
    AgentNotFound,
    AgentReply,
    Citation,
    InvalidRequest,
    ReplyFile,
    ServiceFailed,
    Throttled,
    TimedOut,
    Unclassified,
    enveloped,
    error,
    fitted,
    metadata,
    success,
)

MOMENT = datetime(2025, 11, 11, 23, 30, tzinfo=timezone(timedelta(hours=9)))
STAMP = metadata("lambda-request-id-here", MOMENT, "ABCDE12345")


def _success(reply):
    return success(reply, STAMP, session_id="sent", milliseconds=1250)


def test_a_success_is_the_documents_object():
    reply = AgentReply(
        output="The current weather in San Francisco is...",
        session_id="s",
        citations=(Citation(text="Weather data from...", source_url="https://a/", references=({"a": 1},)),),
        trace={"reasoning": "...", "knowledgeBaseQueries": [{"text": "q"}]},
        usage=(15, 120),
    )
    assert _success(reply) == {
        "status": "success",
        "data": {
            "output": "The current weather in San Francisco is...",
            "sessionId": "s",
            "citations": [
                {
                    "text": "Weather data from...",
                    "sourceUrl": "https://a/",
                    "retrievedReferences": [{"a": 1}],
                }
            ],
            "trace": {"reasoning": "...", "knowledgeBaseQueries": [{"text": "q"}]},
        },
        "metadata": {
            "requestId": "lambda-request-id-here",
            "timestamp": "2025-11-11T14:30:00.000Z",
            "executionTimeMs": 1250,
            "agentId": "ABCDE12345",
            "tokenUsage": {"inputTokens": 15, "outputTokens": 120},
        },
    }


def test_optional_fields_are_left_out_where_there_is_nothing_to_say():
    body = _success(AgentReply(output="x"))
    assert body["data"] == {"output": "x", "sessionId": "sent"}
    assert set(body["metadata"]) == {"requestId", "timestamp", "executionTimeMs", "agentId"}


def test_files_and_the_return_of_control_stand_beside_the_output():
    control = {"invocationId": "i", "invocationInputs": []}
    file = ReplyFile(name="表.csv", mime_type="text/csv", content=b"a,b")
    data = _success(AgentReply(output="", files=(file,), return_control=control))["data"]
    assert data["files"] == [{"fileName": "表.csv", "mimeType": "text/csv", "contentBase64": "YSxi"}]
    assert data["returnControl"] == control


@pytest.mark.parametrize(
    ("kind", "name", "status", "retryable"),
    [
        (InvalidRequest, "ValidationError", 400, False),
        (AgentNotFound, "AgentNotFound", 404, False),
        (Throttled, "ThrottlingError", 429, True),
        (TimedOut, "TimeoutError", 504, True),
        (ServiceFailed, "InternalError", 500, True),
        (Unclassified, "UnknownError", 500, False),
    ],
)
def test_an_error_is_the_documents_object(kind, name, status, retryable):
    failure = kind("Do this.", code="SomeException", detail="secret")
    body = error(failure, STAMP)
    assert body == {
        "status": "error",
        "errorType": name,
        "errorMessage": "Do this.",
        "errorCode": "SomeException",
        "metadata": {
            "requestId": "lambda-request-id-here",
            "timestamp": "2025-11-11T14:30:00.000Z",
            "agentId": "ABCDE12345",
        },
        "retryable": retryable,
    }
    assert enveloped(body, failure.status, http=True)["statusCode"] == status


@pytest.mark.parametrize("kind", [Throttled, TimedOut, ServiceFailed])
def test_an_error_after_the_agent_began_is_not_to_be_tried_again_and_says_why(kind):
    body = error(kind("The service failed. Try again later.", begun=True), STAMP)
    assert body["retryable"] is False
    assert body["errorMessage"] == (
        "The service failed. The agent had begun to answer or to act: asking again could do the same thing "
        "twice."
    )


@pytest.mark.parametrize(
    ("sent", "echo"),
    [("invalid-id", "invalid-id"), ("x" * 65, "x" * 64), ("", ""), (None, None), (["x"], None)],
)
def test_the_agents_id_is_given_back_as_it_was_sent_up_to_a_length(sent, echo):
    assert metadata("r", MOMENT, sent).get("agentId") == echo


def test_http_gets_status_headers_and_readable_json_and_others_the_object_itself():
    body = _success(AgentReply(output="晴れ"))
    answer = enveloped(body, http=True)
    assert answer["statusCode"] == 200
    assert answer["headers"] == {"Content-Type": "application/json; charset=utf-8"}
    assert answer["isBase64Encoded"] is False
    assert "晴れ" in answer["body"]
    assert json.loads(answer["body"]) == body
    assert enveloped(body, http=False) is body


@pytest.mark.parametrize("http", [True, False])
def test_half_a_surrogate_pair_does_not_stop_an_answer(http):
    """JSON can escape it, in a request as in an agent's answer; the platform's UTF-8 cannot say it."""
    refused = enveloped(error(InvalidRequest("no"), metadata("r", MOMENT, "\ud800")), 400, http=http)
    answered = enveloped(_success(AgentReply(output="\udfff晴れ")), http=http)
    for answer in (refused, answered):
        assert json.dumps(answer, ensure_ascii=False).encode()
    assert "?晴れ" in json.dumps(answered, ensure_ascii=False)


def _large(output=0, trace=0, files=0):
    file = ReplyFile(name="f", mime_type="text/plain", content=b"x" * files)
    return _success(
        AgentReply(output="あ" * output, trace={"reasoning": "x" * trace}, files=(file,) if files else ())
    )


@pytest.mark.parametrize(
    ("sizes", "largest", "left_out"),
    [
        ({"trace": LARGEST_RESPONSE - 1000}, LARGEST_RESPONSE, ()),
        ({"trace": LARGEST_RESPONSE}, LARGEST_RESPONSE, ("trace",)),
        ({"trace": 1000, "files": LARGEST_RESPONSE}, LARGEST_RESPONSE, ("trace", "files")),
        ({"output": LARGEST_RESPONSE // 6 - 1000}, LARGEST_RESPONSE, ()),
        ({"output": 1000, "trace": 1000, "files": 900_000}, LARGEST_RECORD, ("trace", "files")),
    ],
)
@pytest.mark.parametrize("http", [True, False])
def test_what_lambda_cannot_return_loses_its_least_part_first(sizes, largest, left_out, http):
    answer, gone = fitted(_large(**sizes), largest, http=http)
    assert gone == left_out
    assert len(json.dumps(answer)) <= largest
    body = json.loads(answer["body"]) if http else answer
    assert set(gone).isdisjoint(body["data"])


def test_an_output_is_never_cut():
    """The platform may write each character as an escape of six."""
    with pytest.raises(Unclassified, match="larger than Lambda can return"):
        fitted(_large(output=LARGEST_RESPONSE // 6), LARGEST_RESPONSE, http=False)
