"""Our server around an executor that does what the protocol's compatibility kit expects of an agent.

`python -m tests.fakes.a2a_sut --port N` starts it. The kit says by the beginning of a message's id what is
to happen; everything else that it looks at (routes, errors, streams, the task store) is the server that
users run. The card is the protocol's own, for the kit takes no field besides.
"""

import argparse
import asyncio
import signal
from collections.abc import Awaitable, Callable

from a2a.helpers import (
    new_data_part,
    new_raw_part,
    new_task_from_user_message,
    new_text_message,
    new_text_part,
    new_url_part,
)
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Part
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]

from fetcher.a2a.application import ServerSettings, assemble
from fetcher.a2a.questions import Capacity, QuestionAnswering
from fetcher.a2a.server import LoadedApp, Server, ServerApp
from fetcher.a2a.settings import A2ASettings
from fetcher.a2a.tasks import RecentTasks
from fetcher.agent import Answer, Limits
from fetcher.clock import SystemClock
from fetcher.serving import listen
from fetcher.settings import AgentSettings

LONG = 4.0
"""Seconds that the task takes to which the kit subscribes anew."""
FILE = b"Contents of output.txt"
Scenario = Callable[[TaskUpdater], Awaitable[None]]


def _artifact(*parts: Part) -> Scenario:
    async def scenario(updater: TaskUpdater) -> None:
        await updater.start_work()
        await updater.add_artifact(list(parts))
        await updater.complete()

    return scenario


async def _complete(updater: TaskUpdater) -> None:
    await updater.complete(updater.new_agent_message([new_text_part("Hello from TCK")]))


async def _chunked(updater: TaskUpdater) -> None:
    await updater.start_work()
    await updater.add_artifact([new_text_part("chunk-1 ")], artifact_id="chunked", last_chunk=False)
    last = [new_text_part("chunk-2")]
    await updater.add_artifact(last, artifact_id="chunked", append=True, last_chunk=True)
    await updater.complete()


async def _ask_back(updater: TaskUpdater) -> None:
    await updater.requires_input(updater.new_agent_message([new_text_part("Input is needed")]))


async def _reject(updater: TaskUpdater) -> None:
    await updater.reject(updater.new_agent_message([new_text_part("rejected")]))


async def _take_long(updater: TaskUpdater) -> None:
    await updater.start_work()
    await asyncio.sleep(LONG)
    await updater.complete()


SCENARIOS: dict[str, Scenario] = {
    "tck-artifact-file-url": _artifact(
        new_url_part("https://example.com/output.txt", "text/plain", "output.txt")
    ),
    "tck-artifact-file": _artifact(new_raw_part(FILE, "text/plain", "output.txt")),
    "tck-artifact-text": _artifact(new_text_part("Generated text content")),
    "tck-artifact-data": _artifact(new_data_part({"key": "value", "count": 42})),
    "tck-input-required": _ask_back,
    "tck-reject-task": _reject,
    "tck-stream-artifact-chunked": _chunked,
    "tck-stream-artifact-file": _artifact(new_raw_part(FILE, "text/plain", "output.txt")),
    "tck-stream-artifact-text": _artifact(new_text_part("Streamed text content")),
    "tck-stream-ordering-001": _artifact(new_text_part("Ordered output")),
    "tck-stream-001": _artifact(new_text_part("Stream hello from TCK")),
    "tck-stream-002": _complete,
    "tck-stream-003": _artifact(new_text_part("Stream task lifecycle")),
    "test-resubscribe-message-id": _take_long,
}
"""By the beginning of the message's id; of two that fit the one that comes first."""
MESSAGE_ONLY = "tck-message-response"


class KitExecutor(AgentExecutor):
    """Does what the kit's scenarios say; tasks that they do not name are completed."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message = context.message
        assert message is not None
        if message.message_id.startswith(MESSAGE_ONLY):
            await event_queue.enqueue_event(
                new_text_message("Direct message response", context_id=context.context_id)
            )
            return
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(message)
            await event_queue.enqueue_event(task)
        fitting = (do for prefix, do in SCENARIOS.items() if message.message_id.startswith(prefix))
        await next(fitting, _complete)(TaskUpdater(event_queue, task.id, task.context_id))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.task_id
        assert context.context_id
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


class EmptyAgent:
    """Answers `execute_task`, which the kit does not know."""

    async def ask(self, request: object, on_progress: object = None) -> Answer:
        return Answer(text="")

    async def aclose(self) -> None:
        pass


def sut(port: int, capacity: Capacity) -> LoadedApp:
    """The application that the kit tests."""
    server_settings = ServerSettings(
        settings=A2ASettings(), agent_settings=AgentSettings(), port=port, local=True
    )
    card = server_settings.card
    del card.supported_interfaces[1:]  # 1.0 alone: the fields of 0.3 are strangers to the kit
    answering = QuestionAnswering(agent=EmptyAgent(), capacity=capacity, limits=Limits())
    return assemble(server_settings, answering, RecentTasks(1000), KitExecutor(), card, MessageToDict(card))


async def main(port: int) -> None:
    listener = listen("127.0.0.1", port)
    capacity = Capacity(8, SystemClock())
    app = ServerApp(sut(listener.getsockname()[1], capacity), capacity, 1)
    await Server(app, listener, 1).run(signals=(signal.SIGINT, signal.SIGTERM))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    asyncio.run(main(parser.parse_args().port))
