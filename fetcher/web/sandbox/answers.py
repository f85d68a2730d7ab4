"""Checks a reader process's answer like any other bytes from outside.

A parser that an attacker controls can send anything. An answer that passes has the types, the sizes and the
shape of a `Reading`; its text is that of a page, which is never trusted.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from fetcher.codes import DocumentCode, ErrorCode
from fetcher.web.errors import (
    DocumentUnreadable,
    ExtractionFailed,
    FetchError,
    InternalError,
    UnsupportedContentType,
)
from fetcher.web.sandbox.frames import Frame
from fetcher.web.sandbox.messages import CELL_END, MOST_CELLS, MOST_HEAD, MOST_REASON, most_answer
from fetcher.web.search.tasks import Task
from fetcher.web.values import Document, Reading, ReadingContext, Scan, Table

T = TypeVar("T")

_MEDIA_TYPE = re.compile(r"[!-.0-~]{1,127}/[!-.0-~]{1,127}")
_Count = Annotated[int, Field(ge=0, le=MOST_CELLS)]
_Page = Annotated[int, Field(ge=1, le=100_000)]
_Size = Annotated[int, Field(ge=1, le=1 << 30)]
MOST_SCANS = 100


class BadAnswer(Exception):
    """Bytes that a correct reader process does not send."""


class _Refusal(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    code: (
        Literal[ErrorCode.UNSUPPORTED_CONTENT_TYPE, ErrorCode.EXTRACTION_FAILED, ErrorCode.INTERNAL]
        | DocumentCode
    )
    reason: Annotated[str, Field(max_length=MOST_REASON, pattern=r"^[ -~]*$")]


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    reading: Reading | None = None
    shapes: Sequence[tuple[_Count, _Count]] = ()
    scans: Annotated[Sequence[tuple[_Page, _Size]], Field(max_length=MOST_SCANS)] = ()
    refusal: _Refusal | None = None


def require_sizes(sizes: tuple[int, int, int], body: int) -> None:
    """Raises BadAnswer if a frame is too long for a body of `body` bytes, before it is read."""
    if sizes[0] > MOST_HEAD or sum(sizes) > most_answer(body):
        raise BadAnswer("too long")


def checked(frame: Frame, context: ReadingContext) -> Reading:
    """The reading in an answer; raises BadAnswer, or the FetchError that the answer stands for."""
    try:
        head = _Head.model_validate_json(frame[0])
        end = len(frame[2]) - sum(size for _, size in head.scans)
        markdown, cells = frame[1].decode(), frame[2][: max(0, end)].decode()
    except (ValidationError, UnicodeDecodeError) as error:
        raise BadAnswer(type(error).__name__) from None  # its text quotes the page
    if head.refusal and not (head.reading or head.shapes or markdown or cells):
        raise _error_of(head.refusal)
    reading = head.reading
    if reading is None or head.refusal or not markdown.endswith("\n") or reading.document.markdown:
        raise BadAnswer("neither a reading nor a refusal")
    if not _MEDIA_TYPE.fullmatch(reading.media_type) or not context.accept.takes(reading.media_type):
        raise BadAnswer("a type that was not asked for")
    if end < 0 or len(head.scans) > context.scan_pages or reading.scans:
        raise BadAnswer("scans that were not asked for")
    if context.max_chars and len(markdown) > context.max_chars:
        raise BadAnswer("more text than was asked for")
    _require_pages(reading.document)
    scans = []
    for number, size in head.scans:
        scans.append(Scan(page=number, content=frame[2][end : end + size]))
        end += size
    tables = tuple(_filled(reading.document.tables, head.shapes, cells))
    document = replace(reading.document, markdown=markdown, tables=tables)
    return replace(reading, document=document, scans=tuple(scans))


def made(frame: Frame, task: Task[T], document: Document) -> T:
    """What a task has made of a document; raises BadAnswer, or the FetchError that the answer stands for."""
    try:
        head = _Head.model_validate_json(frame[0])
        if head.refusal:
            raise _error_of(head.refusal)
        result: T = _adapter(task.makes).validate_json(frame[1], strict=True)
    except ValidationError as error:
        raise BadAnswer(type(error).__name__) from None
    if not task.is_sound(result, document):
        raise BadAnswer("not of this document")
    return result


@cache
def _adapter(makes: Any) -> TypeAdapter[Any]:
    return TypeAdapter(makes)


def _error_of(refusal: _Refusal) -> FetchError:
    code, reason = refusal.code, refusal.reason
    if code is ErrorCode.UNSUPPORTED_CONTENT_TYPE:
        return UnsupportedContentType(content_type=reason)
    if isinstance(code, DocumentCode):
        return DocumentUnreadable(code, error=reason)
    if code is ErrorCode.EXTRACTION_FAILED:
        return ExtractionFailed(error=reason)
    return InternalError("Something unexpected went wrong", error=reason)


def _require_pages(document: Document) -> None:
    """Raises BadAnswer if pages overlap: text that stands on thousands of pages would be cut for each."""
    pages, names = document.pages, document.page_names
    if any(after < before for before, after in pairwise((0, *pages))):
        raise BadAnswer("pages without an order")
    if len(names) not in (0, len(pages)) or not all(
        0 <= table.page <= len(pages) for table in document.tables
    ):
        raise BadAnswer("names or tables of pages that there are not")


def _filled(tables: tuple[Table, ...], shapes: Sequence[tuple[int, int]], text: str) -> Iterator[Table]:
    """The tables with their cells."""
    expected = sum(columns * (rows + 1) for columns, rows in shapes)
    if expected > MOST_CELLS or expected != (text.count(CELL_END) + 1 if expected else len(text)):
        raise BadAnswer("cells without a place")
    if len(tables) != len(shapes) or any(rows and not columns for columns, rows in shapes):
        raise BadAnswer("tables without a shape")
    cells = iter(text.split(CELL_END))
    for table, (columns, rows) in zip(tables, shapes, strict=True):
        if table.header or table.rows:
            raise BadAnswer("cells in two places")
        header, *lines = (tuple(islice(cells, columns)) for _ in range(rows + 1))
        yield replace(table, header=header, rows=tuple(lines))
