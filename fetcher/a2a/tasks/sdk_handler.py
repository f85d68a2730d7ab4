"""The SDK's request handler, with this agent's checks of a message before it becomes a task."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from a2a.server.context import ServerCallContext
from a2a.server.events import Event
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.types import GetTaskRequest, Message, Role, SendMessageRequest, Task, TaskState
from a2a.utils.errors import (
    ContentTypeNotSupportedError,
    InvalidParamsError,
    PushNotificationNotSupportedError,
    UnsupportedOperationError,
)

from fetcher import wording
from fetcher.a2a import card
from fetcher.a2a.tasks.executor import question_of
from fetcher.agent import Limits
from fetcher.agent.remote.wire import Malformed
from fetcher.codes import AgentCode

WORKING = frozenset({TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING})


class AskHandler(DefaultRequestHandler):
    """Takes questions: text, by a user."""

    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Message | Task:
        await self._check(params, context)
        answer: Message | Task = await super().on_message_send(params, context)
        return answer

    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        await self._check(params, context)
        async with aclosing(super().on_message_send_stream(params, context)) as events:
            async for event in events:
                yield event

    async def _check(self, params: SendMessageRequest, context: ServerCallContext) -> None:
        check(params.message)
        if params.configuration.HasField("task_push_notification_config"):
            raise PushNotificationNotSupportedError  # the caller would wait for a call that never comes
        if params.message.task_id:
            task = await self.on_get_task(GetTaskRequest(id=params.message.task_id), context)
            # The SDK would ask a second question when the first is answered, in a task that has ended.
            if task is not None and task.status.state in WORKING:
                raise UnsupportedOperationError(message=card.still_working())


def check(message: Message) -> None:
    """Raises the protocol's errors; the SDK itself finds fields that are missing altogether."""
    if any(part.WhichOneof("content") not in ("text", None) for part in message.parts):
        raise ContentTypeNotSupportedError(message=card.text_only())
    if message.role not in (Role.ROLE_USER, Role.ROLE_UNSPECIFIED):  # a number may be of no role at all
        raise InvalidParamsError(message=card.invalid_params())
    try:
        request = question_of(message, Limits())
    except Malformed as error:
        raise InvalidParamsError(message=card.invalid_params(), data={"reason": str(error)}) from None
    if message.parts and not request.question.strip():
        raise InvalidParamsError(message=wording.note(AgentCode.EMPTY_QUESTION))
