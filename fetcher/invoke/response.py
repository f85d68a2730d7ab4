"""The objects that callers get: the document's success and error, and HTTP's envelope around them."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fetcher.invoke.errors import InvocationFailed
from fetcher.invoke.events import HTTP, EventSource
from fetcher.invoke.reply import AgentReply, Citation, ReplyFile, TokenUsage
from fetcher.text import well_formed

Body = dict[str, Any]

CONTENT_TYPE = "application/json; charset=utf-8"
LONGEST_ECHO = 64
"""Characters of an agentId that are given back, whatever was sent in its place."""
LARGEST_RESPONSE = 6 * 1024 * 1024 - 64 * 1024
"""Lambda returns no more than 6 MB; a little is left for what the platform adds."""
DISPENSABLE = ("trace", "files")
"""What goes first where an answer is too large."""
OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseMetadata:
    """What the metadata says of an invocation."""

    request_id: str
    moment: datetime
    agent_id: Any
    """As it was sent."""

    def metadata(self) -> Body:
        moment = self.moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        echo = {"agentId": self.agent_id[:LONGEST_ECHO]} if isinstance(self.agent_id, str) else {}
        return {"requestId": self.request_id, "timestamp": moment} | echo


def success(reply: AgentReply, stamp: ResponseMetadata, *, session_id: str, milliseconds: int) -> Body:
    """The AgentInvocationResponse."""
    metadata = stamp.metadata()
    agent = {"agentId": metadata.pop("agentId")}
    usage = {"tokenUsage": _usage(reply.usage)} if reply.usage else {}
    data = {"output": reply.output, "sessionId": reply.session_id or session_id} | dict(_extras(reply))
    return {
        "status": "success",
        "data": data,
        "metadata": metadata | {"executionTimeMs": milliseconds} | agent | usage,
    }


def error(failure: InvocationFailed, stamp: ResponseMetadata) -> Body:
    """The AgentInvocationError."""
    return {
        "status": "error",
        "errorType": failure.error_type,
        "errorMessage": failure.message,
        "errorCode": failure.code,
        "metadata": stamp.metadata(),
        "retryable": failure.retryable,
    }


def enveloped(body: Body, source: EventSource, status: int = OK) -> Body:
    """The object in the form that its source understands."""
    body = _sayable(body)
    if source not in HTTP:
        return body
    return {
        "statusCode": status,
        "headers": {"Content-Type": CONTENT_TYPE},
        "body": json.dumps(body, ensure_ascii=False),
        "isBase64Encoded": False,
    }


def _sayable(body: Body) -> Body:
    """The object without lone surrogates: JSON can bring them in, but the platform's UTF-8 not out."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return dict(json.loads(well_formed(json.dumps(body, ensure_ascii=False), "?")))
    return body


def fitted(body: Body, source: EventSource) -> tuple[Body, tuple[str, ...]]:
    """A success as large as Lambda can return, and what was left out of it for that."""
    left_out: tuple[str, ...] = ()
    for name in DISPENSABLE:
        if fits(enveloped(body, source)):
            break
        if name in body["data"]:
            data = {key: value for key, value in body["data"].items() if key != name}
            body, left_out = body | {"data": data}, (*left_out, name)
    return body, left_out


def fits(response: Body) -> bool:
    """Whether Lambda can return it; the platform's own JSON may escape all that is not ASCII."""
    return len(json.dumps(response)) <= LARGEST_RESPONSE


def _extras(reply: AgentReply) -> Iterator[tuple[str, Any]]:
    if reply.citations:
        yield "citations", [_citation(citation) for citation in reply.citations]
    if reply.trace:
        yield "trace", reply.trace
    if reply.files:
        yield "files", [_file(file) for file in reply.files]
    if reply.return_control:
        yield "returnControl", reply.return_control


def _citation(citation: Citation) -> Body:
    return {
        "text": citation.text,
        "sourceUrl": citation.source_url,
        "retrievedReferences": list(citation.references),
    }


def _file(file: ReplyFile) -> Body:
    content = base64.b64encode(file.content).decode("ascii")
    return {"fileName": file.name, "mimeType": file.mime_type, "contentBase64": content}


def _usage(usage: TokenUsage) -> Body:
    return {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens}
