"""The document's own method: messages and a context in, messages and artifacts out (A1, A2)."""

from typing import Any, Literal
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fetcher.a2a import card
from fetcher.a2a.calls import InvalidParams, JsonRpcCall
from fetcher.agent import Answer, AskRequest, Limits, Turn
from fetcher.agent.remote.wire import (
    EXECUTION_RESPONSE,
    GENERATED_FILE,
    LONGEST_CORRELATION_ID,
    complaint,
    details_of,
    texts_of,
)
from fetcher.agent.safety.provenance import MOST_KNOWN, bounded_record

METHOD = "execute_task"


class _RequestPart(BaseModel):
    """A part of the request; fields that the document does not have are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class _Text(_RequestPart):
    type: Literal["text"]
    text: str


class _Message(_RequestPart):
    role: Literal["user", "agent", "assistant"]
    content: list[_Text] = Field(min_length=1)

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.content)


class _Context(_RequestPart):
    correlation_id: str = Field(default="", max_length=LONGEST_CORRELATION_ID)
    thread_ts: str | None = Field(default=None, max_length=64)
    known_urls: list[str] = Field(default_factory=list, max_length=MOST_KNOWN)
    """What the last answer's data part had under this name."""


class _Params(_RequestPart):
    messages: list[_Message] = Field(min_length=1)
    context: _Context | None = None


def request_of(call: JsonRpcCall, limits: Limits) -> AskRequest:
    """The question is the last message, and the conversation those before it; raises InvalidParams."""
    try:
        params = _Params.model_validate(call.params)
    except ValidationError as error:
        raise InvalidParams(card.invalid_params(), {"reason": complaint(error)}) from None
    *before, last = params.messages
    if last.role != "user":
        raise InvalidParams(card.invalid_params(), {"reason": "messages: the last one must be a user's"})
    context = params.context or _Context()
    return AskRequest(
        question=last.text,
        history=tuple(Turn(author="", text=said.text, ours=said.role != "user") for said in before),
        known_urls=bounded_record(context.known_urls),
        labelled=True,
        correlation_id=context.correlation_id or str(call.id)[:LONGEST_CORRELATION_ID],
        limits=limits,
    )


def result_of(answer: Answer) -> dict[str, Any]:
    """The document's messages, and artifacts with its keys for files."""
    texts = texts_of(answer)
    message = {"role": "agent", "content": [{"type": "text", "text": "\n\n".join(texts)}]}
    response: list[dict[str, Any]] = [
        *({"kind": "text", "text": text} for text in texts),
        {"kind": "data", "data": details_of(answer)},
    ]
    files = [
        _artifact(
            GENERATED_FILE,
            [
                {
                    "kind": "file",
                    "contentBase64": file.content_base64,
                    "fileName": file.file_name,
                    "mimeType": file.mime_type,
                }
            ],
        )
        for file in answer.files
    ]
    return {"messages": [message], "artifacts": [_artifact(EXECUTION_RESPONSE, response), *files]}


def _artifact(name: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"artifactId": str(uuid4()), "name": name, "parts": parts}
