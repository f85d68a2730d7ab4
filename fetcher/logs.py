"""Logs as JSON lines with the fields of SRD FR-WF-19c, and as readable lines on a terminal.

Query strings and texts of exceptions stay out: both may quote private data.
"""

import json
import logging
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TextIO

MOST_PLACES = 20
"""The most lines of code that are named, the innermost: an endless recursion has a thousand."""
LONGEST_MESSAGE = 300


class JsonLines(logging.Formatter):
    """One object a line: what happened, and the fields that came with it."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        fields = _fields(record)
        if "event" in fields:  # a sentence with a name of its own
            line["message"] = line["event"]
        return json.dumps(line | fields, ensure_ascii=False, default=str)


class ReadableLines(logging.Formatter):
    """The same for people: local time, level, what happened, then `name=value` for each field."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        fields = {
            name: value
            for name, value in _fields(record).items()
            if value not in (None, "", [], {}) and not name.startswith("_")  # those are for programs
        }
        values = (
            f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in fields.items()
        )
        return " ".join([time, f"{record.levelname.lower():7}", record.getMessage(), *values])


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    error = record.exc_info[1] if record.exc_info else None
    return getattr(record, "fields", {}) | (defect(error) if error else {})


def to_stream(level: int, stream: TextIO | None = None, *, packages: Sequence[str] = ("fetcher",)) -> None:
    """Send what these packages log, from a level on, to a stream; to standard error if none is given."""
    stream = stream or sys.stderr
    handler = logging.StreamHandler(stream)
    handler.setFormatter(ReadableLines() if stream.isatty() else JsonLines())
    for name in packages:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False


def defect(error: BaseException, deepest: int = 5) -> dict[str, Any]:
    """An exception as fields: what it was, where it happened, and what had led to it."""
    lines = traceback.walk_tb(error.__traceback__)
    places = [f"{frame.f_code.co_filename}:{number}" for frame, number in lines][-MOST_PLACES:]
    if isinstance(error, BaseExceptionGroup):
        causes: Sequence[BaseException | None] = error.exceptions
    else:
        causes = [error.__cause__ or (None if error.__suppress_context__ else error.__context__)]
    told = [defect(cause, deepest - 1) for cause in causes if cause] if deepest else []
    return {"exception": type(error).__name__, "places": places} | ({"causes": told} if told else {})


def shortened(message: str) -> str:
    """A message of another program, as one line of bounded length."""
    line = " ".join(message.split())
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"
