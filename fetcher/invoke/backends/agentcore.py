"""The backend for agents on AgentCore Runtime."""

import contextlib
import json
from dataclasses import dataclass
from typing import Any

from fetcher.agentcore import AgentCoreClient
from fetcher.invoke.backends.agentcore_body import BodyFailed, read_body
from fetcher.invoke.backends.aws import READ_SECONDS, hanging_up, translating
from fetcher.invoke.backends.contract import AgentCall
from fetcher.invoke.errors import ServiceFailed, Throttled
from fetcher.invoke.reply import AgentReply
from fetcher.invoke.settings import AgentCoreRuntime
from fetcher.invoke.time_limit import TimeLimit

ACCEPTED = "application/json, text/event-stream"


@dataclass(slots=True)
class _Progress:
    """An agent that has sent the head of a body has begun to work."""

    begun: bool = False


class AgentCore:
    """One runtime; the connection is opened for its first invocation."""

    def __init__(self, settings: AgentCoreRuntime) -> None:
        self._protocol = settings.protocol
        self._client = AgentCoreClient(
            arn=settings.runtime_arn,
            region=settings.region,
            qualifier=settings.qualifier,
            read_seconds=READ_SECONDS,
        )

    def invoke(self, call: AgentCall, limit: TimeLimit) -> AgentReply:
        """The agent's answer; raises InvocationFailed."""
        progress = _Progress()
        body: dict[str, Any] = {"prompt": call.request.input_text, "sessionId": call.session_id}
        if self._protocol != "http":  # our own agent: an A2A call
            asked = {"role": "user", "content": [{"type": "text", "text": call.request.input_text}]}
            params = {"messages": [asked], "context": {"correlation_id": call.request_id}}
            body = {"jsonrpc": "2.0", "method": "execute_task", "id": call.session_id, "params": params}
        payload = json.dumps(body, ensure_ascii=False).encode()
        with translating(progress):
            response = self._client.invoke(payload, call.session_id, ACCEPTED)
            progress.begun = True
            with contextlib.closing(response["response"]) as stream:
                limit.attach(hanging_up(stream))
                content = stream.read()
        try:
            answer = read_body(content, response.get("contentType", ""))
        except BodyFailed as error:
            if error.busy:
                raise Throttled("The agent is busy. Try again later.", code=error.code) from error
            message = "The agent answered with an error. See the agent's log."
            raise ServiceFailed(message, code=error.code, begun=True) from error
        session_id = response.get("runtimeSessionId")
        parts = {"sessionId": session_id, "output": answer.text}
        return AgentReply(
            output=answer.text,
            session_id=session_id,
            files=answer.files,
            missing=tuple(name for name, part in parts.items() if not part),
        )
