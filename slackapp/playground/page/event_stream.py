"""The page's server-sent events.

The id of an event names the run of the server and the number of the record. A page that reconnects with an id
of this run gets the events that it missed, as long as they are still kept. With any other id it is told to
start again from a snapshot.
"""

import json
import re
import secrets
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from slackapp.playground.activity_log import END, ActivityLog
from slackapp.playground.values import Json

MAX_EVENTS = 2_000
HEARTBEAT_SECONDS = 15.0
RESET = b"event: reset\ndata: {}\n\n"
HEARTBEAT = b": still here\n\n"

PageRecord = Callable[[Json], Json | None]
"""Turns a record of the activity log into the page's form; None when the page does not get it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    number: int
    text: bytes


class EventStream:
    """Keeps the last events and streams them to any number of pages, until the activity log is closed."""

    def __init__(
        self,
        activity: ActivityLog,
        page_record: PageRecord,
        *,
        max_events: int = MAX_EVENTS,
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
    ) -> None:
        self.run = secrets.token_hex(4)
        self._changed = activity.changed
        self._page_record = page_record
        self._heartbeat_seconds = heartbeat_seconds
        self._events: deque[Event] = deque(maxlen=max_events)
        self._closed = False
        with self._changed:
            self._forgotten = self._last = activity.last_number
            """Events up to the forgotten number are no longer kept."""
            activity.subscribe(self._append)

    @property
    def position(self) -> str:
        """The id of the last event."""
        with self._changed:
            return f"{self.run}-{self._last}"

    def stream(self, position: str) -> Iterator[bytes]:
        """The events after a position, and then every new event."""
        run, _, digits = position.partition("-")
        valid = run == self.run and re.fullmatch("[0-9]{1,15}", digits)
        number = int(digits) if valid else None
        yield b"retry: 1000\n\n" if number is not None else RESET
        while number is not None:
            number, text = self._wait_for_events(number)
            yield text

    def _wait_for_events(self, number: int) -> tuple[int | None, bytes]:
        """The last number and the text of the events up to it; None for the number ends the stream."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or number != self._last, self._heartbeat_seconds)
            if self._closed:
                return None, b""
            if not self._forgotten <= number <= self._last:
                return None, RESET
            texts = [event.text for event in self._events if event.number > number]
            return self._last, b"".join(texts) or HEARTBEAT

    def _append(self, record: Json) -> None:
        """Writes the record as text at once, under the lock: it may hold values that change later."""
        self._closed = self._closed or record["type"] == END
        shown = self._page_record(record)
        if shown is None:
            return
        number = record["number"]
        if len(self._events) == self._events.maxlen:
            self._forgotten = self._events[0].number
        text = f"id: {self.run}-{number}\ndata: {json.dumps(shown)}\n\n".encode()
        self._events.append(Event(number=number, text=text))
        self._last = number
