"""The text and the files in what an agent on AgentCore Runtime answers with.

AgentCore prescribes no body. Agents answer with JSON of one of a few forms, with server-sent events whose
data is JSON, or with plain text. All are read here; a body of an unknown form is handed on as it is.
"""

import base64
import binascii
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fetcher.invoke.reply import ReplyFile

TEXT_KEYS = ("output", "result", "response", "answer", "completion", "message", "messages", "text", "content")
"""Keys under which agents put their text, the likeliest first."""
DEEPEST = 8


class BodyFailed(Exception):
    """The body says that the agent failed."""

    def __init__(self, code: str | None, *, busy: bool = False) -> None:
        super().__init__(code or "error")
        self.code = code
        self.busy = busy
        """Whether the agent says that it has not even begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyAnswer:
    text: str
    files: tuple[ReplyFile, ...] = ()


def read_body(content: bytes, content_type: str) -> BodyAnswer:
    """The answer in a body; raises BodyFailed."""
    text = content.decode(errors="replace")
    if content_type.partition(";")[0].strip().lower() == "text/event-stream":
        return BodyAnswer(text=_streamed_text(text))
    value = _json(text)
    _check(value)
    found = _text(value)
    files, artifacts = list[ReplyFile](), _inside(value, "result", "artifacts")
    for artifact in artifacts if isinstance(artifacts, list) else ():
        for part in artifact.get("parts", ()) if isinstance(artifact, dict) else ():
            if isinstance(part, dict) and part.get("kind") == "file":
                with suppress(binascii.Error, ValueError):  # not base64: it is left out
                    raw = base64.b64decode(str(part.get("contentBase64", "")), validate=True)
                    kind = str(part.get("mimeType", "application/octet-stream"))
                    files.append(
                        ReplyFile(name=str(part.get("fileName", "file")), mime_type=kind, content=raw)
                    )
    return BodyAnswer(text=text if found is None else found, files=tuple(files))


def _json(text: str) -> Any:
    """The value of a JSON text; any other text is a value itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _check(value: Any) -> None:
    """Raises BodyFailed if a value says that the agent failed."""
    error = value.get("error") if isinstance(value, dict) else None
    if error:
        code = _inside(error, "code") if isinstance(error, dict) else value.get("error_type")
        busy = _inside(error, "data", "reason") == "busy"  # in our own agent's words
        raise BodyFailed(None if code is None else str(code), busy=busy)


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
