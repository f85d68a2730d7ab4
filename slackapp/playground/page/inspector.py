"""What happened behind a question: events, Web API calls and tool calls, in order and without secrets.

An entry's summary goes to the page at once; its payload stays here until somebody looks at it. An entry
belongs to a thread. One that names none, such as a look-up of a user, belongs where the one before it did.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from slackapp.playground.page.redaction import Redaction
from slackapp.playground.values import Json

KEPT = 1_000
QUIET = frozenset({"message_changed", "message_deleted"})
"""Events that only echo what an app has just done itself."""

Place = tuple[str, str]
"""A channel and a message in it; either may be unknown."""
Root = Callable[[str, str], str]
"""The first message of the thread that a message of a channel belongs to; empty when there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    summary: Json
    payload: Json
    body: Json | None = None
    """Of an event: what can be delivered again."""


class Inspector:
    """Makes entries of the journal's records; used under the journal's lock."""

    def __init__(self, redaction: Redaction, root: Root, kept: int = KEPT) -> None:
        self._redaction = redaction
        self._root = root
        self._kept = kept
        self._entries: OrderedDict[int, Entry] = OrderedDict()
        self._place: Place = ("", "")

    @property
    def summaries(self) -> list[Json]:
        return [entry.summary for entry in self._entries.values()]

    def find(self, number: int) -> Entry | None:
        return self._entries.get(number)

    def take(self, record: Json) -> Json | None:
        """The summary of a record; None when it is no entry."""
        reader = READERS.get(record["type"])
        if reader is None:
            return None
        entry = reader(record)
        self._place = self._located(entry.pop("place")) or self._place
        payload = self._redaction.clean(entry.pop("payload"))
        summary = {
            "number": record["number"],
            "began": _began(record),
            "seconds": round(record.get("seconds") or 0.0, 4),
            "channel": self._place[0],
            "thread": self._place[1],
            **self._redaction.clean(entry),
        }
        self._keep(record["number"], Entry(summary=summary, payload=payload, body=record.get("body")))
        return summary

    def _located(self, place: Place) -> Place | None:
        root = self._root(*place) if all(place) else ""
        return (place[0], root) if root else None

    def _keep(self, number: int, entry: Entry) -> None:
        self._entries[number] = entry
        if len(self._entries) > self._kept:
            self._entries.popitem(last=False)


def _began(record: Json) -> float:
    """When it began, by which entries stand in order; the end of it all stands where it ended."""
    ended = datetime.fromisoformat(record["at"]).timestamp()
    return ended if record.get("closing") else ended - (record.get("seconds") or 0.0)


def _delivery(record: Json) -> Json:
    body: Json = record["body"]
    event: Json = body["event"] if isinstance(body.get("event"), dict) else body
    subtype = str(event.get("subtype") or "")
    return {
        "kind": "event",
        "name": f"{record['event']}:{subtype}" if subtype else record["event"],
        "status": record["status"],
        "error": record["error"],
        "attempt": record["attempt"],
        "quiet": subtype in QUIET or bool(event.get("bot_id")),
        "again": "event" in body,
        "place": _place_of_event(event),
        "payload": {"delivered": body, "transport": record["transport"], "status": record["status"]},
    }


def _call(record: Json) -> Json:
    arguments, response = record["arguments"], record["response"]
    error = "" if response.get("ok", True) else str(response.get("error", ""))
    return {
        "kind": "call",
        "name": record["method"],
        "status": record["status"],
        "error": error or ("connection_dropped" if record["status"] == 0 else ""),
        "place": _place_of_call(arguments, response),
        "payload": {"arguments": arguments, "response": response},
    }


def _tool(record: Json) -> Json:
    return {
        "kind": "tool",
        "name": record["name"],
        "error": record.get("error", ""),
        "label": record.get("label", ""),
        "place": _place_of_key(record["key"]),
        "payload": record["payload"],
    }


def _place_of_event(event: Json) -> Place:
    """Of the message that comes, or that the event is about."""
    inner: Json = event.get("message") or event.get("previous_message") or event.get("item") or event
    channel = event.get("channel") or event.get("channel_id") or inner.get("channel") or ""
    if isinstance(channel, dict):  # of an interaction
        channel = channel.get("id", "")
    return str(channel), str(inner.get("thread_ts") or inner.get("ts") or "")


def _place_of_call(arguments: Json, response: Json) -> Place:
    channel = arguments.get("channel") or arguments.get("channel_id") or ""
    ts = arguments.get("thread_ts") or arguments.get("ts") or response.get("ts") or ""
    return str(channel), str(ts)


def _place_of_key(key: str) -> Place:
    """The claim of a message is named by team, channel and timestamp; a command's by its trigger."""
    _, channel, ts = [*key.split(":", 2), "", "", ""][:3]
    return (channel, ts) if channel != "trigger" else ("", "")


READERS: dict[str, Callable[[Json], Json]] = {"call": _call, "delivery": _delivery, "tool": _tool}
