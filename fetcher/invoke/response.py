"""The objects that callers get: the document's success and error, and HTTP's envelope around them."""

import base64
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fetcher.invoke.errors import InvocationFailed
from fetcher.invoke.events import HTTP, EventSource
from fetcher.invoke.reply import AgentReply
from fetcher.text import well_formed

Body = dict[str, Any]

CONTENT_TYPE = "application/json; charset=utf-8"
LONGEST_ECHO = 64
"""Characters of an agentId that are given back; any text may have been sent in its place."""
LARGEST_RESPONSE = 6 * 1024 * 1024 - 64 * 1024
"""Lambda returns no more than 6 MB; a little is left for what the platform adds."""
LARGEST_RECORD = 512 * 1024
"""The answer to an event goes to a queue, in one message of at most 1 MiB with the event itself."""
DISPENSABLE = ("trace", "files")
"""Parts that are left out first if an answer is too large."""
OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseMetadata:
    """The facts of an invocation that every response carries."""

    request_id: str
    moment: datetime
    agent_id: Any
    """As it was sent."""

    def metadata(self) -> Body:
        moment = self.moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        echo = {"agentId": self.agent_id[:LONGEST_ECHO]} if isinstance(self.agent_id, str) else {}
        return {"requestId": self.request_id, "timestamp": moment} | echo


def success(reply: AgentReply, stamp: ResponseMetadata, *, session_id: str, milliseconds: int) -> Body:
    """The AgentInvocationResponse; parts that the reply does not have are left out."""
    data: Body = {"output": reply.output, "sessionId": reply.session_id or session_id}
    extras: Body = {
        "citations": [
            {"text": cited.text, "sourceUrl": cited.source_url, "retrievedReferences": list(cited.references)}
            for cited in reply.citations
        ],
        "trace": reply.trace,
        "files": [
            {
                "fileName": file.name,
                "mimeType": file.mime_type,
                "contentBase64": base64.b64encode(file.content).decode("ascii"),
            }
            for file in reply.files
        ],
        "returnControl": reply.return_control,
    }
    metadata = stamp.metadata()
    agent_id = metadata.pop("agentId")
    metadata |= {"executionTimeMs": milliseconds, "agentId": agent_id}
    if reply.usage:
        tokens = {"inputTokens": reply.usage.input_tokens, "outputTokens": reply.usage.output_tokens}
        metadata["tokenUsage"] = tokens
    data |= {name: part for name, part in extras.items() if part}
    return {"status": "success", "data": data, "metadata": metadata}


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
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # JSON can bring lone surrogates in, and the platform's UTF-8 not out
        body = json.loads(well_formed(json.dumps(body, ensure_ascii=False), "?"))
    if source not in HTTP:
        return body
    return {
        "statusCode": status,
        "headers": {"Content-Type": CONTENT_TYPE},
        "body": json.dumps(body, ensure_ascii=False),
        "isBase64Encoded": False,
    }


def fitted(body: Body, source: EventSource) -> tuple[Body, tuple[str, ...]]:
    """A success small enough for Lambda, and the names of the parts that were left out for that."""
    left_out: tuple[str, ...] = ()
    for name in DISPENSABLE:
        if fits(enveloped(body, source), source):
            break
        if name in body["data"]:
            data = {key: value for key, value in body["data"].items() if key != name}
            body, left_out = body | {"data": data}, (*left_out, name)
    return body, left_out


def fits(response: Body, source: EventSource) -> bool:
    """Whether Lambda can return it; the platform's own JSON may escape all that is not ASCII."""
    largest = LARGEST_RECORD if source is EventSource.EVENTBRIDGE else LARGEST_RESPONSE
    return len(json.dumps(response)) <= largest
