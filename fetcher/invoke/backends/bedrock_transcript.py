"""Bedrock's stream of events, put together to one reply.

Text comes in chunks that may end in the middle of a character, so it is decoded once, at the end. Tokens
are counted where the model was called (`modelInvocationOutput`) and nowhere else: the sums that other
traces carry would count the same tokens again.
"""

import json
from collections.abc import Iterator
from typing import Any

from fetcher.invoke.reply import AgentReply, Citation, ReplyFile, TokenUsage

Event = dict[str, Any]

ADDRESSES = {
    "webLocation": "url",
    "confluenceLocation": "url",
    "sharePointLocation": "url",
    "salesforceLocation": "url",
    "googleDriveLocation": "url",
    "oneDriveLocation": "url",
    "s3Location": "uri",
    "kendraDocumentLocation": "uri",
}
"""Where a reference's location keeps its address."""
ACTIONS = ("actionGroupInvocationInput", "agentCollaboratorInvocationInput", "codeInterpreterInvocationInput")
"""What an agent may do besides reading and thinking."""
TOKENS = ("inputTokens", "outputTokens")


class BedrockTranscript:
    """Takes the events of one stream, in order."""

    def __init__(self) -> None:
        self.begun = False
        """Whether the agent has answered or acted: to ask it again could do a thing twice."""
        self._text: list[bytes] = []
        self._citations: list[Citation] = []
        self._files: list[ReplyFile] = []
        self._return_control: Event | None = None
        self._reasoning: list[str] = []
        self._queries: list[Event] = []
        self._actions: list[Event] = []
        self._failures: list[str] = []
        self._usages: dict[str, Event] = {}

    def add(self, event: Event) -> None:
        """Takes the next event; kinds that nobody knew when this was written are passed over."""
        takers = {
            "chunk": self._take_chunk,
            "files": self._take_files,
            "returnControl": self._take_return_control,
            "trace": self._take_trace,
        }
        for kind in takers.keys() & event.keys():
            takers[kind](event[kind])

    def reply(self, session_id: str | None) -> AgentReply:
        """The whole, once the stream is at its end."""
        output, sound = _decoded(b"".join(self._text))
        return AgentReply(
            output=output,
            session_id=session_id,
            citations=tuple(self._citations),
            trace=self._trace(),
            usage=self._usage(),
            files=tuple(self._files),
            return_control=self._return_control,
            missing=tuple(self._missing(session_id, sound)),
        )

    def _take_chunk(self, chunk: Event) -> None:
        self.begun = True
        self._text.append(chunk.get("bytes", b""))
        citations = chunk.get("attribution", {}).get("citations", ())
        self._citations.extend(map(_citation, citations))

    def _take_files(self, part: Event) -> None:
        self.begun = True
        for file in part.get("files", ()):
            content, kind = file.get("bytes", b""), file.get("type", "application/octet-stream")
            self._files.append(ReplyFile(name=file.get("name", "file"), mime_type=kind, content=content))

    def _take_return_control(self, payload: Event) -> None:
        self.begun = True
        self._return_control = _plain(payload)

    def _take_trace(self, part: Event) -> None:
        for trace in part.get("trace", {}).values():
            self._take_step(trace)

    def _take_step(self, trace: Event) -> None:
        """One of the kinds of traces: orchestration, pre- and post-processing, guardrail, failure, …"""
        if text := trace.get("rationale", {}).get("text"):
            self._reasoning.append(text)
        if reason := trace.get("failureReason"):
            self._failures.append(reason)
        self._take_invocation(trace.get("invocationInput", {}))
        if output := trace.get("modelInvocationOutput"):
            self._count(output)

    def _take_invocation(self, invocation: Event) -> None:
        if query := invocation.get("knowledgeBaseLookupInput"):
            self._queries.append(_plain(query))
        for kind in ACTIONS:
            if action := invocation.get(kind):
                self.begun = True
                self._actions.append(_plain(action))

    def _count(self, output: Event) -> None:
        """An output that comes again, word for word, is the same one."""
        if usage := output.get("metadata", {}).get("usage"):
            self._usages[json.dumps(output, sort_keys=True, default=str)] = usage

    def _usage(self) -> TokenUsage | None:
        if not self._usages:
            return None
        sums = [sum(usage.get(name, 0) for usage in self._usages.values()) for name in TOKENS]
        return TokenUsage(input_tokens=sums[0], output_tokens=sums[1])

    def _trace(self) -> Event:
        parts = {
            "reasoning": "\n".join(self._reasoning),
            "knowledgeBaseQueries": self._queries,
            "actions": self._actions,
            "failures": self._failures,
        }
        return {name: part for name, part in parts.items() if part}

    def _missing(self, session_id: str | None, sound: bool) -> Iterator[str]:
        if not self._text and self._return_control is None:
            yield "chunk"
        if session_id is None:
            yield "sessionId"
        if not sound:
            yield "valid UTF-8"


def _citation(citation: Event) -> Citation:
    references = tuple(_plain(reference) for reference in citation.get("retrievedReferences", ()))
    return Citation(
        text=citation.get("generatedResponsePart", {}).get("textResponsePart", {}).get("text", ""),
        source_url=next(filter(None, map(_address, references)), ""),
        references=references,
    )


def _address(reference: Event) -> str:
    location = reference.get("location", {})
    found = (location.get(kind, {}).get(name, "") for kind, name in ADDRESSES.items())
    return next(filter(None, found), "")


def _decoded(content: bytes) -> tuple[str, bool]:
    """The text, and whether it was sound."""
    try:
        return content.decode(), True
    except UnicodeDecodeError:
        return content.decode(errors="replace"), False


def _plain(value: Event) -> Event:
    """The same as JSON has it: no moments in time, no bytes."""
    return dict(json.loads(json.dumps(value, default=str)))
