"""Several callers, each with a key of its own: what one of them asked is nothing to the others."""

import pytest

from tests.fetcher.a2a.serving import serving_scripted

OURS, THEIRS = {"X_API_Key": "first"}, {"X_API_Key": "second"}
NOT_FOUND = -32001


@pytest.fixture(scope="module")
def running():
    with serving_scripted(a2a_api_key="first, second") as both:
        yield both


@pytest.fixture
def server(running):
    return running[0]


@pytest.fixture
def agent(running):
    return running[1].begin_anew()


def _message(text="質問です", **more):
    return {"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}], **more}}


def _asked(server, headers, text="質問です", **more):
    return server.call("SendMessage", _message(text, **more), **headers)["result"]["task"]


def _begun(server, agent):
    """A task of ours that is being worked on."""
    agent.hold = True
    params = _message() | {"configuration": {"returnImmediately": True}}
    task = server.call("SendMessage", params, **OURS)["result"]["task"]
    assert agent.has_begun()
    return task


def _code(reply):
    return reply.get("error", {}).get("code")


def test_both_keys_are_served_and_no_other(server, agent):
    for key, status in (
        ("first", 200),
        ("second", 200),
        ("first,second", 401),
        ("first, second", 401),
        ("", 401),
    ):
        body = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}}
        assert server.post(body, X_API_Key=key).status == status


@pytest.mark.parametrize(
    ("method", "named"),
    [
        ("GetTask", "id"),
        ("CancelTask", "id"),
        ("SubscribeToTask", "id"),
        ("tasks/get", "id"),
        ("tasks/cancel", "id"),
        ("tasks/resubscribe", "id"),
    ],
)
@pytest.mark.parametrize("finished", [True, False])
def test_a_task_of_another_key_is_not_there(server, agent, method, named, finished):
    """The answer is the one for a task that never was, whether it runs or has ended."""
    task = _asked(server, OURS) if finished else _begun(server, agent)
    for task_id in (task["id"], "no-such-task"):
        reply = server.post(
            {"jsonrpc": "2.0", "id": 1, "method": method, "params": {named: task_id}}, **THEIRS
        )
        said = reply.body.decode().removeprefix("data: ")
        assert str(NOT_FOUND) in said
        assert "質問" not in said
    agent.let_go()
    assert not agent.cancelled.acquire(blocking=False)
    assert server.call("GetTask", {"id": task["id"]}, **OURS)["result"]["id"] == task["id"]


def test_a_list_has_ones_own_tasks(server, agent):
    ours, theirs = _asked(server, OURS), _asked(server, THEIRS)
    listed = {
        key["X_API_Key"]: {task["id"] for task in server.call("ListTasks", {}, **key)["result"]["tasks"]}
        for key in (OURS, THEIRS)
    }
    assert ours["id"] in listed["first"] - listed["second"]
    assert theirs["id"] in listed["second"] - listed["first"]


@pytest.mark.parametrize("finished", [True, False])
def test_no_message_can_be_added_to_a_task_of_another_key(server, agent, finished):
    task = _asked(server, OURS) if finished else _begun(server, agent)
    agent.requests.clear()
    assert _code(server.call("SendMessage", _message(taskId=task["id"]), **THEIRS)) == NOT_FOUND
    with server.stream("SendStreamingMessage", _message(taskId=task["id"]), **THEIRS) as events:
        assert [_code(event) for event in events] in ([NOT_FOUND], [])
    assert agent.requests == []
    agent.let_go()


def test_one_context_id_is_two_conversations(server, agent):
    """Whoever guesses another's context hears nothing of it, and says nothing into it."""
    _asked(server, OURS, "秘密の質問", contextId="shared")
    _asked(server, THEIRS, "よその質問", contextId="shared")
    assert agent.requests[-1].history == ()
    _asked(server, OURS, "続き", contextId="shared")
    assert [turn.text for turn in agent.requests[-1].history] == ["秘密の質問", "答えです。"]
    listed = server.call("ListTasks", {"contextId": "shared"}, **THEIRS)["result"]["tasks"]
    assert [task["history"][0]["parts"][0]["text"] for task in listed] == ["よその質問"]


@pytest.mark.parametrize(
    "method",
    [
        "CreateTaskPushNotificationConfig",
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
    ],
)
def test_nothing_is_sent_elsewhere_for_a_task(server, agent, method):
    """Push notifications are not offered, not for another caller's task either."""
    task = _asked(server, OURS)
    params = {"taskId": task["id"], "id": "c", "url": "http://a.example/"}
    if method.startswith("List"):
        params = {"taskId": task["id"]}
    elif not method.startswith("Create"):
        params.pop("url")
    for key in (OURS, THEIRS):
        assert _code(server.call(method, params, **key)) == -32003
