"""AgentCore's runtime API: one agent, called with boto3, which signs (SigV4)."""

import threading
from dataclasses import dataclass, field
from typing import Any

from fetcher.aws import open_client

SERVICE = "bedrock-agentcore"


@dataclass(slots=True, kw_only=True)
class AgentCoreClient:
    """One agent on AgentCore; the connection is opened by the first call.

    Every method blocks, and raises the exceptions of AWS's packages: call it inside `aws.translating`.
    """

    arn: str
    region: str
    read_seconds: float
    """How long the service may be silent."""
    qualifier: str = ""
    """The endpoint of the agent; AgentCore's DEFAULT where it is empty."""
    endpoint_url: str = ""
    """Another address of the service, such as a private endpoint's."""
    connections: int = 10
    _client: Any = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def invoke(self, payload: bytes, session: str, accept: str) -> dict[str, Any]:
        """Send one JSON body; the reply's body is a stream under `response`."""
        qualifier = {"qualifier": self.qualifier} if self.qualifier else {}
        reply: dict[str, Any] = self._connect().invoke_agent_runtime(
            agentRuntimeArn=self.arn,
            runtimeSessionId=session,
            contentType="application/json",
            accept=accept,
            payload=payload,
            **qualifier,
        )
        return reply

    def stop(self, session: str) -> None:
        """End what runs in a session."""
        self._connect().stop_runtime_session(agentRuntimeArn=self.arn, runtimeSessionId=session)

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connect(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = open_client(
                    SERVICE,
                    self.region,
                    read_seconds=self.read_seconds,
                    endpoint_url=self.endpoint_url,
                    connections=self.connections,
                )
            return self._client
