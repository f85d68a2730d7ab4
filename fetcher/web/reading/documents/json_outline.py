"""JSON as an outline for people, with tables where it has lists of objects."""

import json
from collections.abc import Iterator
from typing import Any

from fetcher.web.errors import ExtractionFailed
from fetcher.web.reading.decode import decode_text
from fetcher.web.reading.documents.cell_tables import CellBudget, table_markdown
from fetcher.web.reading.documents.feeds import Entry, Feed, feed_document
from fetcher.web.reading.markdown import escape
from fetcher.web.reading.markdown.white_space import normalise
from fetcher.web.values import Document, Reading, ReadingContext, Table

_DEEPEST = 40
_MOST_LINES = 20_000
_LONGEST_LINE = 2000
_JSON_FEED = "https://jsonfeed.org/version/"


def read_json(body: bytes, context: ReadingContext) -> Reading:
    decoded = decode_text(body, context)
    try:
        value = json.loads(decoded.text.removeprefix("\ufeff"))
        document = _feed(value, context.url) or _outline(value)
        if not document.markdown.strip():
            document = Document(markdown=normalise(decoded.text))
    except (ValueError, RecursionError):  # cut, not quite JSON, or nested without end: shown as it is
        document = Document(markdown=normalise(decoded.text))
    return Reading(document=document, media_type=context.media_type, fallback=decoded.fallback)


def _feed(value: Any, url: str) -> Document | None:
    if not isinstance(value, dict) or not str(value.get("version")).startswith(_JSON_FEED):
        return None
    entries = []
    for item in value["items"] if isinstance(value.get("items"), list) else []:
        if isinstance(item, dict):
            fields = {name: text for name, text in item.items() if isinstance(text, str)}
            summary = fields.get("summary") or fields.get("content_text") or fields.get("content_html") or ""
            link = fields.get("url") or fields.get("external_url") or ""
            date = fields.get("date_published") or fields.get("date_modified") or ""
            entries.append(Entry(title=fields.get("title", ""), link=link, date=date, summary=summary))
    title, description = (str(value.get(name) or "") for name in ("title", "description"))
    return feed_document(Feed(title=title, description=description, entries=entries), url)


def _outline(value: Any) -> Document:
    tables: list[Table] = []
    budget = CellBudget()
    parts: list[str] = []
    lines: list[str] = []
    for depth, name, inner in _walk(value):
        label = escape.inline(escape.clean(name))
        if is_table(inner):
            columns = list(dict.fromkeys(key for row in inner[:1000] for key in row))[:200]
            cells = [[_scalar(row.get(column)) for column in columns] for row in inner]
            kept = budget.fitting(cells)
            header = tuple(map(escape.clean, columns))
            is_cut = len(kept) < len(cells)
            table = Table(caption=escape.clean(name), header=header, rows=tuple(kept), cut=is_cut)
            tables.append(table)
            if name:
                lines.append(f"{'  ' * depth}- **{label}**:")
            parts.extend(["\n".join(lines), table_markdown(table)[0]])
            lines = []
            continue
        told = "" if isinstance(inner, dict | list) else escape.inline(escape.clean(_scalar(inner)))
        text = f"**{label}**: {told}" if name else told
        if text:
            lines.append(f"{'  ' * depth}- {text[:_LONGEST_LINE]}".rstrip())
        if len(lines) + len(parts) > _MOST_LINES:
            raise ExtractionFailed(error="its outline is too long")
    parts.append("\n".join(lines))
    hidden = "\n\n".join(filter(None, (table_markdown(table)[1] for table in tables)))
    return Document(
        markdown="\n\n".join(filter(None, parts)) + "\n", tables=tuple(tables), beside=hidden[:150_000]
    )


def _walk(value: Any) -> Iterator[tuple[int, str, Any]]:
    """Each value with its depth and name, in the order of the text; tables are not entered."""
    open_: list[tuple[int, str, Any]] = [(0, "", value)]
    while open_:
        depth, name, inner = open_.pop()
        yield max(0, depth - 1), name, inner
        if depth > _DEEPEST or is_table(inner):
            continue
        if isinstance(inner, dict):
            open_.extend((depth + 1, str(key), each) for key, each in reversed(inner.items()))
        elif isinstance(inner, list):
            open_.extend((depth + 1, "", each) for each in reversed(inner))


def is_table(value: Any) -> bool:
    """Whether a value is a list of objects that share fields."""
    if (
        not isinstance(value, list)
        or len(value) < 2
        or not all(isinstance(row, dict) and row for row in value)
    ):
        return False
    shared = set(value[0]).intersection(*value[1:50])
    return len(shared) * 2 >= len(value[0])


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)[:_LONGEST_LINE]
