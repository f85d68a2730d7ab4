"""The DevTools protocol over a pair of pipes: commands with answers, and events.

Messages are JSON, each followed by a zero byte. No port is opened, so no other program on the machine can
control the browser, and a browser whose pipe is closed ends by itself.
"""

import asyncio
import itertools
import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from fetcher.web.browser.process import Chromium

LONGEST_ESCAPE = 6
"""The bytes of JSON for one byte of a document: a control character is written as `\\u0001`."""
LONGEST_EVENT = 16 * 1024 * 1024
"""An event holds the whole request of a page, its body included; real pages send less."""

Params = dict[str, Any]
Handler = Callable[[Params], None]


class CommandFailed(Exception):
    """The browser answered a command with an error."""


class DevToolsPipe(asyncio.Protocol):
    """This program's end; `lost` is called once, with the reason, if the browser ends or sends too much.

    An answer may be as long as a document of `largest_document` bytes.
    """

    def __init__(self, lost: Callable[[str], None], *, largest_document: int) -> None:
        self._lost = lost
        self._longest_message = LONGEST_EVENT + largest_document * LONGEST_ESCAPE
        self._handlers: dict[tuple[str, str], Handler] = {}
        self._waiting: dict[int, asyncio.Future[Params]] = {}
        self._numbers = itertools.count(1)
        self._received = bytearray()
        self._searched = 0
        self._reason = "the browser's process ended"
        self._reading: asyncio.BaseTransport | None = None
        self._writing: asyncio.WriteTransport | None = None

    async def connect(self, chromium: Chromium) -> None:
        """Take over Chromium's descriptors; they are closed with the pipe."""
        loop = asyncio.get_running_loop()
        reading, writing = os.fdopen(chromium.reading, "rb", 0), os.fdopen(chromium.writing, "wb", 0)
        with ExitStack() as close_if_cancelled:
            close_if_cancelled.enter_context(reading)
            self._writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, writing)
            close_if_cancelled.pop_all()
        self._reading, _ = await loop.connect_read_pipe(lambda: self, reading)

    def on(self, event: str, handler: Handler, *, session: str = "") -> None:
        """Set the handler for an event of a session, or of the browser itself."""
        self._handlers[session, event] = handler

    async def call(self, method: str, params: Params | None = None, *, session: str = "") -> Params:
        """Send a command and wait for its answer, forever if the pipe is closed; raises CommandFailed."""
        number = self.send(method, params, session=session)
        answer: asyncio.Future[Params] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            return await answer
        finally:
            del self._waiting[number]

    def send(self, method: str, params: Params | None = None, *, session: str = "") -> int:
        """Send a command without waiting for its answer; return its number."""
        number = next(self._numbers)
        message: Params = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        if self._writing and not self._writing.is_closing():
            self._writing.write(json.dumps(message).encode() + b"\0")
        return number

    def close(self) -> None:
        self._handlers.clear()
        if self._reading:
            self._reading.close()
        if self._writing and not self._writing.is_closing():
            self._writing.abort()  # drops what is not sent yet

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(0, self._searched)) >= 0:
            message = json.loads(self._received[:end])
            del self._received[: end + 1]
            self._searched = 0
            if "id" in message:
                answer = self._waiting.get(message["id"])
                if answer is None or answer.done():
                    continue
                if "error" in message:
                    answer.set_exception(CommandFailed(message["error"].get("message", "")))
                else:
                    answer.set_result(message.get("result", {}))
            elif handler := self._handlers.get((message.get("sessionId", ""), message["method"])):
                handler(message.get("params", {}))
        self._searched = len(self._received)
        if self._searched > self._longest_message and self._reading:
            self._reason = "the page said too much at once"
            self._received.clear()
            self._reading.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._lost(self._reason)
