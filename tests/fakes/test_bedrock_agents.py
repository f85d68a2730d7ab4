"""The fake Bedrock, talked to by the real boto3."""

import contextlib

import boto3  # type: ignore[import-untyped]
import pytest
from botocore import UNSIGNED  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import ClientError, EventStreamError  # type: ignore[import-untyped]
from urllib3.exceptions import ProtocolError, ReadTimeoutError

from tests.fakes.bedrock_agents import (
    answers,
    breaks,
    chunk,
    citation,
    drips,
    event,
    fails,
    hangs_up,
    model_output,
    says,
    silence,
    stalls,
    trace,
    web_reference,
)

SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e"
ARN = "arn:aws:bedrock-agentcore:us-east-1:123456789012:runtime/r-AbCdEf1234"


@pytest.fixture
def bedrock(running_bedrock):
    """Here refusals are what is tested."""
    yield running_bedrock
    running_bedrock.reset()


@pytest.fixture(scope="module")
def client(running_bedrock):
    def make(service):
        return boto3.Session(
            aws_access_key_id="a", aws_secret_access_key="b", region_name="us-east-1"
        ).client(
            service,
            endpoint_url=running_bedrock.url,
            config=Config(retries={"total_max_attempts": 1}, read_timeout=0.2),
        )

    clients = {service: make(service) for service in ("bedrock-agent-runtime", "bedrock-agentcore")}
    return clients.__getitem__


def _invoke(client):
    return client("bedrock-agent-runtime").invoke_agent(
        agentId="ABCDE12345", agentAliasId="FGHIJ67890", sessionId=SESSION, inputText="天気は？"
    )


def _events(client):
    with contextlib.closing(_invoke(client)["completion"]) as stream:
        return list(stream)


def _session(client):
    response = _invoke(client)
    response["completion"].close()
    return response.get("sessionId")


def test_a_stream_is_read_by_boto3(bedrock, client):
    """Every kind of event, over the wire in pieces of any size."""
    cited = citation("根拠", web_reference("https://a.example/"))
    bedrock.script(
        says(
            trace(modelInvocationOutput=model_output(1, 3, 4)),
            chunk("晴", [cited]),
            chunk(b"\xe3\x82"),
            event("returnControl", {"invocationId": "i"}),
            event("files", {"files": [{"name": "f", "type": "t", "bytes": "YQ=="}]}),
            pieces_of=5,
        )
    )
    first, second, third, fourth, fifth = _events(client)
    usage = first["trace"]["trace"]["orchestrationTrace"]["modelInvocationOutput"]["metadata"]["usage"]
    assert usage == {"inputTokens": 3, "outputTokens": 4}
    assert second["chunk"]["bytes"].decode() == "晴"
    assert second["chunk"]["attribution"]["citations"] == [cited]
    assert third["chunk"]["bytes"] == b"\xe3\x82"
    assert fourth["returnControl"] == {"invocationId": "i"}
    assert fifth["files"]["files"][0]["bytes"] == b"a"


def test_requests_are_kept(bedrock, client):
    bedrock.script(says(chunk("x")))
    assert _session(client) == SESSION
    [asked] = bedrock.requests
    assert asked.agent == ("ABCDE12345", "FGHIJ67890", SESSION)
    assert asked.json == {"inputText": "天気は？"}


def test_the_session_may_be_left_out(bedrock, client):
    bedrock.script(says(chunk("x"), says_session=False))
    assert _session(client) is None


def test_a_failure_has_its_code_and_status(bedrock, client):
    bedrock.script(fails(429, "ThrottlingException", "slow down"))
    with pytest.raises(ClientError) as caught:
        _invoke(client)
    assert caught.value.response["Error"] == {"Code": "ThrottlingException", "Message": "slow down"}
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 429


@pytest.mark.parametrize(
    ("turn", "kind"),
    [
        (breaks(chunk("x"), kind="internalServerException"), EventStreamError),
        (stalls(chunk("x")), ReadTimeoutError),
        (hangs_up(chunk("x")), ProtocolError),
    ],
    ids=["breaks", "stalls", "hangs up"],
)
def test_a_stream_can_end_badly(bedrock, client, turn, kind):
    bedrock.script(turn)
    with pytest.raises(kind):
        _events(client)


def test_a_drip_is_never_over_and_never_silent(bedrock, client):
    """No timeout of a single read ends it."""
    bedrock.script(drips(chunk("x")))
    stream = _invoke(client)["completion"]
    raw = stream._raw_stream.stream()
    assert all(next(raw) for _ in range(20))
    stream.close()


def test_silence_is_not_even_a_head(bedrock, client):
    bedrock.script(silence())
    with pytest.raises(Exception, match="Read timeout"):
        _invoke(client)


def test_agentcore_answers_with_any_body(bedrock, client):
    bedrock.script(answers("data: 1\n\n", "data: 2\n\n", content_type="text/event-stream"))
    response = client("bedrock-agentcore").invoke_agent_runtime(
        agentRuntimeArn=ARN, runtimeSessionId=SESSION, qualifier="prod", payload=b'{"prompt": "x"}'
    )
    assert response["contentType"] == "text/event-stream"
    assert response["runtimeSessionId"] == SESSION
    assert response["response"].read() == b"data: 1\n\ndata: 2\n\n"
    [asked] = bedrock.requests
    assert ARN in asked.path
    assert asked.query["qualifier"] == ["prod"]
    assert asked.json == {"prompt": "x"}


def test_a_request_without_a_turn_fails(bedrock, client):
    with pytest.raises(ClientError, match="at its end"):
        _invoke(client)


def test_an_unsigned_request_is_refused(bedrock):
    client = boto3.Session(region_name="us-east-1").client(
        "bedrock-agent-runtime", endpoint_url=bedrock.url, config=Config(signature_version=UNSIGNED)
    )
    with pytest.raises(ClientError, match="not signed"):
        client.invoke_agent(agentId="A", agentAliasId="B", sessionId=SESSION, inputText="x")
    assert bedrock.refusals == ["The request is not signed"]
