"""Secrets from AWS's Parameter Store: with the real boto3, from a server on loopback."""

import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from fetcher.settings import ConfigurationError
from fetcher.startup import parameters
from fetcher.startup.parameters import SecretEnvironment, with_parameters
from tests.fakes.ssm import ParameterStore

NAMED = {"SECRET_PARAMETERS": "/app/dev/SLACK_BOT_TOKEN, /app/dev/ANTHROPIC_API_KEY", "STORE": "dynamodb"}


@pytest.fixture
def store(monkeypatch):
    """Parameter Store, where boto3 looks for it."""
    kept = ParameterStore()
    monkeypatch.setenv("AWS_ENDPOINT_URL_SSM", kept.url)
    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKIDTEST",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_DEFAULT_REGION": "ap-northeast-1",
    }.items():
        monkeypatch.setenv(name, value)
    yield kept
    kept.close()


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
    monkeypatch.setattr(parameters, "SECONDS", 0.3)
    with pytest.raises(ConfigurationError, match="SECRET_PARAMETERS cannot be read"):
        with_parameters(NAMED)


BOTH = {"/app/dev/SLACK_BOT_TOKEN": "xoxb-1", "/app/dev/ANTHROPIC_API_KEY": "sk-1"}


@pytest.fixture
def clock():
    """A monotonic clock that stands still: a list with its time."""
    return [100.0]


@pytest.fixture
def secrets(clock):
    return SecretEnvironment(NAMED, seconds=0.5, monotonic=lambda: clock[0])


def test_secrets_are_read_again_when_they_are_old(store, secrets, clock):
    """A function that runs for days takes a changed secret without a deployment."""
    store.kept = dict(BOTH)
    assert [secrets.current()["SLACK_BOT_TOKEN"] for _ in range(3)] == ["xoxb-1"] * 3
    assert len(store.asked) == 1
    store.kept["/app/dev/SLACK_BOT_TOKEN"] = "xoxb-2"
    clock[0] += parameters.GOOD_SECONDS - 1
    assert secrets.current()["SLACK_BOT_TOKEN"] == "xoxb-1"
    clock[0] += 2
    assert secrets.current()["SLACK_BOT_TOKEN"] == "xoxb-2"


def test_a_secret_that_was_refused_is_read_at_once_but_not_with_every_refusal(store, secrets, clock):
    """Anybody can send requests with a wrong signature; AWS limits how often parameters are read."""
    store.kept = dict(BOTH)
    secrets.current()
    clock[0] += parameters.AGAIN_SECONDS + 1
    store.kept["/app/dev/SLACK_BOT_TOKEN"] = "xoxb-2"
    assert [secrets.renewed()["SLACK_BOT_TOKEN"] for _ in range(100)] == ["xoxb-2"] * 100
    assert len(store.asked) == 2
    assert secrets.current()["SLACK_BOT_TOKEN"] == "xoxb-2"


def test_an_incomplete_set_is_never_kept(store, secrets):
    """A sandbox may have started before the secrets were stored."""
    assert "SLACK_BOT_TOKEN" not in secrets.current()
    store.kept["/app/dev/SLACK_BOT_TOKEN"] = "xoxb-1"
    assert secrets.current()["SLACK_BOT_TOKEN"] == "xoxb-1"
    store.kept = dict(BOTH)
    assert secrets.current()["ANTHROPIC_API_KEY"] == "sk-1"
    secrets.current()
    assert len(store.asked) == 3


def test_secrets_that_cannot_be_read_again_stay_in_use(store, secrets, clock, caplog):
    """A parameter store that is down must not take the app down with it; it is asked again a little later."""
    store.kept = dict(BOTH)
    secrets.current()
    clock[0] += parameters.GOOD_SECONDS + 1
    store.failing = 1000
    assert [secrets.current()["SLACK_BOT_TOKEN"] for _ in range(2)] == ["xoxb-1"] * 2
    assert [record.getMessage() for record in caplog.records] == ["parameters_not_read"]
    asked, store.failing = len(store.asked), 0
    clock[0] += parameters.AGAIN_SECONDS + 1
    secrets.current()
    assert len(store.asked) == asked + 1


def test_many_sandboxes_that_start_at_once_share_awss_rate(store):
    """AWS throttles; each waits a little, by chance, and asks again within its time."""
    store.kept, store.failing = dict(BOTH), 10
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda _: SecretEnvironment(NAMED, seconds=15).current(), range(4))
        assert {each["SLACK_BOT_TOKEN"] for each in found} == {"xoxb-1"}


def test_a_right_that_is_missing_is_not_waited_for(store, monkeypatch):
    answers = []

    def refuse(*_):
        answers.append((400, {"__type": "AccessDeniedException", "message": "no"}))
        return answers[-1]

    monkeypatch.setattr(store, "answer", refuse)
    with pytest.raises(ConfigurationError, match="lacks the right"):
        SecretEnvironment(NAMED, seconds=30).current()
    assert len(answers) == 1


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
        "import sys; from fetcher.startup.parameters import with_parameters; "
        "filled = with_parameters({'STORE': 'sqlite', 'SECRET_PARAMETERS': ' , '}); "
        "print(filled['STORE'], 'boto3' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["sqlite", "False"]
