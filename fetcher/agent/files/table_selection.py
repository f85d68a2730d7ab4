"""Some columns and rows of a table, sorted and limited; cells are never changed."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from unicodedata import normalize

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.cell_values import value_of
from fetcher.codes import AgentCode
from fetcher.web.values import Table

Operator = Literal["is", "is_not", "contains", "not_contains", "at_least", "at_most"]

MOST_COLUMNS = 1000
"""That may be named: a program's arguments are no larger work than a person's."""
MOST_CONDITIONS = 50
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3})")


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
    """The column to sort by; dates, times and numbers are sorted as such."""
    descending: bool = False
    limit: int | None = None


def selected(table: Table, selection: Selection) -> Table:
    """The table with what is wanted of it; raises ToolRefused for a column that it does not have.

    Where the first column names the rows, `columns` chooses among these names.
    """
    if len(selection.columns) > MOST_COLUMNS or len(selection.where) > MOST_CONDITIONS:
        message = f"At most {MOST_COLUMNS} columns and {MOST_CONDITIONS} conditions can be named"
        raise ToolRefused(AgentCode.NOT_COMPARABLE, message)
    if table.named_rows and selection.columns and not any(table.header):
        chosen = [table.rows[at] for at in _positions([row[0] for row in table.rows], selection.columns)]
        return selected(replace(table, rows=tuple(chosen)), replace(selection, columns=()))
    rows = list(table.rows)
    for condition in selection.where:
        [at] = _positions(table.header, [condition.column])
        holds = _holding(condition, [row[at] if at < len(row) else "" for row in table.rows])
        rows = [row for row in rows if holds(row[at] if at < len(row) else "")]
    if selection.sort:
        [at] = _positions(table.header, [selection.sort])
        rows = _sorted(rows, at, descending=selection.descending)
    if selection.limit is not None:
        if selection.limit < 1:
            raise ToolRefused(AgentCode.NOT_COMPARABLE, "limit must be at least 1")
        rows = rows[: selection.limit]
    header = table.header
    if selection.columns:
        places = _positions(header, selection.columns)
        header = tuple(table.header[at] for at in places)
        rows = [tuple(row[at] if at < len(row) else "" for at in places) for row in rows]
    return replace(table, header=header, rows=tuple(rows))


def _sorted(rows: Sequence[tuple[str, ...]], at: int, *, descending: bool) -> list[tuple[str, ...]]:
    """The rows by their values in a column; as text where most cells have none; cells without one last."""
    cells = [row[at] if at < len(row) else "" for row in rows]
    values = [value_of(cell) for cell in cells]
    kinds = Counter(value.kind for value in values if value)
    kind, times = kinds.most_common(1)[0] if kinds else ("", 0)
    keys: list[Any] = [cell or None for cell in cells]
    if 2 * times > len(cells):
        keys = [value.parts if value and value.kind == kind else None for value in values]
    known = [(key, row) for key, row in zip(keys, rows, strict=True) if key is not None]
    known.sort(key=lambda each: each[0], reverse=descending)
    return [row for _, row in known] + [row for key, row in zip(keys, rows, strict=True) if key is None]


def alike(text: str) -> str:
    """The text in the form in which names and values are compared."""
    return "".join(_THOUSANDS.sub("", normalize("NFKC", text).lower()).split())


def _positions(names: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where names stand, each once: written alike, or the only one that holds it; raises ToolRefused."""
    plain = [alike(name) for name in names]
    places: dict[int, None] = {}
    for one in dict.fromkeys(wanted):
        looked_for = alike(one)
        if looked_for in plain:
            places[plain.index(looked_for)] = None
            continue
        holding = [at for at, name in enumerate(plain) if name and looked_for in name]
        if len(holding) != 1:
            message = f"The table has no column {one!r}; it has: {', '.join(filter(None, names))}"
            raise ToolRefused(AgentCode.NO_SUCH_COLUMN, message)
        places[holding[0]] = None
    return list(places)


def _holding(condition: Condition, cells: Sequence[str]) -> Callable[[str], bool]:
    """Tells whether a cell meets a condition; raises ToolRefused for a bound that fits none of the cells."""
    wanted = alike(condition.value)
    match condition.operator:
        case "is":
            return lambda cell: alike(cell) == wanted
        case "is_not":
            return lambda cell: alike(cell) != wanted
        case "contains":
            return lambda cell: wanted in alike(cell)
        case "not_contains":
            return lambda cell: wanted not in alike(cell)
    values = {cell: value_of(cell) for cell in cells}
    one_unit = len({value.unit for value in values.values() if value}) == 1
    bound = value_of(condition.value)
    compared = {
        cell: parts
        for cell, value in values.items()
        if value and bound and (parts := value.parts_against(bound, one_unit=one_unit))
    }
    if bound is None or not compared:
        sample = next(filter(None, cells), "")
        message = f"{condition.value!r} cannot be compared with {condition.column!r}, such as {sample!r}"
        raise ToolRefused(AgentCode.NOT_COMPARABLE, message)
    if condition.operator == "at_least":
        return lambda cell: cell in compared and compared[cell] >= bound.parts
    return lambda cell: cell in compared and compared[cell] <= bound.parts
