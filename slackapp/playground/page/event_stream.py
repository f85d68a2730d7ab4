"""The page's server-sent events: every change under its number, again from any number that is still kept.

An event's id names the run of the server and the record's number. Whoever comes back with an id of this run
gets what they missed; whoever comes back with anything else is told to begin anew from a snapshot.
"""

import json
import re
import secrets
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from slackapp.playground.activity_log import END, ActivityLog
from slackapp.playground.values import Json

KEPT = 2_000
HEARTBEAT = 15.0
RESET = b"event: reset\ndata: {}\n\n"
BEAT = b": still here\n\n"

Shown = Callable[[Json], Json | None]
"""A record as the page gets it; None when it is none of the page's business."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    number: int
    text: bytes


class EventStream:
    """Keeps the last events, and hands them to any number of listeners until the journal is closed."""

    def __init__(
        self, journal: ActivityLog, shown: Shown, *, kept: int = KEPT, heartbeat: float = HEARTBEAT
    ) -> None:
        self.run = secrets.token_hex(4)
        self._changed = journal.changed
        self._shown = shown
        self._heartbeat = heartbeat
        self._events: deque[Event] = deque(maxlen=kept)
        self._closed = False
        with self._changed:
            self._forgotten = self._last = journal.number
            """The number up to which events are no longer kept."""
            journal.subscribe(self._take)

    @property
    def position(self) -> str:
        """The id of the last event."""
        with self._changed:
            return f"{self.run}-{self._last}"

    def stream(self, position: str) -> Iterator[bytes]:
        """What came after a position, and whatever comes from now on."""
        number = self._number(position)
        yield b"retry: 1000\n\n" if number is not None else RESET
        while number is not None:
            number, text = self._news(number)
            yield text

    def _news(self, number: int) -> tuple[int | None, bytes]:
        """The last number and what is to be sent up to it; no number when the stream ends here."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or number != self._last, self._heartbeat)
            if self._closed:
                return None, b""
            if not self._forgotten <= number <= self._last:
                return None, RESET
            return self._last, b"".join(event.text for event in self._events if event.number > number) or BEAT

    def _number(self, position: str) -> int | None:
        run, _, number = position.partition("-")
        return int(number) if run == self.run and re.fullmatch("[0-9]{1,15}", number) else None

    def _take(self, record: Json) -> None:
        """Written down at once, under the journal's lock: a record may hold what changes later."""
        self._closed = self._closed or record["type"] == END
        shown = self._shown(record)
        if shown is None:
            return
        number = record["number"]
        data = json.dumps(shown)
        if len(self._events) == self._events.maxlen:
            self._forgotten = self._events[0].number
        text = f"id: {self.run}-{number}\ndata: {data}\n\n".encode()
        self._events.append(Event(number=number, text=text))
        self._last = number
