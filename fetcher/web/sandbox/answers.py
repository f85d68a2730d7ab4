"""A reader process's answer, checked as what it is: bytes from outside.

A parser that was taken over can send anything. What passes here has the types, the sizes and the shape of a
`Reading`; its words are a page's words, which nobody trusts anyway.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fetcher.codes import ErrorCode
from fetcher.web.errors import ExtractionFailed, FetchError, InternalError, UnsupportedContentType
from fetcher.web.sandbox.frames import Frame
from fetcher.web.sandbox.messages import CELL_END, MOST_CELLS, MOST_HEAD, MOST_REASON, most_answer
from fetcher.web.values import Reading, ReadingContext, Table

_MEDIA_TYPE = re.compile(r"[!-.0-~]{1,100}/[!-.0-~]{1,100}")
_Count = Annotated[int, Field(ge=0, le=MOST_CELLS)]


class BadAnswer(Exception):
    """Bytes that no reader of ours sends."""


class _Refusal(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    code: Literal[ErrorCode.UNSUPPORTED_CONTENT_TYPE, ErrorCode.EXTRACTION_FAILED, ErrorCode.INTERNAL]
    reason: Annotated[str, Field(max_length=MOST_REASON, pattern=r"^[ -~]*$")]

    def error(self) -> FetchError:
        if self.code is ErrorCode.UNSUPPORTED_CONTENT_TYPE:
            return UnsupportedContentType(content_type=self.reason)
        if self.code is ErrorCode.EXTRACTION_FAILED:
            return ExtractionFailed(error=self.reason)
        return InternalError("Something unexpected went wrong", error=self.reason)


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    reading: Reading | None = None
    shapes: Sequence[tuple[_Count, _Count]] = ()
    refusal: _Refusal | None = None


def require_sizes(sizes: tuple[int, int, int], body: int) -> None:
    """Raises BadAnswer before anything of a frame is read that is too long for a body of so many bytes."""
    if sizes[0] > MOST_HEAD or sum(sizes) > most_answer(body):
        raise BadAnswer("too long")


def checked(frame: Frame, context: ReadingContext) -> Reading:
    """What was read; raises BadAnswer, or the FetchError that the answer stands for."""
    try:
        head = _Head.model_validate_json(frame[0])
        markdown, cells = frame[1].decode(), frame[2].decode()
    except (ValidationError, UnicodeDecodeError) as error:
        raise BadAnswer(type(error).__name__) from None  # its text quotes the page
    if head.refusal and not (head.reading or head.shapes or markdown or cells):
        raise head.refusal.error()
    reading = head.reading
    if reading is None or head.refusal or not markdown.endswith("\n") or reading.document.markdown:
        raise BadAnswer("neither a reading nor a refusal")
    if not _MEDIA_TYPE.fullmatch(reading.media_type) or not context.accept.takes(reading.media_type):
        raise BadAnswer("a type that was not asked for")
    tables = tuple(_filled(reading.document.tables, head.shapes, cells))
    return replace(reading, document=replace(reading.document, markdown=markdown, tables=tables))


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
