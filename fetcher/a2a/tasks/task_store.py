"""The newest tasks, in memory: a server that runs for months must not remember everything."""

from collections import OrderedDict

from a2a.server.context import ServerCallContext
from a2a.server.tasks import InMemoryTaskStore, TaskStore
from a2a.types import ListTasksRequest, ListTasksResponse, Task, TaskState

FINISHED = frozenset(
    {
        TaskState.TASK_STATE_COMPLETED,
        TaskState.TASK_STATE_CANCELED,
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_REJECTED,
    }
)
MOST_BYTES = 64 * 1024 * 1024


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
