"""A2A tasks: checked before they begin, told step by step, answered by artifacts, kept for a while.

Cancelling comes before everything else. The SDK hands a task's events on in the order of its queue, so a
cancelled run must put nothing more there: `TaskRun.ended` is set before the last event is put into the queue,
and checked before every other event.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import chain

from a2a.helpers import (
    get_message_text,
    new_data_part,
    new_raw_part,
    new_task_from_user_message,
    new_text_part,
)
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.context import ServerCallContext
from a2a.server.events import Event, EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskStore, TaskUpdater
from a2a.types import (
    GetTaskRequest,
    ListTasksRequest,
    ListTasksResponse,
    Message,
    Role,
    SendMessageRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import (
    ContentTypeNotSupportedError,
    InvalidParamsError,
    PushNotificationNotSupportedError,
    UnsupportedOperationError,
)
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]

from fetcher import wording
from fetcher.a2a import card
from fetcher.a2a.calls import CallFailed, InvalidParams
from fetcher.a2a.questions import QuestionAnswering
from fetcher.agent import Answer, AskRequest, Limits, Progress, Step, Turn
from fetcher.agent.remote.wire import (
    CONVERSATION,
    EXECUTION_RESPONSE,
    GENERATED_FILE,
    Malformed,
    details_of,
    request_of,
    texts_of,
)
from fetcher.agent.safety.allowed_links import only_urls
from fetcher.agent.safety.provenance import bounded_record
from fetcher.codes import AgentCode
from fetcher.wording.language import Language, speaking

TASKS_REMEMBERED = 20
"""How many earlier tasks of a conversation are looked at."""
SENTENCES: dict[Step, Callable[[Progress], str]] = {
    Step.SEARCHING: lambda progress: only_urls(wording.searched([progress.title]), ()),
    Step.FETCHING: lambda progress: wording.fetching(progress.url),
    Step.READING: lambda progress: wording.reading(only_urls(progress.title, ())),
    Step.THINKING: lambda _: wording.thinking(),
}
"""The steps that are told. What the model writes may still change, and is told as the answer."""
WORKING = frozenset({TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING})
FINISHED = frozenset(
    {
        TaskState.TASK_STATE_COMPLETED,
        TaskState.TASK_STATE_CANCELED,
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_REJECTED,
    }
)
MOST_BYTES = 64 * 1024 * 1024


@dataclass(slots=True)
class TaskRun:
    """A task that is being worked on."""

    updater: TaskUpdater
    language: Language = Language.JAPANESE
    ended: bool = False
    steps: "asyncio.Queue[Progress]" = field(default_factory=asyncio.Queue)

    async def tell_steps(self) -> None:
        while True:
            progress = await self.steps.get()
            if not self.ended and (sentence := SENTENCES.get(progress.step)):
                with speaking(self.language):
                    text = sentence(progress)
                await self.updater.start_work(self._message(text))
            self.steps.task_done()

    async def complete(self, answer: Answer) -> None:
        """Send the answer's artifacts: its text with the data to go with it, then its files."""
        await self.steps.join()
        texts = [new_text_part(text) for text in texts_of(answer)]
        artifacts = [(EXECUTION_RESPONSE, [*texts, new_data_part(details_of(answer))])]
        for file in answer.files:
            part = new_raw_part(file.content, file.mime_type, file.file_name)
            artifacts.append((GENERATED_FILE, [part]))
        for name, parts in artifacts:
            if not self.ended:
                await self.updater.add_artifact(parts, name=name)
        if not self.ended:
            self.ended = True
            await self.updater.complete()

    async def fail(self, failure: CallFailed) -> None:
        if not self.ended:
            self.ended = True
            busy = (failure.data or {}).get("reason") == "busy"
            end = self.updater.reject if busy else self.updater.failed
            await end(self._message(failure.message))

    async def cancel(self) -> None:
        if not self.ended:
            self.ended = True
            await self.updater.cancel()

    def _message(self, text: str) -> Message:
        return self.updater.new_agent_message([new_text_part(text)])


