"""INVOKE_BACKENDS says who answers for which agent."""

import json

import pytest

from fetcher.invoke.backends import open_backend
from fetcher.invoke.response import AgentNotFound
from fetcher.invoke.settings import AgentCoreRuntime, BedrockAgent, InProcess, NoBackend, load
from fetcher.settings import ConfigurationError

ARN = "arn:aws:bedrock-agentcore:ap-northeast-1:123456789012:runtime/web_reader-AbCdEf1234"
ID = "ABCDE12345"


def _loaded(backends, **environ):
    return load({"INVOKE_BACKENDS": json.dumps(backends), **environ})


@pytest.mark.parametrize(
    ("backends", "expected"),
    [
        ({}, BedrockAgent()),
        ({"ZZZZZZZZZZ": "fetch-agent"}, BedrockAgent()),
        ({ID: "bedrock-agents"}, BedrockAgent()),
        ({ID: {"type": "bedrock-agents", "region": "us-west-2"}}, BedrockAgent(region="us-west-2")),
        ({ID: "fetch-agent"}, InProcess(type="fetch-agent")),
        ({"*": "fetch-agent"}, InProcess(type="fetch-agent")),
        ({"*": "none", ID: "fetch-agent"}, InProcess(type="fetch-agent")),
        ({"*": "none"}, NoBackend(type="none")),
        (
            {ID: {"type": "agentcore", "runtimeArn": ARN, "qualifier": "prod", "protocol": "a2a"}},
            AgentCoreRuntime(type="agentcore", runtimeArn=ARN, qualifier="prod", protocol="a2a"),
        ),
    ],
)
def test_each_agent_has_its_backend(backends, expected):
    assert _loaded(backends).backend_of(ID) == expected


@pytest.mark.parametrize(
    ("environ", "region"),
    [
        ({}, ""),
        ({"AWS_REGION": "us-east-1"}, "us-east-1"),
        ({"AWS_REGION": "us-east-1", "AWS_REGION_NAME": "ap-northeast-1"}, "ap-northeast-1"),
    ],
)
def test_a_backend_without_a_region_is_in_the_functions(environ, region):
    assert load(environ).backend_of(ID) == BedrockAgent(region=region)


BAD = {
    "no JSON": "{",
    "a list": "[]",
    "an unknown backend": '{"*": "lambda"}',
    "a wrong id": '{"abc": "fetch-agent"}',
    "no ARN": '{"*": {"type": "agentcore"}}',
    "a wrong ARN": '{"*": {"type": "agentcore", "runtimeArn": "arn:aws:lambda:x"}}',
    "an unknown key": '{"*": {"type": "fetch-agent", "colour": "red"}}',
    "a number": '{"*": 5}',
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_wrong_backends_are_refused_by_name(text):
    with pytest.raises(ConfigurationError, match="INVOKE_BACKENDS"):
        load({"INVOKE_BACKENDS": text})


def test_a_wrong_log_level_is_refused():
    with pytest.raises(ConfigurationError, match="INVOKE_LOG_LEVEL"):
        load({"INVOKE_LOG_LEVEL": "LOUD"})


def test_a_backend_is_opened_once_for_all_its_agents():
    settings = _loaded({ID: "fetch-agent", "ZZZZZZZZZZ": "fetch-agent"})
    opened = [open_backend(settings.backend_of(agent)) for agent in (ID, "ZZZZZZZZZZ", "AAAAAAAAAA")]
    assert opened[0] is opened[1] is not opened[2]


def test_an_agent_without_a_backend_is_not_found():
    with pytest.raises(AgentNotFound):
        open_backend(_loaded({"*": "none"}).backend_of(ID))
