"""uvicorn's HTTP/1.1 connection, with an end to waiting: a request has to arrive whole, and in time.

uvicorn limits only the pause between two requests. A client that sends half a head or half a body, or one
byte now and then, would keep a connection for ever. Here a request has some seconds to arrive, from the
connection or from its own first byte; a large one has a second more for every so many bytes.
"""

import asyncio
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 8.0
"""How long a request may take to arrive: ten seconds are promised, and a busy loop is late."""
SLOWEST_BYTES = 64 * 1024
"""Bytes that earn another second: a large body may come over a slow line."""
LATE = h11.Response(status_code=408, headers=[("content-length", "0"), ("connection", "close")])


class Connection(H11Protocol):
    """Closes the connection of a client that does not finish its request."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._received = 0
        """Bytes that have not yet earned a second."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self._wait(REQUEST_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)

    def handle_events(self) -> None:
        """uvicorn calls it for new bytes, and for those that came before the last response was out."""
        super().handle_events()
        state = self.conn.their_state
        # Between two requests uvicorn's own timer runs.
        between = self.timeout_keep_alive_task is not None and not self.conn.trailing_data[0]
        if state is not h11.SEND_BODY and (state is not h11.IDLE or between):
            self._stop_waiting()
        elif self._timer is None:
            self._wait(REQUEST_SECONDS)

    def _wait(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self._end_waiting)

    def _stop_waiting(self) -> None:
        self._received = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_waiting(self) -> None:
        """The time is up: close, unless we have not read what came, or the body has earned more time."""
        earned, self._received = divmod(self._received, SLOWEST_BYTES)
        if self.cycle is not None and not self.cycle.response_complete:
            if self.flow.read_paused or self.cycle.waiting_for_100_continue:
                self._wait(REQUEST_SECONDS)
                return
            if earned:
                self._wait(earned)
                return
        if self.cycle is not None:  # the application waits for the rest, and hears that nothing more comes
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        # A client that sent nothing gets no response: it would take it for the answer to its next request.
        begun = self.conn.their_state is h11.SEND_BODY or self.conn.trailing_data[0]
        if begun and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            for event in (LATE, h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def server_config(app: Any, **options: Any) -> uvicorn.Config:
    """How every server of this project serves: our connections, no lines and no headers of uvicorn's own."""
    return uvicorn.Config(
        app,
        loop="asyncio",
        http=Connection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        **options,
    )
