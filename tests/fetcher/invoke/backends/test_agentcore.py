"""Agents on AgentCore Runtime answer as they like; their text is found once."""

import base64
import json

import pytest

from fetcher.invoke.backends.agentcore import read_body
from fetcher.invoke.response import ServiceFailed, Throttled

JSON, SSE, PLAIN = "application/json", "text/event-stream", "text/plain"


def _sse(*events):
    return "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events)


def _delta(text):
    return {"event": {"contentBlockDelta": {"delta": {"text": text}}}}


MESSAGE = {"role": "agent", "content": [{"type": "text", "text": "晴れ"}]}
BODIES = {
    "a JSON string": ('"晴れ"', JSON, "晴れ"),
    "a result": ('{"result": "晴れ"}', JSON, "晴れ"),
    "a response": ('{"response": "晴れ", "id": 4}', JSON, "晴れ"),
    "a message": (
        '{"result": {"role": "assistant", "content": [{"text": "晴"}, {"text": "れ"}]}}',
        JSON,
        "晴れ",
    ),
    "execute_task": (
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"messages": [MESSAGE], "artifacts": []}}),
        JSON,
        "晴れ",
    ),
    "plain text": ("晴れ", PLAIN, "晴れ"),
    "JSON with a charset": ('{"output": "晴れ"}', "application/json; charset=utf-8", "晴れ"),
    "a text that no type is given for": ("晴れ", "", "晴れ"),
    "JSON of no known habit": ('{"temperature": 20}', JSON, '{"temperature": 20}'),
    "JSON that is none": ("{", JSON, "{"),
    "a stream of strings": (_sse("晴", "れ"), SSE, "晴れ"),
    "a stream of data": (_sse({"init_event_loop": True}, {"data": "晴"}, {"data": "れ"}), SSE, "晴れ"),
    "a stream that says all twice": (
        _sse(_delta("晴"), {"data": "晴"}, _delta("れ"), {"data": "れ"}, {"result": "晴れ"}),
        SSE,
        "晴れ",
    ),
    "a stream with the whole at its end": (_sse({"status": 1}, {"result": "晴れ"}), SSE, "晴れ"),
    "a stream of text": ("event: x\r\ndata: 晴れ\r\ndata: ます\r\n\r\n: ping\r\n\r\n", SSE, "晴れ\nます"),
    "an empty body": ("", JSON, ""),
    "an empty stream": ("", SSE, ""),
}


@pytest.mark.parametrize(("body", "kind", "text"), BODIES.values(), ids=BODIES)
def test_the_text_is_found(body, kind, text):
    assert read_body(body.encode(), kind)[0] == text


@pytest.mark.parametrize(
    ("body", "kind", "code"),
    [
        ('{"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "x"}}', JSON, "-32603"),
        ('{"error": "boom"}', JSON, None),
        (_sse("a", {"error": "boom", "error_type": "ValueError"}), SSE, "ValueError"),
    ],
    ids=["JSON-RPC", "JSON", "stream"],
)
def test_an_error_in_the_body_is_no_answer(body, kind, code):
    with pytest.raises(ServiceFailed) as caught:
        read_body(body.encode(), kind)
    assert (caught.value.code, caught.value.begun) == (code, True)


@pytest.mark.parametrize(
    ("error", "busy"),
    [
        ({"code": -32603, "data": {"reason": "busy", "retryable": True}}, True),
        ({"code": -32603, "data": {"reason": "internal"}}, False),
        ({"code": -32603, "data": "busy"}, False),
        ({"code": -32603}, False),
        ("busy", False),
    ],
)
def test_an_agent_that_has_no_place_says_so(error, busy):
    with pytest.raises(Throttled if busy else ServiceFailed) as caught:
        read_body(json.dumps({"error": error}).encode(), JSON)
    assert caught.value.retryable is busy


def test_files_of_execute_task_are_taken():
    """A file that cannot be decoded is none."""
    good = {"kind": "file", "fileName": "表.csv", "mimeType": "text/csv"}
    parts = [
        good | {"contentBase64": base64.b64encode(b"a,b").decode()},
        good | {"contentBase64": "?"},
        {"kind": "text", "text": "x"},
    ]
    body = {"result": {"messages": [], "artifacts": [{"name": "generated_file", "parts": parts}, "odd"]}}
    _, [file] = read_body(json.dumps(body).encode(), JSON)
    assert (file.name, file.mime_type, file.content) == ("表.csv", "text/csv", b"a,b")


def test_a_body_as_deep_as_one_likes_is_read():
    deep = '{"result": ' * 5000 + "1" + "}" * 5000
    assert read_body(deep.encode(), JSON)[0] == deep
