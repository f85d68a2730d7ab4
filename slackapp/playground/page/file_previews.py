"""Short previews of files: rows of a CSV, the text of a JSON file, the beginning of any other text."""

import csv
import io
import json

from slackapp.playground.values import Json
from slackapp.playground.workspace.files import StoredFile

MAX_ROWS = 200
MAX_COLUMNS = 50
MAX_CHARS = 200_000


def preview(file: StoredFile) -> Json:
    text = (file.content or b"").decode("utf-8-sig", "replace")
    beginning: Json = {"kind": "text", "text": text[:MAX_CHARS], "cut": len(text) > MAX_CHARS}
    try:
        if file.name.lower().endswith(".csv"):
            rows: list[list[str]] = []
            for row in csv.reader(io.StringIO(text, newline="")):
                if len(rows) > MAX_ROWS:
                    return {"kind": "table", "rows": rows, "cut": True}
                rows.append(row[:MAX_COLUMNS])
            return {"kind": "table", "rows": rows, "cut": False}
        if file.name.lower().endswith(".json") and not beginning["cut"]:
            json.loads(text)
            return {**beginning, "kind": "json"}
    except (csv.Error, ValueError, RecursionError):  # a CSV or JSON file only by its name
        return beginning
    return beginning
