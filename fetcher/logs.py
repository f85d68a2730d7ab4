"""Logs as JSON lines with the fields of SRD FR-WF-19c; query strings never reach them."""

import json
import logging
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TextIO


class JsonLines(logging.Formatter):
    """One object a line: what happened, and the fields that came with it."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        fields = getattr(record, "fields", {})
        if "event" in fields:  # a sentence with a name of its own
            line["message"] = line["event"]
        line |= fields
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def to_stream(level: int, stream: TextIO = sys.stderr, *, packages: Sequence[str] = ("fetcher",)) -> None:
    """Sends everything that these packages log from a level on to a stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for name in packages:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False
