"""The books: what was asked, what was told, and whether the two agree.

Written while the soak runs, from the local Slack's journal, since that forgets old messages. An answer
carries its claim's key; what only one person sees carries nothing, so that it is counted for each person
and place.
"""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from slackapp.listeners.incoming import TRIGGER
from slackapp.playground.values import Json
from slackapp.slack.message import MessageKind, mark_payload
from tests.soak.questions import REFUSED, Question

FINAL = frozenset({MessageKind.ANSWER.value, MessageKind.NOTICE.value})
REFUSAL = "refusal"
"""The part that a refusal in a direct message is."""
FILE = re.compile(r"^q(\d+)\b.*\.csv$")
Pair = tuple[str, str]
"""A channel and a person in it."""
Find = Callable[[str, str], Json | None]
"""A message as it stands, by its channel and timestamp."""


@dataclass(slots=True, kw_only=True)
class Entry:
    """A question, and what stands in Slack for it."""

    question: Question
    pair: Pair
    asked_at: float
    key: str = ""
    standing: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Part and sort of our messages, by their timestamps."""
    files: set[str] = field(default_factory=set)
    """The timestamps of messages that show its file."""
    told_at: float | None = None
    stopped: bool = False
    """Whether its asker has stopped it: before it is claimed, nothing is said."""
    slack_said: bool = False
    """Whether Slack itself told the asker that the app did not respond."""
    acknowledged: bool = True
    """Whether the app has acknowledged an event of its message. If not, Slack has given up after its retries,
    and the app never had the question."""

    @property
    def parts(self) -> list[str]:
        return sorted(part for part, _ in self.standing.values() if part.isdecimal())

    @property
    def sorts(self) -> set[str]:
        return {sort for part, sort in self.standing.values() if part.isdecimal()}

    @property
    def told(self) -> bool:
        """Whether something stands in Slack for all to see."""
        return bool(self.parts) or any(part == REFUSAL for part, _ in self.standing.values())

    @property
    def answered(self) -> bool:
        return MessageKind.ANSWER.value in self.sorts


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What others know at the end."""

    leases: Collection[str] = ()
    """Keys of claims that are not done."""
    untold: Collection[str] = ()
    """Keys of which the log says that nobody could be told."""


