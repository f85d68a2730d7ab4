"""The function's entry point: what it loads, and that it never raises."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fetcher.invoke import handler as module
from fetcher.invoke.handler import handler
from tests.fetcher.invoke.lambda_world import REQUEST_ID, LambdaContext, asking

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _anew():
    module._settings.cache_clear()
    yield
    module._settings.cache_clear()


@pytest.mark.parametrize(
    "event",
    [None, [], "x", 5, True, {}, {"Records": []}, {"detail": None}, {"body": None}, {"requestContext": 4}],
    ids=str,
)
@pytest.mark.parametrize("context", [None, LambdaContext()], ids=["no context", "context"])
def test_every_event_is_answered(event, context):
    answer = handler(event, context)
    body = json.loads(answer["body"]) if "body" in answer else answer
    assert (body["status"], body["errorType"], body["retryable"]) == ("error", "ValidationError", False)
    assert body["metadata"]["requestId"] == (REQUEST_ID if context else body["metadata"]["requestId"])


def test_a_request_without_a_context_has_an_id_nonetheless():
    assert len(handler({}, None)["metadata"]["requestId"]) == 36


def test_wrong_settings_are_an_answer_too(monkeypatch, caplog):
    """The caller learns that it is not their fault, the log what is wrong."""
    monkeypatch.setenv("INVOKE_BACKENDS", '{"*": "nonsense"}')
    answer = handler(asking(), LambdaContext())
    assert (answer["errorType"], answer["retryable"]) == ("UnknownError", False)
    assert "nonsense" not in answer["errorMessage"]
    assert "INVOKE_BACKENDS" in caplog.text
    monkeypatch.setenv("INVOKE_BACKENDS", '{"*": "none"}')
    assert handler(asking(), LambdaContext())["errorType"] == "AgentNotFound"


def test_on_lambda_logs_are_json_lines(tmp_path):
    code = (
        "from fetcher.invoke.handler import handler\n"
        "handler({'agentId': 'ABCDE12345', 'agentAliasId': 'DRAFT', 'inputText': 'x'}, None)"
    )
    environ = {"AWS_LAMBDA_FUNCTION_NAME": "f", "INVOKE_BACKENDS": '{"*": "none"}'}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True, cwd=ROOT
    )
    [line] = [json.loads(line) for line in done.stderr.splitlines()]
    assert (line["event"], line["error_type"], line["agent_id"]) == (
        "invocation_ended",
        "AgentNotFound",
        "ABCDE12345",
    )


def _modules_after(code):
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(' '.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return set(done.stdout.split())


def test_the_handler_starts_without_what_it_may_not_need():
    """boto3 comes with the first call of AWS, the model's SDK only with our own agent's model."""
    loaded = _modules_after("from fetcher.invoke.handler import handler; handler({}, None)")
    assert loaded.isdisjoint({"anthropic", "boto3", "botocore", "fetcher.agent", "fetcher.web", "httpx2"})


def test_the_command_line_answers_as_the_function_does(tmp_path):
    """The example of docs/invoke.md."""
    event = json.dumps(asking(inputText="こんにちは"))
    done = subprocess.run(
        [sys.executable, "-m", "fetcher.invoke", event],
        env={"INVOKE_BACKENDS": '{"*": "fetch-agent"}', "WEBFETCH_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    answer = json.loads(done.stdout)
    assert answer["status"] == "success"
    assert answer["data"]["output"]


@pytest.mark.parametrize(
    ("event", "status"),
    [("{}", 1), ('{"body": ""}', 1), ('{"agentId": "\\ud800"}', 1), ("{", 2), ("[" * 100_000, 2)],
    ids=lambda value: str(value)[:20],
)
def test_the_command_line_says_whether_it_worked(event, status):
    done = subprocess.run(
        [sys.executable, "-m", "fetcher.invoke", "-"],
        input=event.encode(),
        env={},
        capture_output=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == status
    assert b"Traceback" not in done.stderr
