"""Some columns and rows of a table, sorted and limited; cells are never changed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from unicodedata import normalize

from fetcher.agent.errors import ToolRefused
from fetcher.codes import AgentCode
from fetcher.web.values import Table

Operator = Literal["is", "is_not", "contains", "not_contains", "at_least", "at_most"]

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3})")
_POWERS = {"億": 100_000_000, "万": 10_000, "千": 1000}
_MULTIPLES = re.compile(rf"(\d+(?:\.\d+)?)([{''.join(_POWERS)}])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    column: str
    operator: Operator
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What of a table is wanted; the default is all of it."""

    columns: tuple[str, ...] = ()
    """In this order; empty for all."""
    where: tuple[Condition, ...] = ()
    """Rows for which all of these hold."""
    sort: str = ""
    """The column to sort by; numbers are sorted as numbers."""
    descending: bool = False
    limit: int | None = None


def selected(table: Table, selection: Selection) -> Table:
    """The table with what is wanted of it; raises ToolRefused for a column that it does not have.

    Where the first column names the rows, `columns` chooses among these names.
    """
    if table.named_rows and selection.columns and not any(table.header):
        names = [row[0] for row in table.rows]
        chosen = [table.rows[_position(names, name)] for name in selection.columns]
        return selected(replace(table, rows=tuple(chosen)), replace(selection, columns=()))
    rows = list(table.rows)
    for condition in selection.where:
        at = _position(table.header, condition.column)
        rows = [row for row in rows if _holds(condition, row[at] if at < len(row) else "")]
    if selection.sort:
        at = _position(table.header, selection.sort)
        cells = [row[at] if at < len(row) else "" for row in rows]
        values = [number(cell) for cell in cells]
        numeric = 2 * sum(value is not None for value in values) > len(values)
        keys = values if numeric else [cell or None for cell in cells]
        known = [(key, row) for key, row in zip(keys, rows, strict=True) if key is not None]
        known.sort(key=lambda each: each[0], reverse=selection.descending)
        rows = [row for _, row in known] + [
            row for key, row in zip(keys, rows, strict=True) if key is None
        ]  # without a value
    if selection.limit is not None:
        rows = rows[: max(0, selection.limit)]
    header = table.header
    if selection.columns:
        places = [_position(header, name) for name in selection.columns]
        header = tuple(table.header[at] for at in places)
        rows = [tuple(row[at] if at < len(row) else "" for at in places) for row in rows]
    return replace(table, header=header, rows=tuple(rows))


def number(text: str) -> float | None:
    """The first number of a cell, as Japanese and others write it; None if there is none."""
    plain = normalize("NFKC", text).replace(",", "")
    if multiples := _MULTIPLES.findall(plain):
        return sum(float(figure) * _POWERS[power] for figure, power in multiples)
    found = _NUMBER.search(plain)
    return float(found[0]) if found else None


def alike(text: str) -> str:
    """The text in the form in which names and values are compared."""
    return "".join(_THOUSANDS.sub("", normalize("NFKC", text).lower()).split())


def _position(names: Sequence[str], wanted: str) -> int:
    """Where a name stands: written alike, or the only one that holds it; raises ToolRefused."""
    plain = [alike(name) for name in names]
    if alike(wanted) in plain:
        return plain.index(alike(wanted))
    holding = [at for at, name in enumerate(plain) if name and alike(wanted) in name]
    if len(holding) != 1:
        message = f"There is no column {wanted!r}; the table has: {', '.join(filter(None, names))}"
        raise ToolRefused(AgentCode.NO_SUCH_COLUMN, message)
    return holding[0]


def _holds(condition: Condition, cell: str) -> bool:
    wanted, given = alike(condition.value), alike(cell)
    match condition.operator:
        case "is":
            return given == wanted
        case "is_not":
            return given != wanted
        case "contains":
            return wanted in given
        case "not_contains":
            return wanted not in given
    bound, value = number(condition.value), number(cell)
    if bound is None or value is None:
        return False
    return value >= bound if condition.operator == "at_least" else value <= bound
