"""What a file holds, as far as a glance needs it."""

import csv
import io
import json

from slackapp.playground.values import Json
from slackapp.playground.workspace.files import StoredFile

MOST_ROWS = 200
MOST_COLUMNS = 50
MOST_CHARS = 200_000


def preview(file: StoredFile) -> Json:
    """Rows of a CSV, the text of a JSON, else the beginning of any other text."""
    text = (file.content or b"").decode("utf-8-sig", "replace")
    cut = len(text) > MOST_CHARS
    if file.name.lower().endswith(".csv"):
        return _table(text)
    if file.name.lower().endswith(".json") and not cut and _is_json(text):
        return {"kind": "json", "text": text, "cut": False}
    return {"kind": "text", "text": text[:MOST_CHARS], "cut": cut}


def _table(text: str) -> Json:
    rows: list[list[str]] = []
    cut = False
    try:
        for row in csv.reader(io.StringIO(text, newline="")):
            if len(rows) > MOST_ROWS:
                cut = True
                break
            rows.append(row[:MOST_COLUMNS])
    except csv.Error:  # a cell that is too long, say
        return {"kind": "text", "text": text[:MOST_CHARS], "cut": len(text) > MOST_CHARS}
    return {"kind": "table", "rows": rows, "cut": cut}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
