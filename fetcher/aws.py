"""AWS's clients, and what their failures mean. boto3 takes a second to import: only functions import it.

Credentials are found as AWS's own tools find them: the environment, profiles, and the endpoint that a
container's platform names. The metadata service is not asked, unless `AWS_EC2_METADATA_DISABLED=false` says
so in as many words, as it has to on EC2 and AgentCore.
"""

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum, auto
from functools import cache
from typing import Any, TypeVar

METADATA_SERVICE = "iam-role"
"""Botocore's name for the search on the metadata service."""
DEFAULT_REGION = "ap-northeast-1"
CONNECT_SECONDS = 5
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0
_chance = random.SystemRandom()
"""Processes that were started from one image must not all wait for the same time."""

T = TypeVar("T")


class AwsFault(Enum):
    """What went wrong with a call of AWS."""

    INVALID = auto()
    NOT_FOUND = auto()
    SETUP = auto()
    """Credentials, permissions or parameters are wrong."""
    QUOTA = auto()
    THROTTLED = auto()
    SERVICE = auto()
    TIMED_OUT = auto()
    DISCONNECTED = auto()
    UNKNOWN = auto()


FAULTS = {
    "ValidationException": AwsFault.INVALID,
    "ResourceNotFoundException": AwsFault.NOT_FOUND,
    "AccessDeniedException": AwsFault.SETUP,
    "ExpiredTokenException": AwsFault.SETUP,
    "InvalidSignatureException": AwsFault.SETUP,
    "UnauthorizedException": AwsFault.SETUP,
    "UnrecognizedClientException": AwsFault.SETUP,
    "NoCredentialsError": AwsFault.SETUP,
    "ParamValidationError": AwsFault.SETUP,
    "PartialCredentialsError": AwsFault.SETUP,
    "ServiceQuotaExceededException": AwsFault.QUOTA,
    "Throttling": AwsFault.THROTTLED,
    "ThrottlingException": AwsFault.THROTTLED,
    "ThrottledException": AwsFault.THROTTLED,
    "RequestThrottled": AwsFault.THROTTLED,
    "RequestThrottledException": AwsFault.THROTTLED,
    "RequestLimitExceeded": AwsFault.THROTTLED,
    "SlowDown": AwsFault.THROTTLED,
    "TooManyRequestsException": AwsFault.THROTTLED,
    "RequestTimeout": AwsFault.TIMED_OUT,
    "RequestTimeoutException": AwsFault.TIMED_OUT,
    "InternalServerException": AwsFault.SERVICE,
    "ServiceUnavailableException": AwsFault.SERVICE,
    "BadGatewayException": AwsFault.SERVICE,
    "DependencyFailedException": AwsFault.SERVICE,
    "ModelNotReadyException": AwsFault.SERVICE,
    "ConflictException": AwsFault.SERVICE,
    "RetryableConflictException": AwsFault.SERVICE,
    "RuntimeClientError": AwsFault.SERVICE,
}
"""By the service's error code or botocore's exception; for other codes the HTTP status decides."""
PASSING = frozenset({AwsFault.THROTTLED, AwsFault.SERVICE, AwsFault.TIMED_OUT, AwsFault.DISCONNECTED})
"""Faults after which the same call may succeed."""


NO_CREDENTIALS = (
    "there are no AWS credentials: run `aws configure`, set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY; for the role of an instance (EC2, AgentCore) set AWS_EC2_METADATA_DISABLED=false"
)
SIGN_IN = "the AWS sign-in has expired: run `aws sso login`, or get new keys"
WRONG_KEYS = (
    "AWS does not accept the credentials: check AWS_PROFILE or the keys, and the clock of this machine"
)
UNREACHABLE = "AWS cannot be reached: check the network, HTTPS_PROXY and AWS_REGION_NAME"
ADVICE = {
    "NoCredentialsError": NO_CREDENTIALS,
    "PartialCredentialsError": NO_CREDENTIALS,
    "CredentialRetrievalError": NO_CREDENTIALS,
    "ProfileNotFound": "AWS_PROFILE names a profile that ~/.aws/config does not have",
    "ConfigParseError": "~/.aws/config, or the file of AWS_CONFIG_FILE, is not a file of AWS's settings",
    "SSOTokenLoadError": SIGN_IN,
    "TokenRetrievalError": SIGN_IN,
    "UnauthorizedSSOTokenError": SIGN_IN,
    "ExpiredToken": SIGN_IN,
    "ExpiredTokenException": SIGN_IN,
    "UnrecognizedClientException": WRONG_KEYS,
    "InvalidSignatureException": WRONG_KEYS,
    "InvalidClientTokenId": WRONG_KEYS,
    "AccessDeniedException": "the AWS identity lacks the right for this call: see docs/deploy.md",
    "NoRegionError": "set AWS_REGION_NAME",
    "EndpointConnectionError": UNREACHABLE,
    "ConnectTimeoutError": UNREACHABLE,
    "ConnectionClosedError": UNREACHABLE,
    "ProxyConnectionError": "the proxy of HTTPS_PROXY cannot be reached",
}
"""What people can do, by the service's error code or botocore's exception."""


