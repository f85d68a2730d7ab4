"""The backend that is this project's own agent, in the same process.

Sessions have no history here: each question stands alone. The agent is opened for each question, since its
connections belong to the event loop of that question.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from fetcher.event_loop_thread import EventLoopThread
from fetcher.invoke.backends.contract import AgentCall, TimeLimit
from fetcher.invoke.response import AgentReply, Citation, InvalidRequest, ReplyFile, TimedOut
from fetcher.startup.parameters import SecretEnvironment

if TYPE_CHECKING:
    from fetcher.agent import Agent, Answer, Limits

AGENT_SHARE = 0.9
"""The part of the time after which the agent itself stops, and answers with what it has."""

OpenAgent = Callable[[], "tuple[Agent, Limits]"]


def open_from_environment() -> "tuple[Agent, Limits]":
    """Open the agent of this process's settings; also what a question may cost."""
    from fetcher import configuration
    from fetcher.agent import limits_of, open_agent

    environ = _secrets().current()
    settings = configuration.load_agent(environ)
    return open_agent(settings, configuration.load_unattended(environ)), limits_of(settings)


@cache
def _secrets() -> SecretEnvironment:
    """The environment of all questions; AWS limits how often parameters are read."""
    return SecretEnvironment(os.environ)


class FetchAgent:
    """Answers questions about pages."""

    def __init__(self, open_agent: OpenAgent = open_from_environment) -> None:
        self._open_agent = open_agent

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

        agent, limits = self._open_agent()
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
    from fetcher import wording
    from fetcher.agent import links_of, only_links

    used = answer.usage
    searched = [wording.searched(answer.searches)] if answer.searches else []
    inputs = used.input_tokens + used.cache_read_tokens + used.cache_write_tokens
    return AgentReply(
        output=only_links("\n\n".join([answer.text.rstrip(), *answer.undone, *searched]), links_of(answer)),
        session_id=session_id,
        citations=tuple(
            Citation(
                text=source.title,
                source_url=source.url,
                # In the form that Bedrock gives to pages of the web.
                references=({"location": {"type": "WEB", "webLocation": {"url": source.url}}},),
            )
            for source in answer.sources
        ),
        usage=(inputs, used.output_tokens) if used.calls else None,
        files=tuple(
            ReplyFile(name=file.file_name, mime_type=file.mime_type, content=file.content)
            for file in answer.files
        ),
    )
