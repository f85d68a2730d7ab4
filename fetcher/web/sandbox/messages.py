"""Encodes a job and its answer as frames of plain JSON and UTF-8; `answers.py` decodes answers.

A job is a body to be read, or a document of which a task makes something; then the answer is all JSON.
The head is a small JSON object. Long texts are not in JSON: a document's Markdown is the frame's second part.
The third part holds the cells of all tables one after the other, each table's header first; the head gives
the number of columns and rows of each table. After the cells come pages without text, whose numbers and
sizes are in the head.
"""

import json
from dataclasses import fields, replace
from enum import Enum
from itertools import chain

from fetcher.codes import DocumentCode, ErrorCode, ReadingMode
from fetcher.web.errors import ExtractionFailed
from fetcher.web.net.media_types import Accept
from fetcher.web.sandbox.frames import Frame
from fetcher.web.search.tasks import TASKS, Task
from fetcher.web.values import Document, Link, LinkPlace, Reading, ReadingContext

CELL_END = "\x1f"
"""Between two cells, which have no control characters themselves."""
MOST_HEAD = 1024 * 1024
"""Bytes of a head: titles, captions, and the shapes of tables."""
MOST_REASON = 300
MOST_CELLS = 500_000
"""Of all tables of a page together."""


def most_answer(body: int) -> int:
    """The most bytes that an answer to a body of `body` bytes may have."""
    return 16 * 1024 * 1024 + 4 * body


def job(body: bytes, context: ReadingContext) -> Frame:
    return _json(context), body, b""


def task_job(task: Task[object], document: Document) -> Frame:
    """The job of a task; the document's tables stay here."""
    rest = replace(document, markdown="", tables=())
    head = {"task": type(task).__name__, "arguments": task, "document": rest}
    return _json(head), document.markdown.encode(errors="replace"), b""


def task_answer(head: bytes, body: bytes) -> Frame | None:
    """Does a task and returns its answer; None for a job that is a body to be read."""
    fields = json.loads(head)
    if "task" not in fields:
        return None
    given = fields["document"]
    links = tuple(Link(**{**link, "place": LinkPlace(link["place"])}) for link in given["links"])
    text = {**given, "markdown": body.decode(), "links": links, "pages": tuple(given["pages"])}
    made = TASKS[fields["task"]](**fields["arguments"]).run(Document(**text))
    return b"{}", _json(made), b""


def context_of(head: bytes) -> ReadingContext:
    fields = json.loads(head)
    return ReadingContext(
        **{**fields, "mode": ReadingMode(fields["mode"]), "accept": Accept(fields["accept"])}
    )


def answer(reading: Reading, *, body: int) -> Frame:
    """The answer to a body of `body` bytes; raises ExtractionFailed if it is too long to be sent."""
    document = reading.document
    shapes = [[len(table.header), len(table.rows)] for table in document.tables]
    bare = tuple(replace(table, header=(), rows=()) for table in document.tables)
    rest = replace(reading, document=replace(document, markdown="", tables=bare), scans=())
    scans = [[scan.page, len(scan.content)] for scan in reading.scans]
    head = _json({"reading": rest, "shapes": shapes, "scans": scans})
    markdown = document.markdown.encode(errors="replace")
    rows = ((table.header, *table.rows) for table in document.tables)
    cells = CELL_END.join(chain.from_iterable(chain.from_iterable(rows))).encode(errors="replace")
    cells += b"".join(scan.content for scan in reading.scans)
    if len(head) > MOST_HEAD or len(head) + len(markdown) + len(cells) > most_answer(body):
        raise ExtractionFailed(error="its text is too long")
    if sum(columns * (rows + 1) for columns, rows in shapes) > MOST_CELLS:
        raise ExtractionFailed(error=f"more than {MOST_CELLS} cells in its tables")
    return head, markdown, cells


def refusal(code: ErrorCode | DocumentCode, reason: str) -> Frame:
    """The answer that says why the body was not read, in ASCII."""
    plain = "".join(character if " " <= character <= "~" else "?" for character in reason[:MOST_REASON])
    return _json({"refusal": {"code": code, "reason": plain}}), b"", b""


def _json(value: object) -> bytes:
    """JSON; an enum is its value, a dataclass an object of its fields."""
    text = json.dumps(
        value,
        ensure_ascii=False,
        default=lambda each: (
            each.value
            if isinstance(each, Enum)
            else {part.name: getattr(each, part.name) for part in fields(each)}
        ),
    )
    return text.encode(errors="replace")
