"""The files that go with an answer, each checked and written so that people can open it (S9)."""

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files import csv_text
from fetcher.agent.files.file_names import safe_name
from fetcher.agent.files.workbooks import LONGEST_CELL, MOST_COLUMNS, XLSX, is_plain_workbook, workbook
from fetcher.agent.safety.allowed_links import only_links, only_urls
from fetcher.agent.values import GeneratedFile
from fetcher.codes import AgentCode
from fetcher.text import strict_json, well_formed
from fetcher.web.values import Table

Check = Callable[[str], str]
"""Removes links that are not allowed from a text or a cell."""
Kind = Literal["csv", "json", "xlsx"]

_MOST_COMPRESSION = 20
_STRING = re.compile(r'"(?>[^"\\]|\\.)*+"')
"""In JSON that we wrote."""
_TYPES: dict[Kind, str] = {"csv": "text/csv", "json": "application/json", "xlsx": XLSX}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePolicy:
    """Which files may be made."""

    max_bytes: int
    types: tuple[str, ...]

    def admit_type(self, mime_type: str) -> str:
        """The bare MIME type, if it is one of those allowed."""
        bare = _bare(mime_type)
        if bare not in map(_bare, self.types):
            allowed = ", ".join(self.types)
            raise ToolRefused(
                AgentCode.FILE_TYPE_NOT_ALLOWED, f"Files of type {bare!r} are not made, only {allowed}"
            )
        return bare

    def admit_size(self, size: int) -> None:
        if size > self.max_bytes:
            raise ToolRefused(
                AgentCode.FILE_TOO_LARGE,
                f"The file has at least {size} bytes, and at most {self.max_bytes} may be made",
            )


