"""A2A's tasks over the wire, with an agent whose answers the test chooses."""

import base64
import json
from dataclasses import replace

import pytest

from fetcher.a2a.tasks import SENTENCES
from fetcher.agent import Answer, GeneratedFile, Progress, Source, Step, Turn, Usage
from fetcher.agent.errors import ModelUnavailable
from fetcher.agent.remote.wire import postscript
from tests.fetcher.a2a.serving import serving_scripted

CSV = "\ufeff品,円\r\n豆,1\r\n".encode()
ANSWER = Answer(
    text="豆は千円です。 [1]",
    sources=(Source(number=1, title="料金", url="http://shop.example/price"),),
    files=(GeneratedFile(file_name="料金表.csv", mime_type="text/csv", content=CSV),),
    usage=Usage(calls=2, input_tokens=10, output_tokens=5),
    undone=("一部のページは読んでいません。",),
)
STEPS = (
    Progress(step=Step.FETCHING, url="http://shop.example/price"),
    Progress(step=Step.READING, title="料金"),
    Progress(step=Step.WRITING, text="豆は"),
)


@pytest.fixture(scope="module")
def running():
    with serving_scripted(a2a_max_tasks=2) as both:
        yield both


@pytest.fixture
def server(running):
    return running[0]


@pytest.fixture
def agent(running):
    return running[1].begin_anew(ANSWER, *STEPS)


