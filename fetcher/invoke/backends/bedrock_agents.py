"""The backend for Bedrock Agents: `invoke_agent` and its stream of events."""

import contextlib
import functools
from typing import Any

from fetcher.aws import open_client
from fetcher.invoke.backends.aws import READ_SECONDS, hanging_up, translating
from fetcher.invoke.backends.bedrock_transcript import BedrockTranscript
from fetcher.invoke.backends.contract import AgentCall
from fetcher.invoke.reply import AgentReply
from fetcher.invoke.time_limit import TimeLimit

SERVICE = "bedrock-agent-runtime"
ALIASES = {"DRAFT": "TSTALIASID"}
"""The working draft is a version; the alias that leads to it is Bedrock's test alias."""


class BedrockAgents:
    """Agents of one region; the client is opened for the first of them."""

    def __init__(self, region: str = "") -> None:
        self._region = region

    @functools.cached_property
    def _client(self) -> Any:
        return open_client(SERVICE, self._region, read_seconds=READ_SECONDS)

    def invoke(self, call: AgentCall, limit: TimeLimit) -> AgentReply:
        """The agent's answer; raises InvocationFailed."""
        request, transcript = call.request, BedrockTranscript()
        with translating(transcript):
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
