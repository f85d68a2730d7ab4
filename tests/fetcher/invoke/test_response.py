"""The objects that callers get are the document's."""

import json
from datetime import datetime, timedelta, timezone

import pytest

from fetcher.invoke import response
from fetcher.invoke.errors import (
    AgentNotFound,
    InvalidRequest,
    ServiceFailed,
    Throttled,
    TimedOut,
    Unclassified,
)
from fetcher.invoke.events import HTTP, EventSource
from fetcher.invoke.reply import AgentReply, Citation, ReplyFile, TokenUsage
from fetcher.invoke.response import (
    LARGEST_RESPONSE,
    ResponseMetadata,
    enveloped,
    error,
    fits,
    fitted,
    success,
)

MOMENT = datetime(2025, 11, 11, 23, 30, tzinfo=timezone(timedelta(hours=9)))
STAMP = ResponseMetadata(request_id="lambda-request-id-here", moment=MOMENT, agent_id="ABCDE12345")


def _success(reply):
    return success(reply, STAMP, session_id="sent", milliseconds=1250)


def test_a_success_is_the_documents_object():
    """Field by field, in its order."""
    reply = AgentReply(
        output="The current weather in San Francisco is...",
        session_id="s",
        citations=(Citation(text="Weather data from...", source_url="https://a/", references=({"a": 1},)),),
        trace={"reasoning": "...", "knowledgeBaseQueries": [{"text": "q"}]},
        usage=TokenUsage(input_tokens=15, output_tokens=120),
    )
    expected = {
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
    assert json.dumps(_success(reply)) == json.dumps(expected)


def test_optional_fields_are_left_out_where_there_is_nothing_to_say():
    body = _success(AgentReply(output="x"))
    assert body["data"] == {"output": "x", "sessionId": "sent"}
    assert list(body["metadata"]) == ["requestId", "timestamp", "executionTimeMs", "agentId"]


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
    expected = {
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
    body = error(failure, STAMP)
    assert json.dumps(body) == json.dumps(expected)
    assert enveloped(body, EventSource.API_GATEWAY_V1, failure.status)["statusCode"] == status


@pytest.mark.parametrize(
    ("sent", "echo"),
    [
        ("invalid-id", {"agentId": "invalid-id"}),
        ("x" * 64, {"agentId": "x" * 64}),
        ("x" * 65, {"agentId": "x" * 64}),
        ("", {"agentId": ""}),
        (None, {}),
        (5, {}),
        (["x"], {}),
    ],
)
def test_the_agents_id_is_given_back_as_it_was_sent_up_to_a_length(sent, echo):
    metadata = ResponseMetadata(request_id="r", moment=MOMENT, agent_id=sent).metadata()
    assert {key: value for key, value in metadata.items() if key == "agentId"} == echo


@pytest.mark.parametrize("source", sorted(HTTP))
def test_http_gets_status_headers_and_readable_json(source):
    answer = enveloped(_success(AgentReply(output="晴れ")), source)
    assert answer["statusCode"] == 200
    assert answer["headers"] == {"Content-Type": "application/json; charset=utf-8"}
    assert answer["isBase64Encoded"] is False
    assert "晴れ" in answer["body"]
    assert json.loads(answer["body"])["data"]["output"] == "晴れ"


@pytest.mark.parametrize("source", [EventSource.DIRECT, EventSource.EVENTBRIDGE])
def test_others_get_the_object_itself(source):
    body = _success(AgentReply(output="x"))
    assert enveloped(body, source) is body


@pytest.mark.parametrize("source", sorted(EventSource))
def test_half_a_surrogate_pair_does_not_stop_an_answer(source):
    """JSON can escape it, in a request as in an agent's answer; the platform's UTF-8 cannot say it."""
    stamp = ResponseMetadata(request_id="r", moment=MOMENT, agent_id="\ud800")
    refused = enveloped(error(InvalidRequest("no"), stamp), source, 400)
    answered = enveloped(_success(AgentReply(output="\udfff晴れ")), source)
    for answer in (refused, answered):
        assert json.dumps(answer, ensure_ascii=False).encode()
    body = json.loads(answered["body"]) if source in HTTP else answered
    assert body["data"]["output"] == "?晴れ"


def _large(output=0, trace=0, files=0):
    file = ReplyFile(name="f", mime_type="text/plain", content=b"x" * files)
    return _success(
        AgentReply(output="あ" * output, trace={"reasoning": "x" * trace}, files=(file,) if files else ())
    )


@pytest.mark.parametrize(
    ("sizes", "left_out"),
    [
        ({"output": 1000}, ()),
        ({"trace": LARGEST_RESPONSE - 1000}, ()),
        ({"trace": LARGEST_RESPONSE}, ("trace",)),
        ({"trace": 1000, "files": LARGEST_RESPONSE}, ("trace", "files")),
        ({"output": LARGEST_RESPONSE // 6 - 1000}, ()),
    ],
)
@pytest.mark.parametrize("source", [EventSource.DIRECT, EventSource.API_GATEWAY_V2])
def test_what_lambda_cannot_return_loses_its_least_part_first(sizes, left_out, source):
    body, gone = fitted(_large(**sizes), source)
    assert gone == left_out
    assert set(gone).isdisjoint(body["data"])
    assert fits(enveloped(body, source), source)


def test_an_output_is_never_cut():
    """The platform may write each character as an escape of six."""
    body, gone = fitted(_large(output=response.LARGEST_RESPONSE // 6), EventSource.DIRECT)
    assert gone == ("trace",)
    assert not fits(body, EventSource.DIRECT)


def test_the_answer_to_an_event_fits_into_a_message_of_a_queue():
    """With the event beside it: SQS takes 1 MiB."""
    body, gone = fitted(_large(output=1000, trace=1000, files=900_000), EventSource.EVENTBRIDGE)
    assert gone == ("trace", "files")
    assert len(json.dumps(body)) < 768 * 1024
