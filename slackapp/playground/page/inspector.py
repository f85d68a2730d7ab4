"""What happened behind a question: events, Web API calls and tool calls, in order and without secrets.

The summary of an entry goes to the page at once; its payload stays here until the page asks for it. An entry
belongs to a thread. An entry that names no thread, such as a look-up of a user, belongs to the thread of the
entry before it.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from slackapp.playground.page.redaction import Redaction
from slackapp.playground.values import Json

MAX_ENTRIES = 1_000
QUIET = frozenset({"message_changed", "message_deleted"})
"""Events that only repeat what an app has just done itself."""

MessageRef = tuple[str, str]
"""A channel and the timestamp of a message; either may be unknown and empty."""
FindRoot = Callable[[str, str], str]
"""Returns the first message of the thread of a message, or an empty text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    summary: Json
    payload: Json
    body: Json | None = None
    """The body of an event, which can be delivered again."""


@dataclass(slots=True)
class Inspector:
    """Turns records of the activity log into entries; used under the log's lock."""

    redaction: Redaction
    find_root: FindRoot
    max_entries: int = MAX_ENTRIES
    _entries: OrderedDict[int, Entry] = field(default_factory=OrderedDict, init=False)
    _thread: MessageRef = field(default=("", ""), init=False)

    @property
    def summaries(self) -> list[Json]:
        return [entry.summary for entry in self._entries.values()]

    def find(self, number: int) -> Entry | None:
        return self._entries.get(number)

    def add(self, record: Json) -> Json | None:
        """Adds a record and returns its summary; None when it is not a call, a delivery or a tool call."""
        read = READERS.get(record["type"])
        if read is None:
            return None
        (channel, ts), payload, fields = read(record)
        root = self.find_root(channel, ts) if channel and ts else ""
        if root:
            self._thread = channel, root
        seconds = record.get("seconds") or 0.0
        ended = datetime.fromisoformat(record["at"]).timestamp()
        summary = {
            "number": record["number"],
            # The page sorts entries by their beginning, but the end of a question stands last.
            "began": ended if record.get("closing") else ended - seconds,
            "seconds": round(seconds, 4),
            "channel": self._thread[0],
            "thread": self._thread[1],
            **self.redaction.redacted(fields),
        }
        payload = self.redaction.redacted(payload)
        self._entries[record["number"]] = Entry(summary=summary, payload=payload, body=record.get("body"))
        if len(self._entries) > self.max_entries:
            self._entries.popitem(last=False)
        return summary


ReadRecord = tuple[MessageRef, Json, Json]
"""The message that a record is about, its payload, and further fields of its summary."""


def _read_delivery(record: Json) -> ReadRecord:
    body: Json = record["body"]
    event: Json = body["event"] if isinstance(body.get("event"), dict) else body
    subtype = str(event.get("subtype") or "")
    message: Json = event.get("message") or event.get("previous_message") or event.get("item") or event
    channel = event.get("channel") or event.get("channel_id") or message.get("channel") or ""
    if isinstance(channel, dict):  # in an interaction
        channel = channel.get("id", "")
    payload = {"delivered": body, "transport": record["transport"], "status": record["status"]}
    fields = {
        "kind": "event",
        "name": f"{record['event']}:{subtype}" if subtype else record["event"],
        "status": record["status"],
        "error": record["error"],
        "attempt": record["attempt"],
        "quiet": subtype in QUIET or bool(event.get("bot_id")),
        "again": "event" in body,
    }
    return (str(channel), str(message.get("thread_ts") or message.get("ts") or "")), payload, fields


def _read_call(record: Json) -> ReadRecord:
    arguments, response = record["arguments"], record["response"]
    channel = arguments.get("channel") or arguments.get("channel_id") or ""
    ts = arguments.get("thread_ts") or arguments.get("ts") or response.get("ts") or ""
    error = "" if response.get("ok", True) else str(response.get("error", ""))
    fields = {
        "kind": "call",
        "name": record["method"],
        "status": record["status"],
        "error": error or ("connection_dropped" if record["status"] == 0 else ""),
    }
    return (str(channel), str(ts)), {"arguments": arguments, "response": response}, fields


def _read_tool_call(record: Json) -> ReadRecord:
    # The key of a claim: team, channel and timestamp of a message, or the trigger of a command.
    _, channel, ts = [*record["key"].split(":", 2), "", "", ""][:3]
    fields = {
        "kind": "tool",
        "name": record["name"],
        "error": record.get("error", ""),
        "label": record.get("label", ""),
    }
    return ("", "") if channel == "trigger" else (channel, ts), record["payload"], fields


READERS: dict[str, Callable[[Json], ReadRecord]] = {
    "call": _read_call,
    "delivery": _read_delivery,
    "tool": _read_tool_call,
}
