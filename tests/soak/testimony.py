"""What the workers' logs say at the end."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NOBODY_TOLD: dict[str, Callable[[dict[str, Any]], bool]] = {
    "refusal_not_told": lambda _: True,
    "reply_not_posted": lambda line: not line["retryable"],
    "whisper_not_repeated": lambda _: True,
}
"""Events that say why somebody heard nothing."""
UNFORESEEN = ("question_failed",)
"""Events that say that something broke which nobody had thought of."""
UNHEARD = frozenset({"Failed to run a request listener", "Failed to process a message"})
"""What the SDK says of an acknowledgement, and of half a message, that came when its connection was closing:
Slack has heard no acknowledgement, and sends the message again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Testimony:
    events: Counter[str]
    """How often each thing was worth a warning."""
    untold: frozenset[str]
    """Keys of questions whose askers could not be told."""
    complaints: tuple[str, ...]
    """What should not be in a log at all: failures that nobody foresaw, and words that are no log line."""


def hear(logs: Path) -> Testimony:
    """All the logs in a directory, one for each worker."""
    events: Counter[str] = Counter()
    untold: set[str] = set()
    complaints: list[str] = []
    for path in sorted(logs.glob("*.log")):
        for number, line in _lines(path):
            if line is None:
                complaints.append(f"{path.name}:{number}: not a log line")
                continue
            event = str(line["event"]).partition(":")[0]
            if line["level"] != "info":
                events[event] += 1
            if event in NOBODY_TOLD and NOBODY_TOLD[event](line):
                untold.add(str(line["key"]))
            if event in UNFORESEEN or ("exception" in line and event not in UNHEARD):
                complaints.append(f"{path.name}:{number}: {event} {line.get('key', '')}")
    return Testimony(events=events, untold=frozenset(untold), complaints=tuple(complaints))


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """A line that was cut off by a kill is the last one of its log, and nobody's fault."""
    texts = path.read_text("utf-8", "replace").split("\n")
    for number, text in enumerate(texts[:-1], 1):
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = None
        yield number, parsed if isinstance(parsed, dict) and "event" in parsed else None
