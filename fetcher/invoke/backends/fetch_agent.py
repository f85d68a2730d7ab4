"""The backend that is this project's own agent, in the same process.

A question here stands alone: what a session said before is kept nowhere. The agent is opened for each
question, since its connections belong to the event loop of one.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fetcher.event_loop_thread import EventLoopThread
from fetcher.invoke.backends.contract import AgentCall
from fetcher.invoke.errors import InvalidRequest, TimedOut
from fetcher.invoke.reply import AgentReply, Citation, ReplyFile, TokenUsage
from fetcher.invoke.time_limit import TimeLimit

if TYPE_CHECKING:
    from fetcher.agent import Agent, Answer, Limits, Source, Usage

AGENT_SHARE = 0.9
"""The part of the time after which the agent itself comes to an end, with what it has."""

Opener = Callable[[], "tuple[Agent, Limits]"]


def open_from_environment() -> "tuple[Agent, Limits]":
    """The agent of this process's settings, and what a question may cost."""
    from fetcher import configuration
    from fetcher.agent import limits_of, open_agent
    from fetcher.parameters import with_parameters

    environ = with_parameters(os.environ)
    settings = configuration.load_agent(environ)
    return open_agent(settings, configuration.load(environ)), limits_of(settings)


class FetchAgent:
    """Answers questions about pages."""

    def __init__(self, opener: Opener = open_from_environment) -> None:
        self._opener = opener

    def invoke(self, call: AgentCall, limit: TimeLimit) -> AgentReply:
        """The agent's answer; raises InvocationFailed, and ConfigurationError."""
        from fetcher.agent import QuestionRejected

        loop = EventLoopThread("agent")
        try:
            return _reply(loop.submit(self._ask(call)).result(), call.session_id)
        except QuestionRejected as error:
            raise InvalidRequest(f"Invalid inputText. {error.message}.") from error
        except TimeoutError as error:
            raise TimedOut("The agent did not answer in time. Try again with a larger timeout.") from error
        finally:
            # Do not wait: an agent that gave its model up may have left a thread that still imports the SDK.
            loop.stop()

    async def _ask(self, call: AgentCall) -> "Answer":
        from fetcher.agent import AskRequest

        agent, limits = self._opener()
        seconds = min(limits.seconds, AGENT_SHARE * call.seconds)
        request = AskRequest(
            question=call.request.input_text,
            correlation_id=call.request_id,
            limits=replace(limits, seconds=seconds),
        )
        try:
            async with asyncio.timeout(call.seconds):
                return await agent.ask(request)
        finally:
            await agent.aclose()


def _reply(answer: "Answer", session_id: str) -> AgentReply:
    from fetcher.agent import links_of, only_links

    return AgentReply(
        output=only_links("\n\n".join([answer.text.rstrip(), *answer.undone]), links_of(answer)),
        session_id=session_id,
        citations=tuple(map(_citation, answer.sources)),
        usage=_usage(answer.usage),
        files=tuple(
            ReplyFile(name=file.file_name, mime_type=file.mime_type, content=file.content)
            for file in answer.files
        ),
    )


def _citation(source: "Source") -> Citation:
    """In the form that Bedrock gives to pages of the web."""
    location: dict[str, Any] = {"type": "WEB", "webLocation": {"url": source.url}}
    return Citation(text=source.title, source_url=source.url, references=({"location": location},))


def _usage(usage: "Usage") -> TokenUsage | None:
    if not usage.calls:
        return None
    read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    return TokenUsage(input_tokens=read, output_tokens=usage.output_tokens)
