"""Secrets from AWS's Parameter Store: with the real boto3, from a server on loopback."""

import json
import logging
import subprocess
import sys

import pytest

from fetcher.parameters import with_parameters
from fetcher.settings import ConfigurationError
from tests.fakes.lambda_worker import Api, Server

NAMED = {"SECRET_PARAMETERS": "/app/dev/SLACK_BOT_TOKEN, /app/dev/ANTHROPIC_API_KEY", "STORE": "dynamodb"}


class ParameterStore:
    """What AWS keeps, and what it was asked."""

    def __init__(self):
        self.kept = {}
        self.asked = []
        self.failing = 0

    def answer(self, target, request):
        self.asked.append((target, request["Names"], request["WithDecryption"]))
        if self.failing:
            self.failing -= 1
            return 400, {"__type": "ThrottlingException", "message": "slow down"}
        found = [{"Name": name, "Value": self.kept[name]} for name in request["Names"] if name in self.kept]
        return 200, {
            "Parameters": found,
            "InvalidParameters": [name for name in request["Names"] if name not in self.kept],
        }


@pytest.fixture
def store(monkeypatch):
    """Parameter Store, where boto3 looks for it."""
    kept = ParameterStore()

    class Handler(Api):
        def do_POST(self):  # noqa: N802 - its name in the base class
            status, answer = kept.answer(self.headers["X-Amz-Target"], json.loads(self.body()))
            self.answer(status, json.dumps(answer).encode(), {"Content-Type": "application/x-amz-json-1.1"})

    server = Server(Handler)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SSM", f"http://{server.address}")
    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKIDTEST",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_DEFAULT_REGION": "ap-northeast-1",
    }.items():
        monkeypatch.setenv(name, value)
    yield kept
    server.close()


def test_parameters_become_the_variables_that_they_are_named_after(store):
    """One request, decrypted; everything else stays as it was."""
    store.kept = {"/app/dev/SLACK_BOT_TOKEN": "xoxb-1", "/app/dev/ANTHROPIC_API_KEY": "sk-1"}
    filled = with_parameters(NAMED)
    assert filled == NAMED | {"SLACK_BOT_TOKEN": "xoxb-1", "ANTHROPIC_API_KEY": "sk-1"}
    assert store.asked == [
        ("AmazonSSM.GetParameters", ["/app/dev/SLACK_BOT_TOKEN", "/app/dev/ANTHROPIC_API_KEY"], True)
    ]


def test_a_parameter_that_does_not_exist_leaves_its_variable_unset(store, caplog):
    """Without a model's key the offline reader answers; the log says what was looked for."""
    store.kept = {"/app/dev/SLACK_BOT_TOKEN": "xoxb-1"}
    with caplog.at_level(logging.WARNING):
        assert "ANTHROPIC_API_KEY" not in with_parameters(NAMED)
    assert [record.fields for record in caplog.records] == [{"parameter": "/app/dev/ANTHROPIC_API_KEY"}]
    assert "xoxb-1" not in caplog.text


def test_a_variable_that_is_set_itself_wins(store):
    store.kept = {"/app/dev/SLACK_BOT_TOKEN": "xoxb-1", "/app/dev/ANTHROPIC_API_KEY": "sk-1"}
    filled = with_parameters(NAMED | {"SLACK_BOT_TOKEN": "xoxb-own", "ANTHROPIC_API_KEY": " "})
    assert (filled["SLACK_BOT_TOKEN"], filled["ANTHROPIC_API_KEY"]) == ("xoxb-own", "sk-1")


def test_more_than_ten_are_asked_for_in_turns(store):
    """AWS takes ten names in a request."""
    store.kept = {f"/app/NAME_{number}": str(number) for number in range(23)}
    filled = with_parameters({"SECRET_PARAMETERS": ",".join(store.kept)})
    assert filled["NAME_22"] == "22"
    assert [len(names) for _, names, _ in store.asked] == [10, 10, 3]


def test_throttling_is_sat_out(store):
    store.kept, store.failing = {"/app/dev/SLACK_BOT_TOKEN": "xoxb-1"}, 1
    assert with_parameters(NAMED)["SLACK_BOT_TOKEN"] == "xoxb-1"


def test_parameters_that_cannot_be_read_stop_the_start(store, monkeypatch):
    """Better no start than one without secrets; the reason names none."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_SSM", "http://127.0.0.1:1")
    with pytest.raises(ConfigurationError, match="SECRET_PARAMETERS cannot be read"):
        with_parameters(NAMED)


def test_without_credentials_the_variable_that_lets_a_role_be_used_is_named(store, monkeypatch, tmp_path):
    """As on an instance of EC2, whose role is not looked for unless that is wanted."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    with pytest.raises(ConfigurationError, match="AWS_EC2_METADATA_DISABLED=false"):
        with_parameters(NAMED)
    assert store.asked == []


def test_where_none_are_named_nothing_is_asked_nor_imported():
    """Socket Mode has its tokens in the environment, and boto3 costs time."""
    code = (
        "import sys; from fetcher.parameters import with_parameters; "
        "filled = with_parameters({'STORE': 'sqlite', 'SECRET_PARAMETERS': ' , '}); "
        "print(filled['STORE'], 'boto3' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["sqlite", "False"]
