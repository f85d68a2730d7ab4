"""The backend for agents on AgentCore Runtime, and the text and the files in what they answer with.

AgentCore prescribes no body. Agents answer with JSON of one of a few forms, with server-sent events whose
data is JSON, or with plain text. All are read here; a body of an unknown form is handed on as it is.
"""

import base64
import binascii
import contextlib
import json
from typing import Any

from fetcher.agentcore import AgentCoreClient
from fetcher.invoke.backends.aws import READ_SECONDS, hanging_up, translating
from fetcher.invoke.backends.contract import AgentCall, TimeLimit
from fetcher.invoke.response import AgentReply, ReplyFile, ServiceFailed, Throttled
from fetcher.invoke.settings import AgentCoreRuntime

ACCEPTED = "application/json, text/event-stream"
TEXT_KEYS = ("output", "result", "response", "answer", "completion", "message", "messages", "text", "content")
"""Keys under which agents put their text, the likeliest first."""
DEEPEST = 8


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
        body: dict[str, Any] = {"prompt": call.request.input_text, "sessionId": call.session_id}
        if self._protocol != "http":  # our own agent: an A2A call
            asked = {"role": "user", "content": [{"type": "text", "text": call.request.input_text}]}
            params = {"messages": [asked], "context": {"correlation_id": call.request_id}}
            body = {"jsonrpc": "2.0", "method": "execute_task", "id": call.session_id, "params": params}
        payload = json.dumps(body, ensure_ascii=False).encode()
        with translating(limit):
            response = self._client.invoke(payload, call.session_id, ACCEPTED)
            limit.begun = True  # an agent that has sent the head of a body
            with contextlib.closing(response["response"]) as stream:
                limit.attach(hanging_up(stream))
                content = stream.read()
        text, files = read_body(content, response.get("contentType", ""))
        session_id = response.get("runtimeSessionId")
        parts = {"sessionId": session_id, "output": text}
        return AgentReply(
            output=text,
            session_id=session_id,
            files=files,
            missing=tuple(name for name, part in parts.items() if not part),
        )


def read_body(content: bytes, content_type: str) -> tuple[str, tuple[ReplyFile, ...]]:
    """The text and the files in a body; raises InvocationFailed."""
    text = content.decode(errors="replace")
    if content_type.partition(";")[0].strip().lower() == "text/event-stream":
        return _streamed_text(text), ()
    value = _json(text)
    _check(value)
    found = _text(value)
    files, artifacts = list[ReplyFile](), _inside(value, "result", "artifacts")
    for artifact in artifacts if isinstance(artifacts, list) else ():
        for part in artifact.get("parts", ()) if isinstance(artifact, dict) else ():
            if isinstance(part, dict) and part.get("kind") == "file":
                with contextlib.suppress(binascii.Error, ValueError):  # not base64: it is left out
                    raw = base64.b64decode(str(part.get("contentBase64", "")), validate=True)
                    kind = str(part.get("mimeType", "application/octet-stream"))
                    files.append(
                        ReplyFile(name=str(part.get("fileName", "file")), mime_type=kind, content=raw)
                    )
    return (text if found is None else found), tuple(files)


def _json(text: str) -> Any:
    """The value of a JSON text; any other text is a value itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _check(value: Any) -> None:
    """Raises InvocationFailed if a value says that the agent failed."""
    error = value.get("error") if isinstance(value, dict) else None
    if not error:
        return
    found = _inside(error, "code") if isinstance(error, dict) else value.get("error_type")
    code = None if found is None else str(found)
    if _inside(error, "data", "reason") == "busy":  # our own agent has not even begun
        raise Throttled("The agent is busy. Try again later.", code=code)
    raise ServiceFailed("The agent answered with an error. See the agent's log.", code=code, begun=True)


def _inside(value: Any, *keys: str) -> Any:
    """The value behind some keys, or None."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any, depth: int = 0) -> str | None:
    """The text in a value, or None if no known key leads to one."""
    if isinstance(value, str):
        return value
    if depth == DEEPEST:
        return None
    if isinstance(value, list):
        texts = [text for item in value if (text := _text(item, depth + 1)) is not None]
        return "".join(texts) if texts else None
    if isinstance(value, dict):
        found = (_text(value[key], depth + 1) for key in TEXT_KEYS if key in value)
        return next((text for text in found if text is not None), None)
    return None


def _streamed_text(text: str) -> str:
    """The text of server-sent events: the model's deltas, else its pieces, else the last event's whole text.

    Streams may say the same thing in all three ways, and it is to be read once.
    """
    events = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        fields = (line.partition(":") for line in block.split("\n"))
        if data := [value.removeprefix(" ") for name, _, value in fields if name == "data"]:
            events.append(_json("\n".join(data)))
    for event in events:
        _check(event)
    deltas = [_inside(event, "event", "contentBlockDelta", "delta", "text") for event in events]
    pieces = [event.get("data") if isinstance(event, dict) else event for event in events]
    wholes = [whole for event in events if (whole := _text(event)) is not None]
    found = ([text for text in texts if isinstance(text, str)] for texts in (deltas, pieces))
    return "".join(next(filter(None, found), wholes[-1:]))