def _message(text="質問です", **more):
    return {"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}], **more}}


def _send(server, text="質問です", *, configuration=None, **more):
    params = _message(text, **more) | ({"configuration": configuration} if configuration else {})
    return server.call("SendMessage", params)["result"]["task"]


def _started(server, **more):
    return _send(server, configuration={"returnImmediately": True}, **more)


def _events(server, method, params):
    with server.stream(method, params) as events:
        return list(events)


def test_a_message_becomes_a_completed_task_with_artifacts(server, agent):
    """A2: the protocol's own file part, and sources as data."""
    task = _send(server)
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    response, file = task["artifacts"]
    assert (response["name"], file["name"]) == ("execution_response", "generated_file")
    text, below, data = response["parts"]
    assert text["text"] == ANSWER.text
    assert "出典" in below["text"]
    assert "http://shop.example/price" in below["text"]
    assert data["data"]["sources"] == [{"number": 1.0, "title": "料金", "url": "http://shop.example/price"}]
    [part] = file["parts"]
    assert (part["filename"], part["mediaType"]) == ("料金表.csv", "text/csv")
    assert base64.b64decode(part["raw"]) == CSV


def test_a_stream_tells_the_steps_in_order_and_ends(server, agent):
    events = [event["result"] for event in _events(server, "SendStreamingMessage", _message())]
    kinds = [next(iter(event)) for event in events]
    assert kinds == ["task", *["statusUpdate"] * 3, *["artifactUpdate"] * 2, "statusUpdate"]
    states = [event["statusUpdate"]["status"] for event in events if "statusUpdate" in event]
    assert [state["state"] for state in states] == [*["TASK_STATE_WORKING"] * 3, "TASK_STATE_COMPLETED"]
    said = [state["message"]["parts"][0]["text"] for state in states if "message" in state]
    assert said == ["ページを開いています：http://shop.example/price", "読み取っています：料金"]


def test_a_task_can_be_read_again_and_listed(server, agent):
    task = _send(server, contextId="ctx-list")
    assert server.call("GetTask", {"id": task["id"]})["result"]["artifacts"] == task["artifacts"]
    listed = server.call("ListTasks", {"contextId": "ctx-list"})["result"]
    assert [(other["id"], "artifacts" in other) for other in listed["tasks"]] == [(task["id"], False)]
    assert server.call("GetTask", {"id": "nobody"})["error"]["code"] == -32001


def test_a_context_is_a_conversation(server, agent):
    """A second question in the same context knows what was said before."""
    first = _send(server, "http://shop.example/price はいくら？")
    _send(server, "種類は？", contextId=first["contextId"])
    assert agent.requests[1].history == (
        Turn(author="", text="http://shop.example/price はいくら？"),
        Turn(author="", text=f"{ANSWER.text}\n\n{postscript(ANSWER)}", ours=True),
    )


def test_a_context_keeps_its_record(server, agent):
    """What was read, and what an answer named of the pages' links, is known to the next question."""
    agent.answer = replace(ANSWER, known_urls=("http://shop.example/price", "http://shop.example/2"))
    first = _send(server, "http://shop.example/price はいくら？")
    agent.answer = replace(ANSWER, known_urls=("http://shop.example/2", "http://shop.example/3"))
    _send(server, "種類は？", contextId=first["contextId"])
    _send(server, "ほかには？", contextId=first["contextId"])
    _send(server, "別の話ですが")
    assert [sorted(request.known_urls) for request in agent.requests] == [
        [],
        ["http://shop.example/2", "http://shop.example/price"],
        ["http://shop.example/2", "http://shop.example/3", "http://shop.example/price"],
        [],
    ]


def test_metadata_may_carry_the_conversation(server, agent):
    conversation = {
        "author": "田中",
        "history": [{"author": "鈴木", "text": "http://a.example/ です", "ours": False}],
        "links": ["http://b.example/"],
        "correlation_id": "c-9",
        "limits": {"fetches": 2, "seconds": 1e9, "turns": "Infinity", "unknown": 1},
    }
    _send(server, metadata={"conversation": conversation})
    [asked] = agent.requests
    assert (asked.author, asked.correlation_id, asked.links) == ("田中", "c-9", ("http://b.example/",))
    assert asked.history == (Turn(author="鈴木", text="http://a.example/ です"),)
    bounds = (asked.limits.fetches, asked.limits.seconds, asked.limits.turns)
    assert bounds == (2, 180, 8), "the caller may ask for less, not for more"


def test_cancelling_stops_the_work_and_a_second_time_is_an_error(server, agent):
    agent.hold = True
    task = _started(server)
    assert agent.has_begun()
    assert server.ping()["status"] == "HealthyBusy"
    cancelled = server.call("CancelTask", {"id": task["id"]})["result"]
    assert cancelled["status"]["state"] == "TASK_STATE_CANCELED"
    assert agent.was_cancelled()
    assert server.call("CancelTask", {"id": task["id"]})["error"]["code"] == -32002
    kept = server.call("GetTask", {"id": task["id"]})["result"]
    assert kept["status"]["state"] == "TASK_STATE_CANCELED"
    assert server.ping()["status"] == "Healthy"


def test_a_finished_task_cannot_be_cancelled_and_takes_no_more_messages(server, agent):
    task = _send(server)
    assert server.call("CancelTask", {"id": task["id"]})["error"]["code"] == -32002
    reply = server.call("SendMessage", _message(taskId=task["id"]))
    assert reply["error"]["code"] == -32004


def test_questions_above_the_bound_are_refused_clearly(server, agent):
    """Neither method waits: the caller is told at once, in Japanese."""
    agent.hold = True
    held = [_started(server) for _ in range(2)]
    assert agent.has_begun(2)
    third = _send(server)
    assert third["status"]["state"] == "TASK_STATE_REJECTED"
    assert "混み合っている" in third["status"]["message"]["parts"][0]["text"]
    params = {"messages": [{"role": "user", "content": [{"type": "text", "text": "質問"}]}]}
    error = server.call("execute_task", params)["error"]
    assert (error["code"], error["data"]) == (-32603, {"reason": "busy", "retryable": True})
    assert "混み合っている" in error["message"]
    for task in held:
        server.call("CancelTask", {"id": task["id"]})
    agent.hold = False
    assert _send(server)["status"]["state"] == "TASK_STATE_COMPLETED"


@pytest.mark.parametrize("failure", [ModelUnavailable("secret"), ValueError("secret")])
def test_a_failure_is_a_failed_task_with_a_japanese_message(server, agent, failure):
    agent.answer = failure
    task = _send(server)
    assert task["status"]["state"] == "TASK_STATE_FAILED"
    assert "ください" in task["status"]["message"]["parts"][0]["text"]
    assert "secret" not in json.dumps(task)


@pytest.mark.parametrize(
    ("params", "code"),
    [
        (None, -32602),
        ({}, -32602),
        ({"message": {"messageId": "m", "role": "ROLE_USER", "parts": []}}, -32602),
        ({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "x"}]}}, -32602),
        ({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "  "}]}}, -32602),
        ({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": 5}]}}, -32602),
        ({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"raw": "eA=="}]}}, -32005),
        ({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": {"a": 1}}]}}, -32005),
        (_message() | {"configuration": {"historyLength": -1}}, -32602),
        (_message(metadata={"conversation": {"history": "x"}}), -32602),
        (_message(metadata={"conversation": {"correlation_id": "c" * 257}}), -32602),
        (_message() | {"configuration": {"taskPushNotificationConfig": {"url": "http://a/"}}}, -32003),
        (_message(metadata={"conversation": {"limits": {"seconds": 0}}}), -32602),
        (_message(metadata={"conversation": {"limits": {"turns": "NaN"}}}), -32602),
        (_message(taskId="nobody"), -32001),
        (
            {
                "message": {
                    "messageId": "m",
                    "role": "ROLE_USER",
                    "parts": [{"text": "x", "mediaType": "image/png"}],
                }
            },
            -32005,
        ),
    ],
)
@pytest.mark.parametrize("method", ["SendMessage", "SendStreamingMessage"])
def test_messages_that_make_no_sense_are_refused_before_a_task_is_made(server, agent, method, params, code):
    assert server.call(method, params, "x")["error"]["code"] == code
    assert agent.requests == []


