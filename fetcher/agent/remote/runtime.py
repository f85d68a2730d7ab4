"""Calls to the remote agent: one JSON-RPC body in, one out. Everything here blocks: call it in a thread.

RemoteFailed (an AgentError)
├── RemoteUnavailable   throttled, out of reach, too slow or broken: worth another try
└── RemoteRefused       the ARN, the permissions or the request are wrong: pointless to repeat
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from fetcher import aws
from fetcher.agent.errors import AgentError
from fetcher.agentcore import AgentCoreClient
from fetcher.aws import AwsFault
from fetcher.codes import AgentCode

MOST_AT_A_TIME = 32
"""Connections, and questions."""
LARGEST_REPLY = 64 * 1024 * 1024
PIECE = 256 * 1024
REFUSALS = frozenset({AwsFault.INVALID, AwsFault.NOT_FOUND, AwsFault.SETUP, AwsFault.QUOTA})
"""Failures that a second try does not mend."""


class RemoteFailed(AgentError):
    """The remote agent gave no answer."""


class RemoteUnavailable(RemoteFailed):
    def __init__(self, message: str) -> None:
        super().__init__(AgentCode.MODEL_UNAVAILABLE, message, retryable=True)


class RemoteRefused(RemoteFailed):
    def __init__(self, message: str) -> None:
        super().__init__(AgentCode.MODEL_REJECTED, message)


class Runtime:
    """One agent on AgentCore, called with our own errors and bounds."""

    def __init__(self, client: AgentCoreClient) -> None:
        self._client = client
        self.close = client.close

    def invoke(self, payload: bytes, session: str, seconds: float) -> bytes:
        """The reply to a body; raises RemoteFailed. A read timeout alone never fires on a slow drip."""
        ends = time.monotonic() + seconds
        pieces, size = [], 0
        with _translating():
            body = self._client.invoke(payload, session, "application/json")["response"]
            while piece := body.read(PIECE):
                size += len(piece)
                if size > LARGEST_REPLY:
                    raise RemoteUnavailable(f"the reply has more than {LARGEST_REPLY} bytes")
                if time.monotonic() > ends:
                    raise RemoteUnavailable("the reply took too long")
                pieces.append(piece)
        return b"".join(pieces)

    def stop(self, session: str) -> None:
        """End what runs in a session; raises RemoteFailed."""
        with _translating():
            self._client.stop(session)


@contextmanager
def _translating() -> Iterator[None]:
    """Turns failures of AWS into our own errors, which carry a name and not the service's words."""
    try:
        with aws.translating():
            yield
    except aws.AwsFailed as failure:
        kind = RemoteRefused if failure.fault in REFUSALS else RemoteUnavailable
        raise kind(str(failure) or "unknown") from None
