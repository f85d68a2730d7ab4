"""AgentCore's runtime API, called with boto3: one JSON-RPC body in, one out.

boto3 signs (SigV4), and is imported where it is first needed: it takes a second, and the Slack app must
acknowledge before that. Everything here blocks and is to be called in a thread.

RemoteFailed (an AgentError)
├── RemoteUnavailable   throttled, out of reach, too slow or broken: worth another try
└── RemoteRefused       the ARN, the permissions or the request are wrong: pointless to repeat
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from fetcher.agent.errors import AgentError
from fetcher.aws import botocore_session
from fetcher.codes import AgentCode

CONNECT_SECONDS = 5.0
MOST_AT_A_TIME = 32
"""Connections, and questions."""
LARGEST_REPLY = 64 * 1024 * 1024
PIECE = 256 * 1024
REFUSALS = frozenset(
    {
        "AccessDeniedException",
        "NoCredentialsError",
        "ParamValidationError",
        "PartialCredentialsError",
        "ResourceNotFoundException",
        "ServiceQuotaExceededException",
        "UnrecognizedClientException",
        "ValidationException",
    }
)
"""Errors of the service, or of botocore, that repeating does not mend."""


class RemoteFailed(AgentError):
    """The remote agent gave no answer."""


class RemoteUnavailable(RemoteFailed):
    def __init__(self, message: str) -> None:
        super().__init__(AgentCode.MODEL_UNAVAILABLE, message, retryable=True)


class RemoteRefused(RemoteFailed):
    def __init__(self, message: str) -> None:
        super().__init__(AgentCode.MODEL_REJECTED, message)


@dataclass(slots=True, kw_only=True)
class Runtime:
    """One agent on AgentCore; its client is opened by the first call."""

    arn: str
    region: str
    read_seconds: float
    """How long the service may be silent."""
    endpoint_url: str = ""
    """Another address of the service, such as a private endpoint's."""
    _client: Any = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def invoke(self, payload: bytes, session: str, seconds: float) -> bytes:
        """The reply to a body; raises RemoteFailed."""
        ends = time.monotonic() + seconds
        with _translated():
            reply = self._opened().invoke_agent_runtime(
                agentRuntimeArn=self.arn,
                runtimeSessionId=session,
                contentType="application/json",
                accept="application/json",
                payload=payload,
            )
            return _read(reply["response"], ends)

    def stop(self, session: str) -> None:
        """Ends what runs in a session; raises RemoteFailed."""
        with _translated():
            self._opened().stop_runtime_session(agentRuntimeArn=self.arn, runtimeSessionId=session)

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _opened(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = _open(self)
            return self._client


def _open(runtime: Runtime) -> Any:
    from boto3.session import Session  # type: ignore[import-untyped]
    from botocore.config import Config  # type: ignore[import-untyped]

    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=runtime.read_seconds,
        max_pool_connections=MOST_AT_A_TIME,
        # A question may take a minute, and whoever asked decides whether to ask again.
        retries={"total_max_attempts": 1, "mode": "standard"},
    )
    session = Session(botocore_session=botocore_session(), region_name=runtime.region)
    return session.client("bedrock-agentcore", endpoint_url=runtime.endpoint_url or None, config=config)


def _read(body: Any, ends: float) -> bytes:
    """All of a reply, in bounds: a read timeout alone never fires on a slow drip."""
    pieces, size = [], 0
    while piece := body.read(PIECE):
        size += len(piece)
        if size > LARGEST_REPLY:
            raise RemoteUnavailable(f"the reply has more than {LARGEST_REPLY} bytes")
        if time.monotonic() > ends:
            raise RemoteUnavailable("the reply took too long")
        pieces.append(piece)
    return b"".join(pieces)


@contextmanager
def _translated() -> Iterator[None]:
    """Whatever botocore raises, as our own errors; its texts may quote what is nobody's business."""
    from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

    try:
        yield
    except ClientError as error:
        raise _failure(error.response.get("Error", {}).get("Code", "unknown")) from None
    except BotoCoreError as error:
        raise _failure(type(error).__name__) from None


def _failure(name: str) -> RemoteFailed:
    return RemoteRefused(name) if name in REFUSALS else RemoteUnavailable(name)
