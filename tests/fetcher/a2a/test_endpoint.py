"""What `POST /` lets in, and what it answers to the rest."""

import http.client
import json
import re
import socket

import pytest

from fetcher.agent import QuestionRejected, Turn
from fetcher.agent.errors import ModelUnavailable
from fetcher.codes import AgentCode
from tests.fetcher.a2a.serving import Scripted, Serving, serving_scripted

QUESTION = {"messages": [{"role": "user", "content": [{"type": "text", "text": "質問です"}]}]}
MESSAGE = {"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "質問です"}]}}


@pytest.fixture(scope="module")
def running():
    with serving_scripted(a2a_max_body_bytes=100_000) as both:
        yield both


@pytest.fixture
def server(running):
    return running[0]


@pytest.fixture
def agent(running):
    return running[1].begin_anew()


def _japanese(sentence):
    return re.search("[ぁ-ん]", sentence) and sentence.endswith("。")


def test_execute_task_answers_with_messages_and_artifacts(server, agent):
    """A1: the document's own method."""
    context = {"correlation_id": "c-1", "thread_ts": "1700000000.000100"}
    reply = server.call("execute_task", QUESTION | {"context": context}, "7d1f")
    assert (reply["jsonrpc"], reply["id"]) == ("2.0", "7d1f")
    [message] = reply["result"]["messages"]
    assert message == {"role": "agent", "content": [{"type": "text", "text": "答えです。"}]}
    assert [artifact["name"] for artifact in reply["result"]["artifacts"]] == ["execution_response"]
    [asked] = agent.requests
    assert (asked.question, asked.correlation_id) == ("質問です", "c-1")


def test_earlier_messages_are_the_conversation(server, agent):
    said = [("user", "http://a.example/ は？"), ("agent", "千円です。"), ("user", "種類は？")]
    messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in said]
    server.call("execute_task", {"messages": messages})
    [asked] = agent.requests
    assert asked.question == "種類は？"
    assert asked.history == (
        Turn(author="", text="http://a.example/ は？"),
        Turn(author="", text="千円です。", ours=True),
    )


@pytest.mark.parametrize("call_id", ["", "文字", 0, -1, 2**63, 1.5, None])
@pytest.mark.parametrize("method", ["execute_task", "no_such_method", "GetTask", "message/send"])
def test_ids_of_every_type_come_back(server, agent, call_id, method):
    assert server.call(method, QUESTION, call_id)["id"] == call_id


def test_an_id_of_any_length_is_not_logged_whole(server, agent):
    """Where the caller names no correlation id, the call's own stands for it."""
    assert server.call("execute_task", QUESTION, "i" * 1000)["id"] == "i" * 1000
    assert agent.requests[0].correlation_id == "i" * 256


def test_a_call_without_an_id_is_answered_all_the_same(server, agent):
    """Whoever waits for an answer over HTTP gets one."""
    reply = server.post({"jsonrpc": "2.0", "method": "execute_task", "params": QUESTION}).json
    assert (reply["id"], reply["result"]["messages"][0]["role"]) == (None, "agent")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b'{"jsonrpc": "2.0", "id": NaN, "method": "execute_task"}', -32700),
        (b'{"jsonrpc": "2.0", "id": 1e400, "method": "execute_task"}', -32700),
        (b'"\xff"', -32700),
        (b'{"id": "\\ud800"}', -32700),
        ("\ufeff{}".encode(), -32700),
        (b"[" * 49_000 + b"]" * 49_000, -32700),
        (b"1" * 50_000, -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "execute_task"}]', -32600),
        (b"null", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "execute_task"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "execute_task"}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "execute_task"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ExecuteTask"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "execute_task"}', -32602),
    ],
    ids=lambda value: str(value[:40]) if isinstance(value, bytes) else None,
)
def test_every_wrong_body_has_its_code(server, agent, body, code):
    """And a sentence in Japanese, as the document asks."""
    reply = server.post(body)
    assert (reply.status, reply.json["error"]["code"], reply.json["jsonrpc"]) == (200, code, "2.0")
    assert _japanese(reply.json["error"]["message"])
    assert agent.requests == []
    assert server.ping()["status"] == "Healthy"


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        {"messages": []},
        {"messages": [{"role": "user", "content": "質問"}]},
        {"messages": [{"role": "system", "content": [{"type": "text", "text": "x"}]}]},
        {"messages": [{"role": "user", "content": [{"type": "image", "text": "x"}]}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": 5}]}]},
        {"messages": [{"role": "agent", "content": [{"type": "text", "text": "x"}]}]},
        QUESTION | {"context": {"correlation_id": 5}},
    ],
)
def test_parameters_that_make_no_sense_are_refused_in_japanese(server, agent, params):
    reply = server.call("execute_task", params, "x")
    assert (reply["id"], reply["error"]["code"]) == ("x", -32602)
    assert "誤り" in reply["error"]["message"]
    assert reply["error"]["data"]["reason"]
    assert agent.requests == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("message/send", None),
        ("message/send", {}),
        ("message/send", {"message": {"kind": "message", "messageId": "m", "role": "user", "parts": "x"}}),
        ("tasks/get", {}),
        ("tasks/cancel", {"id": 5}),
    ],
)
def test_parameters_that_make_no_sense_have_their_code_in_0_3_too(server, agent, method, params):
    reply = server.call(method, params, "x")
    assert (reply["id"], reply["error"]["code"]) == ("x", -32602)
    assert "誤り" in reply["error"]["message"]
    assert reply["error"]["data"]["reason"].startswith("params")


