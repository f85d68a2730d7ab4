"""The backend for agents on AgentCore Runtime: `invoke_agent_runtime` and whatever body they answer with."""

import contextlib
import functools
import json
from dataclasses import dataclass
from typing import Any

from fetcher.invoke.backends.agentcore_body import BodyFailed, read_body
from fetcher.invoke.backends.aws import hanging_up, open_client, translating
from fetcher.invoke.backends.contract import AgentCall
from fetcher.invoke.errors import InvocationFailed, ServiceFailed, Throttled
from fetcher.invoke.reply import AgentReply
from fetcher.invoke.settings import AgentCoreRuntime
from fetcher.invoke.time_limit import TimeLimit

SERVICE = "bedrock-agentcore"
ACCEPTED = "application/json, text/event-stream"


class AgentCore:
    """One runtime; the client is opened for its first invocation."""

    def __init__(self, settings: AgentCoreRuntime) -> None:
        self._settings = settings

    @functools.cached_property
    def _client(self) -> Any:
        return open_client(SERVICE, self._settings.region)

    def invoke(self, call: AgentCall, leash: TimeLimit) -> AgentReply:
        """The agent's answer; raises InvocationFailed."""
        body = _Body()
        with translating(body):
            response = self._client.invoke_agent_runtime(**self._parameters(call))
            body.begun = True
            with contextlib.closing(response["response"]) as stream:
                leash.attach(hanging_up(stream))
                body.content = stream.read()
        return _reply(body.content, response)

    def _parameters(self, call: AgentCall) -> dict[str, Any]:
        payload = PAYLOADS[self._settings.protocol](call)
        parameters = {
            "agentRuntimeArn": self._settings.runtime_arn,
            "runtimeSessionId": call.session_id,
            "contentType": "application/json",
            "accept": ACCEPTED,
            "payload": json.dumps(payload, ensure_ascii=False).encode(),
        }
        return parameters | ({"qualifier": self._settings.qualifier} if self._settings.qualifier else {})


@dataclass(slots=True)
class _Body:
    """What has come of a body; an agent that sends the head of one is at work."""

    begun: bool = False
    content: bytes = b""


def _reply(content: bytes, response: dict[str, Any]) -> AgentReply:
    session_id = response.get("runtimeSessionId")
    missing = () if session_id else ("sessionId",)
    try:
        answer = read_body(content, response.get("contentType", ""))
    except BodyFailed as error:
        raise _failure(error) from error
    return AgentReply(
        output=answer.text,
        session_id=session_id,
        files=answer.files,
        missing=missing if answer.text else (*missing, "output"),
    )


def _failure(error: BodyFailed) -> InvocationFailed:
    if error.busy:
        return Throttled("The agent is busy. Try again later.", code=error.code)
    return ServiceFailed(
        "The agent answered with an error. See the agent's log.", code=error.code, begun=True
    )


def _prompt(call: AgentCall) -> dict[str, Any]:
    """What agents that speak HTTP take by convention."""
    return {"prompt": call.request.input_text, "sessionId": call.session_id}


def _execute_task(call: AgentCall) -> dict[str, Any]:
    """What our own agent takes, on the A2A port."""
    content = [{"type": "text", "text": call.request.input_text}]
    return {
        "jsonrpc": "2.0",
        "method": "execute_task",
        "id": call.session_id,
        "params": {
            "messages": [{"role": "user", "content": content}],
            "context": {"correlation_id": call.request_id},
        },
    }


PAYLOADS = {"http": _prompt, "a2a": _execute_task}
