"""Whatever AWS's packages raise has its meaning."""

import inspect

import boto3  # type: ignore[import-untyped]
import botocore.exceptions  # type: ignore[import-untyped]
import pytest
import urllib3.exceptions
from botocore.eventstream import ChecksumMismatch  # type: ignore[import-untyped]
from botocore.exceptions import ClientError, EventStreamError
from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]

from fetcher.aws import FAULTS, AwsFault, failure_of, open_client
from fetcher.invoke.backends.aws import MEANINGS, translated, translating
from fetcher.invoke.backends.contract import TimeLimit
from fetcher.invoke.response import (
    AgentNotFound,
    InvalidRequest,
    InvocationFailed,
    ServiceFailed,
    Throttled,
    TimedOut,
    Unclassified,
)

OPERATIONS = [
    ("bedrock-agent-runtime", "InvokeAgent"),
    ("bedrock-agentcore", "InvokeAgentRuntime"),
    ("bedrock-agentcore", "StopRuntimeSession"),
]


def _refused(code, status=400, message="m"):
    told = {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return translated(failure_of(ClientError(told, "InvokeAgent")))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("ResourceNotFoundException", AgentNotFound),
        ("ValidationException", InvalidRequest),
        ("ThrottlingException", Throttled),
        ("ServiceQuotaExceededException", Throttled),
        ("InternalServerException", ServiceFailed),
        ("DependencyFailedException", ServiceFailed),
        ("AccessDeniedException", Unclassified),
    ],
)
def test_error_codes_have_their_meaning(code, kind):
    failure = _refused(code)
    assert type(failure) is kind
    assert failure.code == code[0].upper() + code[1:]


@pytest.mark.parametrize(
    ("status", "kind"), [(429, Throttled), (500, ServiceFailed), (503, ServiceFailed), (418, Unclassified)]
)
def test_the_status_decides_about_unknown_codes(status, kind):
    assert type(_refused("Whatever", status)) is kind


@pytest.mark.parametrize(("service", "operation"), OPERATIONS)
def test_every_error_of_the_operations_has_a_meaning(service, operation):
    session = boto3.Session(region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    model = session.client(service).meta.service_model.operation_model(operation)
    assert {shape.name for shape in model.error_shapes} <= FAULTS.keys()


def test_every_fault_has_a_meaning():
    assert MEANINGS.keys() == set(AwsFault)


def test_only_what_the_caller_can_change_is_told_in_awss_own_words():
    """The rest may name roles and accounts: that is for the log."""
    assert "x is wrong" in _refused("ValidationException", message="x is wrong").message
    denied = _refused("AccessDeniedException", 403, "User arn:aws:sts::1:role/r is not authorized")
    assert "arn:" not in denied.message
    assert "arn:" in denied.detail
    for code in ("ValidationException", "DependencyFailedException", "ThrottlingException"):
        assert _refused(code, message="the user said so").detail == ""


def test_a_long_message_is_shortened():
    assert len(_refused("ValidationException", message="x" * 5000).message) < 400


@pytest.mark.parametrize(
    "error",
    [
        botocore.exceptions.EndpointConnectionError(endpoint_url="u"),
        botocore.exceptions.ConnectionClosedError(endpoint_url="u"),
        urllib3.exceptions.ProtocolError("e"),
        ChecksumMismatch(1, 2),
        ResponseParserError("e"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_broken_connection_is_tried_again(error):
    failure = translated(failure_of(error))
    assert isinstance(failure, ServiceFailed)
    assert failure.detail == type(error).__name__


@pytest.mark.parametrize(
    "error",
    [
        botocore.exceptions.ReadTimeoutError(endpoint_url="u"),
        urllib3.exceptions.ReadTimeoutError(None, "u", "m"),  # type: ignore[arg-type]
    ],
    ids=["before the stream", "in the stream"],
)
def test_a_service_that_falls_silent_is_a_timeout(error):
    assert isinstance(translated(failure_of(error)), TimedOut)


@pytest.mark.parametrize(
    "error",
    [
        botocore.exceptions.NoCredentialsError(),
        botocore.exceptions.NoRegionError(),
        botocore.exceptions.ParamValidationError(report="inputText: secret"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_mistake_in_the_setup_is_final_and_quotes_no_input(error):
    failure = translated(failure_of(error))
    assert isinstance(failure, Unclassified)
    assert "secret" not in failure.message + failure.detail


def _raised(kind):
    error = kind.__new__(kind)
    Exception.__init__(error, "m")
    if isinstance(error, ClientError):
        error.response = {}
    return error


FOREIGN = [
    kind
    for module in (botocore.exceptions, urllib3.exceptions)
    for kind in vars(module).values()
    if inspect.isclass(kind)
    and issubclass(kind, Exception)
    and not issubclass(kind, Warning)
    # `Exception` itself and urllib3's non-errors for its own users are not failures.
    and issubclass(kind, botocore.exceptions.BotoCoreError | ClientError | urllib3.exceptions.HTTPError)
]


def test_no_exception_of_the_packages_is_left_out():
    assert len(FOREIGN) > 100
    for kind in FOREIGN:
        with pytest.raises(InvocationFailed), translating(TimeLimit()):
            raise _raised(kind)


def test_an_exception_in_the_stream_knows_what_came_before_it():
    limit = TimeLimit()
    limit.begun = True
    with pytest.raises(Throttled) as caught, translating(limit):
        raise EventStreamError({"Error": {"Code": "throttlingException"}}, "InvokeAgent")
    assert not caught.value.retryable


def test_a_client_tries_once(monkeypatch):
    """Trying again is our own business."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    client = open_client("bedrock-agent-runtime", "us-east-1", read_seconds=1)
    assert client.meta.config.retries["total_max_attempts"] == 1
    assert client.meta.region_name == "us-east-1"


def test_no_metadata_service_is_asked_for_credentials(monkeypatch, tmp_path):
    """Without credentials a call fails at once, and nothing has left the machine."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_EC2_METADATA_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    client = open_client("bedrock-agent-runtime", "us-east-1", read_seconds=1)
    with pytest.raises(botocore.exceptions.NoCredentialsError) as raised:
        client.invoke_agent(agentId="ABCDE12345", agentAliasId="FGHIJ67890", sessionId="ss", inputText="x")
    assert "AWS_EC2_METADATA_DISABLED=false" in translated(failure_of(raised.value)).detail


@pytest.mark.parametrize(
    ("region", "environ", "expected"),
    [
        ("us-east-1", {"AWS_REGION": "us-west-2"}, "us-east-1"),
        ("", {"AWS_REGION": "us-west-2", "AWS_DEFAULT_REGION": "eu-west-1"}, "us-west-2"),
        ("", {"AWS_DEFAULT_REGION": "eu-west-1"}, "eu-west-1"),
        ("", {"AWS_PROFILE": "work"}, "eu-north-1"),
        ("", {}, "ap-northeast-1"),
    ],
)
def test_a_region_is_the_settings_or_what_awss_tools_find_or_tokyo(
    monkeypatch, tmp_path, region, environ, expected
):
    (tmp_path / "config").write_text("[profile work]\nregion = eu-north-1\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert open_client("bedrock-agent-runtime", region, read_seconds=1).meta.region_name == expected