class Books:
    """Everything that was asked; told of every change under the journal's lock."""

    def __init__(self, bots: Collection[str], find: Find) -> None:
        self._bots = frozenset(bots)
        self._find = find
        self._lock = threading.Lock()
        self._entries: dict[int, Entry] = {}
        self._by_key: dict[str, Entry] = {}
        self._ours: dict[tuple[str, str], Entry | None] = {}
        """Our messages as they stand, with whose they are."""
        self._acknowledged: set[tuple[str, str]] = set()
        self.whispers: Counter[Pair] = Counter()

    @property
    def entries(self) -> tuple[Entry, ...]:
        with self._lock:
            for entry in self._entries.values():
                _, place, ts = entry.key.split(":", 2) if entry.key else ("", TRIGGER, "")
                entry.acknowledged = place == TRIGGER or (place, ts) in self._acknowledged
            return tuple(self._entries.values())

    @property
    def open(self) -> int:
        """How many may still be answered."""
        with self._lock:
            entries = self._entries.values()
            waiting = [entry for entry in entries if entry.told_at is None and not entry.stopped]
            pairs = Counter(entry.pair for entry in waiting)
        return sum(max(0, count - self.whispers[pair]) for pair, count in pairs.items())

    def ask(self, question: Question, pair: Pair, key: str = "") -> Entry:
        entry = Entry(question=question, pair=pair, asked_at=time.monotonic(), key=key)
        with self._lock:
            self._entries[question.number] = entry
            if key:
                self._by_key[key] = entry
        return entry

    def name(self, number: int, key: str) -> None:
        """A question's key, where that is known only once it is delivered."""
        with self._lock:
            entry = self._entries.get(number)
            if entry is not None:
                entry.key = key
                self._by_key[key] = entry

    def acknowledge(self, channel: str, ts: str) -> None:
        with self._lock:
            self._acknowledged.add((channel, ts))

    def stop(self, key: str) -> None:
        with self._lock:
            self._by_key[key].stopped = True

    def is_answered(self, key: str) -> bool:
        with self._lock:
            entry = self._by_key.get(key)
            return entry is not None and entry.told_at is not None and entry.answered

    def take(self, record: Json) -> None:
        """A record of the journal."""
        if record["type"] == "message":
            self._stands(record["channel"], record["message"])
        elif record["type"] == "removed":
            self._gone(record["channel"], record["ts"])
        elif record["type"] == "ephemeral" and record["message"]["via"] != "ack":
            message = record["message"]
            with self._lock:
                self.whispers[message["channel"], message["to"]] += 1

    def _stands(self, channel: str, shown: Json) -> None:
        ts = shown["ts"]
        message = self._find(channel, ts)
        if message is None or message.get("user") not in self._bots:
            return
        self._gone(channel, ts)
        with self._lock:
            self._ours[channel, ts] = self._owner(ts, message)

    def _owner(self, ts: str, message: Json) -> Entry | None:
        """Whose message it is, noted with them."""
        if names := [file["name"] for file in message.get("files", ())]:
            found = FILE.match(names[0])
            entry = self._entries.get(int(found[1])) if found else None
            if entry:
                entry.files.add(ts)
            return entry
        said = mark_payload(message)
        entry = self._by_key.get(str(said.get("key", "")))
        if entry:
            entry.standing[ts] = str(said.get("part", "")), str(said.get("sort", ""))
            if entry.told_at is None and entry.told and said.get("sort") in FINAL:
                entry.told_at = time.monotonic()
        return entry

    def _gone(self, channel: str, ts: str) -> None:
        with self._lock:
            entry = self._ours.pop((channel, ts), None)
            if entry:
                entry.standing.pop(ts, None)
                entry.files.discard(ts)

    def discrepancies(self, evidence: Evidence) -> list[str]:
        """What does not agree, by keys."""
        entries = self.entries
        with self._lock:
            strays = [place for place, entry in self._ours.items() if entry is None]
            marks = [mark_payload(self._find(*place) or {}) for place in strays]
        wrong = [f"{key}: a lease is left" for key in evidence.leases]
        wrong += [
            f"{':'.join(place)}: a message of ours belongs to no question, marked {dict(mark)}"
            for place, mark in zip(strays, marks, strict=True)
        ]
        for entry in entries:
            wrong += [f"{_name(entry)}: {fault}" for fault in _faults(entry)]
        return [*wrong, *_whispered(entries, self.whispers, evidence)]


def _name(entry: Entry) -> str:
    return f"{entry.key or 'no key'} (question {entry.question.number}, {entry.question.way})"


def _faults(entry: Entry) -> Iterable[str]:
    """What is wrong with what stands in Slack for a question."""
    parts = Counter(part for part, _ in entry.standing.values())
    for part, count in parts.items():
        if count > 1:
            yield f"part {part} stands {count} times"
    if entry.parts and sorted(map(int, set(entry.parts))) != list(range(len(set(entry.parts)))):
        yield f"the parts {entry.parts} are not whole"
    if MessageKind.PROGRESS.value in entry.sorts:
        yield "its progress was never replaced"
    if parts[REFUSAL] and entry.parts:
        yield "refused and answered"
    if entry.question.way in REFUSED and entry.answered:
        yield "answered, though it had to be refused"
    if len(entry.files) > 1:
        yield f"its file stands {len(entry.files)} times"
    if entry.files and not entry.answered:
        yield "a file without its message"


def _whispered(entries: Iterable[Entry], whispers: Mapping[Pair, int], evidence: Evidence) -> Iterable[str]:
    """For each person and place: as many whispers as questions that nothing else stands for."""
    silent: dict[Pair, list[Entry]] = {pair: [] for pair in whispers}
    for entry in entries:
        if not entry.told:
            silent.setdefault(entry.pair, []).append(entry)
    for pair, waiting in silent.items():
        names = ", ".join(map(_name, waiting)) or ":".join(pair)
        told = [
            entry
            for entry in waiting
            if entry.key in evidence.untold or entry.slack_said or not entry.acknowledged
        ]
        owed = [entry for entry in waiting if entry not in told and not entry.stopped]
        if whispers.get(pair, 0) < len(owed):
            yield f"{names}: {len(owed) - whispers.get(pair, 0)} of these heard nothing"
        if whispers.get(pair, 0) > len(waiting):
            yield f"{names}: told {whispers[pair] - len(waiting)} times too often"


def seconds(entries: Iterable[Entry]) -> list[float]:
    """How long each answer took, shortest first."""
    return sorted(entry.told_at - entry.asked_at for entry in entries if entry.told_at and entry.answered)
