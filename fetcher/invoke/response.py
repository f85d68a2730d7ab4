"""What callers get: the errors, an agent's reply, the document's objects for both, and HTTP's envelope.

InvocationFailed
├── InvalidRequest   ValidationError   the caller has to change the request
├── AgentNotFound    AgentNotFound     the agent, alias or backend does not exist
├── Throttled        ThrottlingError   too many requests; tried again here
├── TimedOut         TimeoutError      the time is up; the caller may try again, this function does not
├── ServiceFailed    InternalError     the service failed; tried again here
└── Unclassified     UnknownError      everything else, misconfiguration included
"""

import base64
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar

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
BEGUN = "The agent had begun to answer or to act: asking again could do the same thing twice."


class InvocationFailed(Exception):
    """An invocation without an answer: whose fault it was, and whether to try again."""

    error_type: ClassVar[str]
    status: ClassVar[int]
    """The HTTP status that says the same."""
    transient: ClassVar[bool] = False
    """Whether trying again can help."""
    tried_again: ClassVar[bool] = False
    """Whether this function tries again itself, within the invocation."""

    def __init__(
        self, message: str, *, code: str | None = None, detail: str = "", begun: bool = False
    ) -> None:
        super().__init__(message)
        self.message = (
            f"{message.partition(' Try again')[0]} {BEGUN}" if begun and self.transient else message
        )
        self.code = code
        """AWS's own name for the error, where it has one."""
        self.detail = detail
        """For the log only."""
        self.begun = begun
        """Whether the agent had answered or acted already: then it is not asked again, by anyone."""

    @property
    def retryable(self) -> bool:
        """Whether the caller may try again."""
        return self.transient and not self.begun


class InvalidRequest(InvocationFailed):
    error_type = "ValidationError"
    status = 400


class AgentNotFound(InvocationFailed):
    error_type = "AgentNotFound"
    status = 404


class Throttled(InvocationFailed):
    error_type = "ThrottlingError"
    status = 429
    transient = True
    tried_again = True


class TimedOut(InvocationFailed):
    error_type = "TimeoutError"
    status = 504
    transient = True


class ServiceFailed(InvocationFailed):
    error_type = "InternalError"
    status = 500
    transient = True
    tried_again = True


class Unclassified(InvocationFailed):
    error_type = "UnknownError"
    status = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    text: str
    source_url: str
    """Empty if no reference has an address."""
    references: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFile:
    name: str
    mime_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReply:
    """An agent's whole answer."""

    output: str
    session_id: str | None = None
    """None if the backend did not name it."""
    citations: tuple[Citation, ...] = ()
    trace: dict[str, Any] = field(default_factory=dict)
    usage: tuple[int, int] | None = None
    """Tokens of input and of output."""
    files: tuple[ReplyFile, ...] = ()
    return_control: dict[str, Any] | None = None
    """What the caller has to do before the agent can go on."""
    missing: tuple[str, ...] = ()
    """Names of parts that the answer should have and lacks, for the log."""


def metadata(request_id: str, moment: datetime, agent_id: Any) -> Body:
    """The facts that every response carries; the agent's id is given back as it was sent."""
    stamp = moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    echo = {"agentId": agent_id[:LONGEST_ECHO]} if isinstance(agent_id, str) else {}
    return {"requestId": request_id, "timestamp": stamp} | echo


def success(reply: AgentReply, metadata: Body, *, session_id: str, milliseconds: int) -> Body:
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
    data |= {name: part for name, part in extras.items() if part}
    metadata = metadata | {"executionTimeMs": milliseconds}
    if reply.usage:
        inputs, outputs = reply.usage
        metadata["tokenUsage"] = {"inputTokens": inputs, "outputTokens": outputs}
    return {"status": "success", "data": data, "metadata": metadata}


def error(failure: InvocationFailed, metadata: Body) -> Body:
    """The AgentInvocationError."""
    return {
        "status": "error",
        "errorType": failure.error_type,
        "errorMessage": failure.message,
        "errorCode": failure.code,
        "metadata": metadata,
        "retryable": failure.retryable,
    }


def enveloped(body: Body, status: int = OK, *, http: bool) -> Body:
    """The object in the form that its source understands."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # JSON can bring lone surrogates in, and the platform's UTF-8 not out
        body = json.loads(well_formed(json.dumps(body, ensure_ascii=False), "?"))
    if not http:
        return body
    return {
        "statusCode": status,
        "headers": {"Content-Type": CONTENT_TYPE},
        "body": json.dumps(body, ensure_ascii=False),
        "isBase64Encoded": False,
    }


def fitted(body: Body, largest: int, *, http: bool) -> tuple[Body, tuple[str, ...]]:
    """A success in the form of its source, and the parts that were left out to make it small enough.

    Raises Unclassified if that is not enough. The platform's own JSON may escape all that is not ASCII.
    """
    answer, left_out = enveloped(body, http=http), tuple[str, ...]()
    for name in (name for name in DISPENSABLE if name in body["data"]):
        if len(json.dumps(answer)) <= largest:
            break
        data = {key: value for key, value in body["data"].items() if key != name}
        body, left_out = body | {"data": data}, (*left_out, name)
        answer = enveloped(body, http=http)
    if len(json.dumps(answer)) > largest:
        raise Unclassified("The agent's answer is larger than Lambda can return. Ask for less.")
    return answer, left_out