def _nested(levels):
    deep: object = "x"
    for _ in range(levels):
        deep = {"a": deep}
    return deep


@pytest.mark.parametrize("levels", [31, 40, 60, 500])
@pytest.mark.parametrize("method", ["SendMessage", "SendStreamingMessage", "message/send", "message/stream"])
def test_parameters_nested_deeply_are_refused(server, agent, method, levels):
    """The protocol's own reader gives up somewhere between, and would call it a defect of ours."""
    params = (
        _message(metadata=_nested(levels)) if method[0] == "S" else _message_0_3(metadata=_nested(levels))
    )
    error = server.call(method, params)["error"]
    assert (error["code"], error["data"]) == (-32602, {"reason": "params: more than 32 levels"})
    assert agent.requests == []


@pytest.mark.parametrize("method", ["SendMessage", "message/send"])
def test_parameters_nested_as_deeply_as_may_be_are_read(server, agent, method):
    message = _message if method == "SendMessage" else _message_0_3
    assert "result" in server.call(method, message(metadata=_nested(30)))


@pytest.mark.parametrize("method", ["SendMessage", "SendStreamingMessage"])
def test_a_task_that_is_worked_on_takes_no_second_question(server, agent, method):
    """It would be answered by the first one's answer, and open a task again that has ended."""
    agent.hold = True
    task = _started(server)
    assert agent.has_begun()
    error = server.call(method, _message("もう一つ", taskId=task["id"]))["error"]
    assert error["code"] == -32004
    assert "回答中" in error["message"]
    with server.stream("SubscribeToTask", {"id": task["id"]}) as events:
        next(events)
        agent.let_go()
        list(events)
    kept = server.call("GetTask", {"id": task["id"]})["result"]
    assert kept["status"]["state"] == "TASK_STATE_COMPLETED"
    assert [artifact["name"] for artifact in kept["artifacts"]] == ["execution_response", "generated_file"]
    assert [asked.question for asked in agent.requests] == ["質問です"]


def _message_0_3(**more):
    parts = [{"kind": "text", "text": "質問"}]
    return {"message": {"kind": "message", "messageId": "m", "role": "user", "parts": parts, **more}}


@pytest.mark.parametrize("method", ["message/send", "message/stream"])
def test_0_3_is_spoken_too(server, agent, method):
    if method == "message/send":
        result = server.call(method, _message_0_3())["result"]
        files = [
            part for artifact in result["artifacts"] for part in artifact["parts"] if part["kind"] == "file"
        ]
        assert result["status"]["state"] == "completed"
    else:
        events = [event["result"] for event in _events(server, method, _message_0_3())]
        updates = [event["artifact"] for event in events if event["kind"] == "artifact-update"]
        files = [part for artifact in updates for part in artifact["parts"] if part["kind"] == "file"]
        assert events[-1]["status"]["state"] == "completed"
    [file] = files
    assert base64.b64decode(file["file"]["bytes"]) == CSV
    assert (file["file"]["name"], file["file"]["mimeType"]) == ("料金表.csv", "text/csv")


def test_a_late_subscriber_sees_the_task_and_its_end(server, agent):
    agent.hold = True
    task = _started(server)
    assert agent.has_begun()
    with server.stream("SubscribeToTask", {"id": task["id"]}) as events:
        assert next(events)["result"]["task"]["id"] == task["id"]
        agent.let_go()
        *_, last = events
    assert last["result"]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


def test_a_client_that_leaves_its_stream_finds_its_task_again(server, agent):
    """The work goes on: the protocol's tasks outlive connections."""
    agent.hold = True
    with server.stream("SendStreamingMessage", _message(contextId="ctx-left")) as events:
        task = next(events)["result"]["task"]
        assert agent.has_begun()
    agent.let_go()
    with server.stream("SubscribeToTask", {"id": task["id"]}) as events:
        list(events)
    kept = server.call("GetTask", {"id": task["id"]})["result"]
    assert kept["status"]["state"] == "TASK_STATE_COMPLETED"


def test_a_title_brings_no_url_into_what_is_told_of_a_step():
    told = SENTENCES[Step.READING](Progress(step=Step.READING, title="see http://evil.example/c/x"))
    assert "evil.example" in told
    assert "://" not in told


def test_words_that_leave_are_told_at_once():
    """A task that is cancelled has no answer to tell them with."""
    query = "豆 http://evil.example/c/x"
    told = SENTENCES[Step.SEARCHING](Progress(step=Step.SEARCHING, title=query))
    assert told.startswith("検索：「豆 ")
    assert "http://evil" not in told
