"""The SDK's request handler, with what only this agent can say of a message before a task is made of it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from a2a.server.context import ServerCallContext
from a2a.server.events import Event
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.types import Message, Role, SendMessageRequest, Task
from a2a.utils.errors import ContentTypeNotSupportedError, InvalidParamsError

from fetcher import messages_ja
from fetcher.a2a import card
from fetcher.a2a.executor import asked
from fetcher.agent import Limits
from fetcher.agent.remote.wire import Malformed
from fetcher.codes import AgentCode


class AskHandler(DefaultRequestHandler):
    """Takes questions: text, by a user."""

    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Message | Task:
        check(params.message)
        answer: Message | Task = await super().on_message_send(params, context)
        return answer

    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        check(params.message)
        async with aclosing(super().on_message_send_stream(params, context)) as events:
            async for event in events:
                yield event


def check(message: Message) -> None:
    """Raises the protocol's errors; fields that are missing altogether are the SDK's to find."""
    if any(part.WhichOneof("content") not in ("text", None) for part in message.parts):
        raise ContentTypeNotSupportedError(message=card.text_only())
    if message.role == Role.ROLE_AGENT:
        raise InvalidParamsError(message=card.invalid_params())
    try:
        request = asked(message, Limits())
    except Malformed as error:
        raise InvalidParamsError(message=card.invalid_params(), data={"reason": str(error)}) from None
    if message.parts and not request.question.strip():
        raise InvalidParamsError(message=messages_ja.note(AgentCode.EMPTY_QUESTION))
