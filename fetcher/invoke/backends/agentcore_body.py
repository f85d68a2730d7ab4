"""The text and the files in what an agent on AgentCore Runtime answers with.

AgentCore prescribes no body. Agents answer with JSON of one of a few habits, with server-sent events whose
data is JSON, or with plain text. All are read here; a body of no known habit is handed on as it is.
"""

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fetcher.invoke.reply import ReplyFile

TEXT_KEYS = ("output", "result", "response", "answer", "completion", "message", "messages", "text", "content")
"""Where agents keep their text, the likeliest first."""
DEEPEST = 8


class BodyFailed(Exception):
    """The body says that the agent failed."""

    def __init__(self, code: str | None, *, busy: bool = False) -> None:
        super().__init__(code or "error")
        self.code = code
        self.busy = busy
        """Whether the agent says that it has not even begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    text: str
    files: tuple[ReplyFile, ...] = ()


def read_body(content: bytes, content_type: str) -> Answered:
    """The answer in a body; raises BodyFailed."""
    text = content.decode(errors="replace")
    if content_type.partition(";")[0].strip().lower() == "text/event-stream":
        return Answered(text=_streamed(list(_events(text))))
    value = _json(text)
    _check(value)
    found = _text(value)
    return Answered(text=text if found is None else found, files=tuple(_files(value)))


def _json(text: str) -> Any:
    """The value of a JSON text; any other text is a value itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _check(value: Any) -> None:
    error = value.get("error") if isinstance(value, dict) else None
    if error:
        code = error.get("code") if isinstance(error, dict) else value.get("error_type")
        raise BodyFailed(None if code is None else str(code), busy=_is_busy(error))


def _is_busy(error: Any) -> bool:
    """In our own agent's words."""
    data = error.get("data") if isinstance(error, dict) else None
    return isinstance(data, dict) and data.get("reason") == "busy"


def _text(value: Any, depth: int = 0) -> str | None:
    """The text in a value, or None if there is none that we know to be it."""
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


def _files(value: Any) -> Iterator[ReplyFile]:
    """The files of `execute_task`'s artifacts."""
    result = value.get("result") if isinstance(value, dict) else None
    artifacts = result.get("artifacts") if isinstance(result, dict) else None
    for artifact in artifacts if isinstance(artifacts, list) else ():
        for part in artifact.get("parts", ()) if isinstance(artifact, dict) else ():
            if isinstance(part, dict) and part.get("kind") == "file":
                yield from _file(part)


def _file(part: dict[str, Any]) -> Iterator[ReplyFile]:
    try:
        content = base64.b64decode(str(part.get("contentBase64", "")), validate=True)
    except (binascii.Error, ValueError):
        return
    mime_type = str(part.get("mimeType", "application/octet-stream"))
    yield ReplyFile(name=str(part.get("fileName", "file")), mime_type=mime_type, content=content)


def _events(text: str) -> Iterator[Any]:
    """The data of server-sent events."""
    for block in text.replace("\r\n", "\n").split("\n\n"):
        fields = (line.partition(":") for line in block.split("\n"))
        data = [value.removeprefix(" ") for name, _, value in fields if name == "data"]
        if data:
            yield _json("\n".join(data))


def _streamed(events: list[Any]) -> str:
    """The text of a stream: the model's own deltas, else its pieces, else a last event with the whole.

    Streams may say the same thing in all three ways, and it is to be read once.
    """
    for event in events:
        _check(event)
    deltas = [delta for event in events if (delta := _delta(event)) is not None]
    pieces = [piece for event in events if (piece := _piece(event)) is not None]
    wholes = [whole for event in events if (whole := _text(event)) is not None]
    return "".join(deltas or pieces or wholes[-1:])


def _delta(event: Any) -> str | None:
    """The text of a `contentBlockDelta`."""
    for key in ("event", "contentBlockDelta", "delta", "text"):
        event = event.get(key) if isinstance(event, dict) else None
    return event if isinstance(event, str) else None


def _piece(event: Any) -> str | None:
    piece = event.get("data") if isinstance(event, dict) else event
    return piece if isinstance(piece, str) else None
