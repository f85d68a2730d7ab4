"""A server whose answers are a script of turns, one for each request; every request is kept."""

import threading
from abc import abstractmethod
from collections import deque
from collections.abc import AsyncGenerator
from typing import Generic, TypeVar

from tests.fakes.conversation import Conversation, send
from tests.fakes.http_request import HttpRequest, read_request
from tests.fakes.server import FakeServer, Memory

Asked = TypeVar("Asked")
Turn = TypeVar("Turn")

LAST_CHUNK = b"0\r\n\r\n"


class ScriptedServer(FakeServer, Generic[Asked, Turn]):
    """The base of fakes with a script; what a request and a turn are is theirs."""

    def __init__(self, *memories: Memory) -> None:
        self.refusals: list[str] = []
        """Why requests were refused, in order."""
        self._turns: deque[Turn] = deque()
        self._requests: list[Asked] = []
        self._arrival = threading.Condition()
        super().__init__(self.refusals, self._turns, self._requests, *memories)

    @property
    def requests(self) -> list[Asked]:
        return list(self._requests)

    @property
    def turns_left(self) -> int:
        return len(self._turns)

    def script(self, *turns: Turn) -> None:
        """Adds turns to what will be answered."""
        self._turns.extend(turns)

    def wait_until_asked(self, number: int = 1, within: float = 60) -> bool:
        """Whether so many requests have come within some seconds."""
        with self._arrival:
            return self._arrival.wait_for(lambda: len(self._requests) >= number, within)

    async def _attend(self, conversation: Conversation) -> None:
        asked = self._understood(await read_request(conversation.reader))
        with self._arrival:
            self._requests.append(asked)
            self._arrival.notify_all()
        await send(self._answer(asked), conversation)

    @abstractmethod
    def _understood(self, request: HttpRequest) -> Asked:
        """The request as it is kept."""

    @abstractmethod
    def _answer(self, asked: Asked) -> AsyncGenerator[bytes, None]:
        """The bytes of the next turn."""
