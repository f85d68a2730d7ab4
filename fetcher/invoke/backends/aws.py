"""Opens AWS's clients, and says what their exceptions mean.

boto3 takes its time to import: only functions that need it do.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from fetcher import logs
from fetcher.aws import botocore_session
from fetcher.invoke.errors import (
    AgentNotFound,
    InvalidRequest,
    InvocationFailed,
    ServiceFailed,
    Throttled,
    TimedOut,
    Unclassified,
)

CONNECT_SECONDS = 5
READ_SECONDS = 65
"""Longer than any invocation: its own deadline comes first."""
DEFAULT_REGION = "ap-northeast-1"

MEANINGS: dict[str, type[InvocationFailed]] = {
    "ValidationException": InvalidRequest,
    "ResourceNotFoundException": AgentNotFound,
    "ThrottlingException": Throttled,
    "TooManyRequestsException": Throttled,
    "ServiceQuotaExceededException": Throttled,
    "InternalServerException": ServiceFailed,
    "ServiceUnavailableException": ServiceFailed,
    "BadGatewayException": ServiceFailed,
    "DependencyFailedException": ServiceFailed,
    "ModelNotReadyException": ServiceFailed,
    "ConflictException": ServiceFailed,
    "RetryableConflictException": ServiceFailed,
    "RuntimeClientError": ServiceFailed,
    "AccessDeniedException": Unclassified,
}
"""What AWS's error codes mean; of others, the status is judged."""

ADVICE: dict[type[InvocationFailed], str] = {
    InvalidRequest: "The service refused the request",
    AgentNotFound: "The agent or its alias does not exist. Check agentId, agentAliasId and the region.",
    Throttled: "Too many requests at the moment. Try again later, or raise the service's quota.",
    ServiceFailed: "The service failed. Try again later.",
    Unclassified: "The function may not invoke this agent, or is not set up for it. See its log.",
}


class KnowsWhetherBegun(Protocol):
    """Whoever knows whether the agent has begun to answer."""

    @property
    def begun(self) -> bool: ...


def open_client(service: str, region: str) -> Any:
    """A client that tries once: trying again is our own business. An empty region is AWS's to find."""
    import boto3  # type: ignore[import-untyped]
    from botocore.config import Config  # type: ignore[import-untyped]

    session = botocore_session()
    config = Config(
        retries={"total_max_attempts": 1},
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        tcp_keepalive=True,
    )
    region = region or session.get_config_variable("region") or DEFAULT_REGION
    return boto3.Session(botocore_session=session).client(service, region_name=region, config=config)


@contextlib.contextmanager
def translating(attached: KnowsWhetherBegun) -> Iterator[None]:
    """Turns whatever talking to AWS raises into an InvocationFailed."""
    from botocore.eventstream import ParserError  # type: ignore[import-untyped]
    from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
    from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]
    from urllib3.exceptions import HTTPError

    try:
        yield
    except (BotoCoreError, ClientError, HTTPError, ParserError, ResponseParserError) as error:
        raise translated(error, begun=attached.begun) from error


def translated(error: Exception, *, begun: bool = False) -> InvocationFailed:
    """What an exception of AWS's packages means to a caller."""
    from botocore.exceptions import (
        BotoCoreError,
        ClientError,
        ConnectionError,  # noqa: A004 - botocore's, which is no OSError
        HTTPClientError,
        ReadTimeoutError,
    )
    from urllib3.exceptions import ReadTimeoutError as StreamReadTimeoutError

    if isinstance(error, ClientError):
        return _refusal(error.response, begun)
    if isinstance(error, ReadTimeoutError | StreamReadTimeoutError):
        return TimedOut("The service stopped answering. Try again later.", begun=begun)
    if isinstance(error, BotoCoreError) and not isinstance(error, HTTPClientError | ConnectionError):
        return Unclassified(ADVICE[Unclassified], detail=type(error).__name__, begun=begun)
    message = "The connection to the service broke. Try again later."
    return ServiceFailed(message, detail=type(error).__name__, begun=begun)


def _refusal(response: dict[str, Any], begun: bool) -> InvocationFailed:
    told = response.get("Error", {})
    code = _capitalised(str(told.get("Code", "")))
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    kind = MEANINGS.get(code) or _by_status(status)
    words = logs.shortened(str(told.get("Message", "")))
    if kind is InvalidRequest:  # only AWS knows what is to be changed
        return kind(f"{ADVICE[kind]}: {words}", code=code, begun=begun)
    # Missing rights are named for the log; other messages may quote what the user or an action said.
    detail = words if kind is Unclassified else ""
    return kind(ADVICE[kind], code=code or None, detail=detail, begun=begun)


def _by_status(status: int) -> type[InvocationFailed]:
    if status == 429:
        return Throttled
    return ServiceFailed if status >= 500 else Unclassified


def _capitalised(code: str) -> str:
    """In the middle of a stream codes begin with a small letter; they are the same ones."""
    return code[:1].upper() + code[1:]


def hanging_up(body: Any) -> Callable[[], None]:
    """How to stop reading a stream from another thread.

    Closing it would wait for the read in progress; only urllib3's `shutdown` ends that, and botocore's
    streams keep the response that has it to themselves.
    """
    shutdown = getattr(getattr(body, "_raw_stream", None), "shutdown", None)

    def hang_up() -> None:
        with contextlib.suppress(OSError, ValueError):  # it has hung up by itself
            if shutdown:
                shutdown()

    return hang_up