class AwsFailed(Exception):
    """A call of AWS failed. Its text is a name and our advice, and safe to log."""

    def __init__(self, fault: AwsFault, name: str, *, words: str | None = None) -> None:
        super().__init__(f"{name}; {NO_CREDENTIALS}" if name == "NoCredentialsError" else name)
        self.fault = fault
        self.name = name
        """The service's error code, which may be empty, or the name of the package's exception."""
        self.words = words
        """The service's own message, which may quote anything; None if the service did not reply."""


def asks_metadata_service() -> bool:
    """Whether credentials of an instance's role may be looked for."""
    return os.environ.get("AWS_EC2_METADATA_DISABLED", "").lower() == "false"


@cache
def _data_loader(path: str | None) -> Any:
    """What reads AWS's descriptions of its services, once for all sessions: each takes megabytes of JSON."""
    from botocore.loaders import create_loader  # type: ignore[import-untyped]

    return create_loader(path)


def botocore_session() -> Any:
    """A session that looks for credentials where it may."""
    from botocore.session import Session  # type: ignore[import-untyped]

    session = Session()
    session.register_component("data_loader", _data_loader(session.get_config_variable("data_path")))
    if not asks_metadata_service():
        session.get_component("credential_provider").remove(METADATA_SERVICE)
    return session


def region_of(named: str, environ: Mapping[str, str] = os.environ) -> str:
    """The region that is named, else AWS's own: of its variables, of the profile. Botocore does not read
    `AWS_REGION`, which AWS's other tools do and which Lambda sets."""
    if own := named or environ.get("AWS_REGION", "") or environ.get("AWS_DEFAULT_REGION", ""):
        return own
    from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]

    try:
        return str(botocore_session().get_config_variable("region") or DEFAULT_REGION)
    except BotoCoreError:  # no such profile, or a broken file: told by the first call that needs credentials
        return DEFAULT_REGION


def call_until(until: float, call: Callable[..., T], **arguments: Any) -> T:
    """Call, and call again after passing faults until that time; between, pauses that grow and are random.

    Another try is expected to take as long as the one before: it begins only if it can be over by then. So a
    service that says no is asked often, and one that says nothing is not waited for twice. Raises AwsFailed.
    """
    longest = FIRST_PAUSE
    while True:
        began = time.monotonic()
        try:
            with translating():
                return call(**arguments)
        except AwsFailed as error:
            pause, now = _chance.uniform(longest / 2, longest), time.monotonic()
            if error.fault not in PASSING or now + pause + (now - began) > until:
                raise
        time.sleep(pause)
        longest = min(2 * longest, LONGEST_PAUSE)


def open_client(
    service: str,
    region: str,
    *,
    read_seconds: float,
    connect_seconds: float = CONNECT_SECONDS,
    endpoint_url: str = "",
    connections: int = 10,
) -> Any:
    """A client that tries once: its callers decide about retries. An empty region is AWS's to find."""
    import boto3  # type: ignore[import-untyped]
    from botocore.config import Config  # type: ignore[import-untyped]

    session = botocore_session()
    config = Config(
        retries={"total_max_attempts": 1, "mode": "standard"},
        connect_timeout=connect_seconds,
        read_timeout=read_seconds,
        max_pool_connections=connections,
        tcp_keepalive=True,
    )
    return boto3.Session(botocore_session=session).client(
        service,
        region_name=region_of(region),
        endpoint_url=endpoint_url or None,
        config=config,
    )


@contextmanager
def translating() -> Iterator[None]:
    """Turns every exception of AWS's packages into AwsFailed."""
    from botocore.eventstream import ParserError  # type: ignore[import-untyped]
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]
    from urllib3.exceptions import HTTPError

    try:
        yield
    except (BotoCoreError, ClientError, HTTPError, ParserError, ResponseParserError) as error:
        raise failure_of(error) from error


def failure_of(error: Exception) -> AwsFailed:
    """What an exception of AWS's packages means."""
    from botocore.exceptions import (
        BotoCoreError,
        ClientError,
        ConnectionError,  # noqa: A004 - botocore's, which is not an OSError
        HTTPClientError,
        ReadTimeoutError,
    )
    from urllib3.exceptions import ReadTimeoutError as StreamReadTimeoutError

    if isinstance(error, ClientError):
        told = error.response.get("Error", {})
        code = str(told.get("Code", ""))
        code = code[:1].upper() + code[1:]  # in the middle of a stream, codes begin with a small letter
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        by_status = AwsFault.SERVICE if status >= 500 else AwsFault.UNKNOWN
        fault = FAULTS.get(code) or (AwsFault.THROTTLED if status == 429 else by_status)
        return AwsFailed(fault, code, words=str(told.get("Message", "")))
    name = type(error).__name__
    if isinstance(error, ReadTimeoutError | StreamReadTimeoutError):
        return AwsFailed(AwsFault.TIMED_OUT, name)
    if isinstance(error, BotoCoreError) and not isinstance(error, HTTPClientError | ConnectionError):
        return AwsFailed(FAULTS.get(name, AwsFault.UNKNOWN), name)
    return AwsFailed(AwsFault.DISCONNECTED, name)