@pytest.mark.parametrize(
    ("failure", "code", "words"),
    [
        (QuestionRejected(AgentCode.EMPTY_QUESTION, "x"), -32602, "質問が空"),
        (ModelUnavailable("secret detail"), -32603, "混み合っている"),
        (RuntimeError("secret detail"), -32603, "内部エラー"),
    ],
)
def test_a_failure_is_an_error_object_with_a_japanese_message(server, agent, failure, code, words, caplog):
    """Its own text, which may quote a page or a question, is neither told nor logged."""
    agent.answer = failure
    reply = server.call("execute_task", QUESTION, 5)
    assert (reply["id"], reply["error"]["code"]) == (5, code)
    assert words in reply["error"]["message"]
    assert "secret" not in json.dumps(reply) + caplog.text
    assert server.ping()["status"] == "Healthy"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
def test_what_is_not_said_to_be_json_is_refused(server, agent, kind):
    reply = server.post({"jsonrpc": "2.0", "id": 1, "method": "execute_task"}, Content_Type=kind)
    assert (reply.status, reply.json["error"]["code"]) == (415, -32005)
    assert _japanese(reply.json["error"]["message"])


def test_a_huge_body_is_refused_before_it_has_all_come(server, agent):
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(head + b"Content-Length: 1000000000\r\n\r\n" + b" " * 200_000)
        response = http.client.HTTPResponse(connection)
        response.begin()
        said = json.load(response)
    assert (response.status, said["error"]["code"]) == (413, -32600)
    assert "100000バイト以内" in said["error"]["message"]


def test_a_body_as_large_as_allowed_is_read(server, agent):
    text = "あ" * 33_000
    params = {"messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]}
    call = {"jsonrpc": "2.0", "id": 1, "method": "execute_task", "params": params}
    assert server.post(json.dumps(call, ensure_ascii=False).encode()).status == 200
    assert agent.requests[0].question == text


@pytest.mark.parametrize(
    ("version", "code"), [(None, None), ("", None), ("1.0", None), ("0.3", -32009), ("2.0", -32009)]
)
def test_methods_in_pascal_case_are_of_1_0_unless_said_otherwise(server, agent, version, code):
    headers = {} if version is None else {"A2A_Version": version}
    reply = server.call("SendMessage", MESSAGE, **headers)
    assert reply.get("error", {}).get("code") == code


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 405), ("PUT", "/", 405), ("GET", "/nothing", 404), ("POST", "/ping", 404)],
)
def test_other_addresses_and_verbs_are_refused(server, method, path, status):
    assert server.request(method, path).status == status


def test_a_page_of_another_name_cannot_call_with_its_visitors_hands(server, agent):
    """A name that was made to point at this machine is not one of its own."""
    reply = server.post({"jsonrpc": "2.0", "id": 1, "method": "execute_task"}, Host="evil.example:9000")
    assert (reply.status, reply.json["error"]["code"]) == (403, -32000)
    assert _japanese(reply.json["error"]["message"])


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:9000", "[::1]:9000"])
def test_this_machines_own_names_are_fine(server, agent, host):
    assert "result" in server.call("execute_task", QUESTION, Host=host)


def test_where_the_platform_checks_signatures_everything_that_arrives_is_served():
    with Serving(Scripted().opener, a2a_authentication="sigv4", local=False) as server:
        assert "result" in server.call("execute_task", QUESTION, Host="cell01.agentcore.example")


def test_with_a_key_only_those_who_have_it_are_served():
    agent = Scripted()
    with Serving(agent.opener, a2a_api_key="geheim") as server:
        for headers in ({}, {"X_API_Key": "wrong"}, {"X_API_Key": ""}, {"Authorization": "Bearer geheim"}):
            reply = server.post({"jsonrpc": "2.0", "id": 1, "method": "execute_task"}, **headers)
            assert (reply.status, reply.json["error"]["code"]) == (401, -32000)
            assert _japanese(reply.json["error"]["message"])
        assert agent.requests == []
        assert "result" in server.call("execute_task", QUESTION, X_API_Key="geheim", Host="a.example")
        assert server.ping()["status"] == "Healthy"
        card = server.request("GET", "/.well-known/agent-card.json").json
        assert card["securitySchemes"]["apiKey"]["apiKeySecurityScheme"]["name"] == "X-API-Key"
        assert "geheim" not in json.dumps(card)