class AnswerExecutor(AgentExecutor):
    """Answers the questions of the SDK's tasks."""

    def __init__(self, answering: QuestionAnswering, store: TaskStore) -> None:
        self._answering = answering
        self._store = store
        self._running: dict[str, TaskRun] = {}

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.message is not None
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        run = TaskRun(TaskUpdater(event_queue, task.id, task.context_id))
        self._running[task.id] = run
        telling = asyncio.create_task(run.tell_steps())
        try:
            with self._answering.capacity.take():
                await run.updater.start_work()
                request = await self._request(context, context.message, task)
                run.language = request.language
                with speaking(run.language):
                    await run.complete(await self._answering.answer(request, run.steps.put_nowait))
        except CallFailed as failure:
            await run.fail(failure)
        finally:
            telling.cancel()
            del self._running[task.id]

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Put the last event; the SDK then cancels `execute`, and with it the work."""
        if run := self._running.get(context.task_id or ""):
            await run.cancel()

    async def _request(self, context: RequestContext, message: Message, task: Task) -> AskRequest:
        try:
            request = question_of(message, self._answering.limits)
        except Malformed as error:
            raise InvalidParams(card.invalid_params(), {"reason": str(error)}) from None
        request = replace(request, correlation_id=request.correlation_id or task.id)
        wanted = ListTasksRequest(context_id=task.context_id, page_size=TASKS_REMEMBERED)
        page = await self._store.list(wanted, context.call_context)
        latest_first = [other for other in page.tasks if other.id != task.id]
        records = (  # the data parts of earlier answers hold the URLs that were known then
            MessageToDict(part.data).get("known_urls", ())
            for other in latest_first
            for artifact in other.artifacts
            for part in artifact.parts
            if artifact.name == EXECUTION_RESPONSE and part.HasField("data")
        )
        known = bounded_record((*request.known_urls, *chain.from_iterable(records)))
        history: list[Turn] = []  # what was said in earlier tasks of the same conversation
        for other in reversed(latest_first):
            asked = (said for said in other.history if said.role == Role.ROLE_USER)
            history += [Turn(author="", text=get_message_text(said)) for said in asked]
            for artifact in other.artifacts:
                if artifact.name == EXECUTION_RESPONSE:
                    text = "\n\n".join(part.text for part in artifact.parts if part.text)
                    history.append(Turn(author="", text=text, ours=True))
        return replace(request, history=request.history or tuple(history), known_urls=known)


def question_of(message: Message, limits: Limits) -> AskRequest:
    """The question of a message, with the conversation in its metadata; raises Malformed."""
    metadata = MessageToDict(message.metadata)
    return request_of(get_message_text(message), metadata.get(CONVERSATION), limits)


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


class RecentTasks(TaskStore):
    """Forgets finished tasks, the oldest first, when there are too many or they are too large."""

    def __init__(self, most: int, most_bytes: int = MOST_BYTES) -> None:
        self._tasks = InMemoryTaskStore()
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._finished: OrderedDict[str, tuple[int, ServerCallContext]] = OrderedDict()

    async def save(self, task: Task, context: ServerCallContext) -> None:
        await self._tasks.save(task, context)
        if task.status.state in FINISHED:
            self._forget(task.id)
            self._finished[task.id] = task.ByteSize(), context
            self._bytes += task.ByteSize()
            # The newest stays, however large: its caller has yet to read it.
            while len(self._finished) > self._most or (
                self._bytes > self._most_bytes and len(self._finished) > 1
            ):
                oldest, (size, owner) = self._finished.popitem(last=False)
                self._bytes -= size
                await self._tasks.delete(oldest, owner)

    async def get(self, task_id: str, context: ServerCallContext) -> Task | None:
        return await self._tasks.get(task_id, context)

    async def list(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        return await self._tasks.list(params, context)

    async def delete(self, task_id: str, context: ServerCallContext) -> None:
        self._forget(task_id)
        await self._tasks.delete(task_id, context)

    def _forget(self, task_id: str) -> None:
        size, _ = self._finished.pop(task_id, (0, None))
        self._bytes -= size