def make_file(
    name: str,
    mime_type: str,
    content: str | bytes,
    policy: FilePolicy,
    *,
    allowed: Container[str] | None = None,
) -> GeneratedFile:
    """A file of composed text, with the URLs that are allowed, or with all; raises ToolRefused.

    The text of a workbook is CSV.
    """
    bare = policy.admit_type(mime_type)
    if bare == XLSX and isinstance(content, bytes):
        return _made_workbook(name, content, policy)
    try:
        text = content.decode() if isinstance(content, bytes) else content
    except UnicodeDecodeError:
        raise ToolRefused(AgentCode.FILE_INVALID, "The content is not UTF-8 text") from None
    text = text.removeprefix("\ufeff")
    check: Check = str
    if allowed is not None:
        check = partial(only_links if bare == "text/markdown" else only_urls, allowed=allowed)
    if bare == XLSX:
        rows = [tuple(check(cell) for cell in row) for row in csv_text.parse(text)]
        header, *others = rows or [()]
        return workbook_file({name: Table(caption=name, header=header, rows=tuple(others))}, name, policy)
    pieces: Iterable[str]
    match bare:
        case "text/csv":
            pieces = csv_text.csv_lines([check(cell) for cell in row] for row in csv_text.parse(text))
        case "application/json":
            pieces = _checked_json(text, check)
        case _:
            pieces = [check(text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n"))]
    return _file(name, bare, pieces, policy)


def table_file(table: Table, *, kind: Kind, name: str, policy: FilePolicy) -> GeneratedFile:
    """A file of a page's table, cell by cell; raises ToolRefused."""
    if kind == "xlsx":
        return workbook_file({table.caption or name: table}, name, policy)
    bare = policy.admit_type(_TYPES[kind])
    if not table.rows and not any(table.header):
        raise ToolRefused(AgentCode.FILE_INVALID, "The file would be empty")
    if kind == "csv":
        rows = (table.header, *table.rows) if any(table.header) else table.rows
        return _file(name, bare, csv_text.csv_lines(rows), policy)
    return _file(name, bare, _json_array(table), policy)


def workbook_file(tables: Mapping[str, Table], name: str, policy: FilePolicy) -> GeneratedFile:
    """One workbook with a sheet for each table; raises ToolRefused."""
    policy.admit_type(XLSX)
    cells = [cell for table in tables.values() for row in (table.header, *table.rows) for cell in row]
    if not any(cells):
        raise ToolRefused(AgentCode.FILE_INVALID, "The file would be empty")
    widest = max(len(row) for table in tables.values() for row in (table.header, *table.rows))
    if max(map(len, cells)) > LONGEST_CELL or widest > MOST_COLUMNS:  # no data is lost in silence
        message = f"Excel takes {LONGEST_CELL} characters a cell and {MOST_COLUMNS} columns: make csv instead"
        raise ToolRefused(AgentCode.FILE_TOO_LARGE, message)
    # A workbook is compressed: this bounds the work, the size of the file is checked when it is there.
    policy.admit_size(sum(map(len, cells)) // _MOST_COMPRESSION)
    return _made_workbook(name, workbook(tables), policy)


def _made_workbook(name: str, content: bytes, policy: FilePolicy) -> GeneratedFile:
    policy.admit_size(len(content))
    if not is_plain_workbook(content):
        raise ToolRefused(AgentCode.FILE_INVALID, "The content is not a workbook of plain cells")
    return GeneratedFile(file_name=safe_name(name, XLSX), mime_type=XLSX, content=content)


def _file(name: str, mime_type: str, pieces: Iterable[str], policy: FilePolicy) -> GeneratedFile:
    """Writes the pieces one by one, so that no more is made than may be."""
    content, empty = bytearray(), True
    for piece in pieces:
        content += well_formed(piece).encode()
        policy.admit_size(len(content))
        empty = empty and not piece.strip("\ufeff\r\n")
    if empty:
        raise ToolRefused(AgentCode.FILE_INVALID, "The file would be empty")
    return GeneratedFile(file_name=safe_name(name, mime_type), mime_type=mime_type, content=bytes(content))


def _bare(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()


def _checked_json(text: str, check: Check) -> Iterable[str]:
    """The JSON written anew, with every string checked."""

    def checked_string(found: re.Match[str]) -> str:
        return json.dumps(check(json.loads(found[0])), ensure_ascii=False)

    try:
        return [_STRING.sub(checked_string, _dumped(strict_json(text))), "\n"]
    except (ValueError, RecursionError) as error:
        raise ToolRefused(AgentCode.FILE_INVALID, f"The content is not JSON: {error}") from None


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)


def _json_array(table: Table) -> Iterator[str]:
    """A JSON array, row by row: an object a row, or a list a row where the columns have no names.

    Where the first column names the rows, it is one object of these names and their values.
    """
    if table.named_rows and not any(table.header):
        keys = _unique([" ".join(row[0].split("\n")) for row in table.rows])
        values = [row[1] if len(row) == 2 else list(row[1:]) for row in table.rows]
        yield _dumped(dict(zip(keys, values, strict=True))) + "\n"
        return
    names: list[str] = []
    if any(table.header):
        width = max(map(len, [table.header, *table.rows]))
        header = table.header + ("",) * (width - len(table.header))
        names = _unique(
            " ".join(name.split("\n")) or f"column{number}" for number, name in enumerate(header, start=1)
        )
    records = (dict(zip(names, row, strict=False)) if names else list(row) for row in table.rows)
    start = "[\n  "
    for record in records:
        yield start + _dumped(record).replace("\n", "\n  ")
        start = ",\n  "
    yield "\n]\n" if start[0] == "," else "[]\n"


def _unique(wanted: Iterable[str]) -> list[str]:
    """The names, numbered where they are repeated."""
    names: dict[str, None] = {}
    copies: dict[str, int] = {}
    for base in wanted:
        name = base
        while name in names:
            copies[base] = copies.get(base, 1) + 1
            name = f"{base}_{copies[base]}"
        names[name] = None
    return list(names)
