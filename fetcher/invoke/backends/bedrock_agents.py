"""The backend for Bedrock Agents: `invoke_agent`, and its stream of events put together to one reply.

Text comes in chunks that may end in the middle of a character, so it is decoded once, at the end. Tokens
are counted where the model was called (`modelInvocationOutput`) and nowhere else: the sums that other
traces carry would count the same tokens again.
"""

import contextlib
import functools
import json
from typing import Any

from fetcher.aws import open_client
from fetcher.invoke.backends.aws import READ_SECONDS, hanging_up, translating
from fetcher.invoke.backends.contract import AgentCall, TimeLimit
from fetcher.invoke.response import AgentReply, Citation, ReplyFile

Event = dict[str, Any]

SERVICE = "bedrock-agent-runtime"
ALIASES = {"DRAFT": "TSTALIASID"}
"""The working draft is a version; the alias that leads to it is Bedrock's test alias."""
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
"""The field of a reference's location that holds its address."""
ACTIONS = ("actionGroupInvocationInput", "agentCollaboratorInvocationInput", "codeInterpreterInvocationInput")
"""Actions of an agent besides reading and thinking."""
TOKENS = ("inputTokens", "outputTokens")


class BedrockAgents:
    """Agents of one region; the client is opened for the first of them."""

    def __init__(self, region: str = "") -> None:
        self._region = region

    @functools.cached_property
    def _client(self) -> Any:
        return open_client(SERVICE, self._region, read_seconds=READ_SECONDS)

    def invoke(self, call: AgentCall, limit: TimeLimit) -> AgentReply:
        """The agent's answer; raises InvocationFailed."""
        request, transcript = call.request, BedrockTranscript(limit)
        with translating(limit):
            response = self._client.invoke_agent(
                agentId=request.agent_id,
                agentAliasId=ALIASES.get(request.agent_alias_id, request.agent_alias_id),
                sessionId=call.session_id,
                inputText=request.input_text,
                enableTrace=True,  # only traces tell the number of tokens
            )
            with contextlib.closing(response["completion"]) as stream:
                limit.attach(hanging_up(stream))
                for event in stream:
                    transcript.add(event)
        return transcript.reply(response.get("sessionId"))


class BedrockTranscript:
    """Takes the events of one stream, in order."""

    def __init__(self, limit: TimeLimit) -> None:
        self._limit = limit
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
        """Take the next event; kinds that were unknown when this was written are ignored."""
        if not event.keys().isdisjoint(("chunk", "citation", "files", "returnControl")):
            self._limit.begun = True
        chunk = event.get("chunk")
        if chunk is not None:
            self._text.append(chunk.get("bytes", b""))
            self._citations += map(_citation, chunk.get("attribution", {}).get("citations", ()))
        if cited := event.get("citation"):  # as `RetrieveAndGenerateStream` has it, in both of its forms
            self._citations.append(_citation(cited.get("citation") or cited))
        for file in event.get("files", {}).get("files", ()):
            content, kind = file.get("bytes", b""), file.get("type", "application/octet-stream")
            self._files.append(ReplyFile(name=file.get("name", "file"), mime_type=kind, content=content))
        if "returnControl" in event:
            self._return_control = _plain(event["returnControl"])
        # One trace for each kind: orchestration, pre- and post-processing, guardrail, failure, …
        for trace in event.get("trace", {}).get("trace", {}).values():
            self._add_trace(trace)

    def reply(self, session_id: str | None) -> AgentReply:
        """The whole reply, once the stream is at its end."""
        content = b"".join(self._text)
        output = content.decode(errors="replace")
        checks = {
            "chunk": self._text or self._return_control is not None,
            "sessionId": session_id is not None,
            "valid UTF-8": output.encode() == content,
        }
        trace = {
            "reasoning": "\n".join(self._reasoning),
            "knowledgeBaseQueries": self._queries,
            "actions": self._actions,
            "failures": self._failures,
        }
        inputs, outputs = (sum(usage.get(name, 0) for usage in self._usages.values()) for name in TOKENS)
        return AgentReply(
            output=output,
            session_id=session_id,
            citations=tuple(self._citations),
            trace={name: part for name, part in trace.items() if part},
            usage=(inputs, outputs) if self._usages else None,
            files=tuple(self._files),
            return_control=self._return_control,
            missing=tuple(name for name, present in checks.items() if not present),
        )

    def _add_trace(self, trace: Event) -> None:
        if text := trace.get("rationale", {}).get("text"):
            self._reasoning.append(text)
        if reason := trace.get("failureReason"):
            self._failures.append(reason)
        invocation = trace.get("invocationInput", {})
        if query := invocation.get("knowledgeBaseLookupInput"):
            self._queries.append(_plain(query))
        for action in filter(None, map(invocation.get, ACTIONS)):
            self._limit.begun = True
            self._actions.append(_plain(action))
        output = trace.get("modelInvocationOutput") or {}
        if usage := output.get("metadata", {}).get("usage"):
            # An output that comes again, word for word, is the same one, and counts once.
            self._usages[json.dumps(output, sort_keys=True, default=str)] = usage


def _citation(cited: Event) -> Citation:
    """A citation with the address of its first reference that has one."""
    references = tuple(_plain(reference) for reference in cited.get("retrievedReferences", ()))
    places = [reference.get("location", {}) for reference in references]
    urls = (place.get(kind, {}).get(name, "") for place in places for kind, name in ADDRESSES.items())
    text = cited.get("generatedResponsePart", {}).get("textResponsePart", {}).get("text", "")
    return Citation(text=text, source_url=next(filter(None, urls), ""), references=references)


def _plain(value: Event) -> Event:
    """The value as JSON has it: without moments in time and bytes."""
    return dict(json.loads(json.dumps(value, default=str)))
