"""Made-up tables, and what the HTML Standard's table model makes of them, step by step as it is written.

https://html.spec.whatwg.org/multipage/tables.html#forming-a-table (from memory). To the letter, its
algorithm for ending a row group lets a cell with `rowspan=0` grow one row too far; here it stops before.
"""

from dataclasses import dataclass, field
from html import escape
from random import Random
from typing import Any

TEXTS = (
    *(
        "",
        "",
        "在庫あり（翌営業日出荷）",
        "お問い合わせください",
        "交通費（往復）",
        "1,980円",
        "1,980円",
        "-5",
    ),
    *(
        "関連記事",
        "シェアする",
        "続きを読む",
        "東京都千代田区丸の内一丁目",
        "○",
        "×",
        "10%",
        "x;=1+1",
        "A",
        "B",
    ),
)
WRAPPERS = (
    *("{}", "{}", "{}", "{}", "<p>{}</p>", "<b>{}</b>", "<a href='/x'>{}</a>", "<div>{}</div>"),
    *("<span class='badge'>{}</span>", "<p class='label'><a href='/y'>{}</a></p>", "<font>{}</font>"),
)
CELL_ATTRIBUTES = ("", "", "", " class=status", " class='price notice'", " id=related", " style='width:5em'")
HEADS = {
    "thead": ("th", 1),
    "thead of two rows": ("th", 2),
    "th": ("th", 1),
    "two rows of th": ("th", 2),
    "td": ("td", 1),
    "td over th": ("td", 1),
    "pairs": ("th", 0),
}
"""The kinds of tables: the cells of their header rows, and how many of these there are."""
ROW_ATTRIBUTES = ("", "", "", "", " class=shipping", " style='display:none'", " hidden")


@dataclass(kw_only=True, eq=False)
class Cell:
    tag: str
    text: str
    html: str
    colspan: int = 1
    rowspan: int = 1


@dataclass(kw_only=True)
class Group:
    tag: str
    rows: list[list[Cell]]


@dataclass(kw_only=True)
class Generated:
    groups: list[Group]
    heads: int
    """How many rows, as they are shown, name the columns."""
    html: str
    nested: "list[Generated]" = field(default_factory=list)

    def expected(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The header, names of several rows joined, and the rows."""
        rows = [tuple(cell.text if cell else "" for cell in row) for row in slots(self.groups)]
        heads = rows[: self.heads]
        names = [[row[column] for row in heads] for column in range(len(rows[0]))]
        header = tuple(" / ".join(dict.fromkeys(name for name in column if name)) for column in names)
        return header, rows[self.heads :]


def generated(random: Random, *, nested: bool = False) -> Generated:
    """A table of any of the shapes that people give to tables."""
    kind = random.choice(tuple(HEADS))
    width = 2 if kind == "pairs" else random.randint(2, 5)
    tag, heads = HEADS[kind]
    head = [_row(random, tag, width, spans=heads == 1) for _ in range(heads)]
    for cell in head[0] if head else ():
        cell.text = cell.html = "料金"
        cell.rowspan = 1 if tag == "td" else cell.rowspan  # a plain cell that reaches down tells of more rows
    names = kind in ("td over th", "pairs") or (tag == "th" and random.random() < 0.3)
    groups = _body(random, width, names=names, spans=kind != "pairs")
    if kind.startswith("thead"):
        groups.insert(0, Group(tag="thead", rows=head))
    else:
        groups[0].rows[:0] = head
    if kind != "pairs" and random.random() < 0.2:
        foot = Group(tag="tfoot", rows=[_row(random, "td", width)])
        groups.insert(1 if kind.startswith("thead") and random.random() < 0.5 else len(groups), foot)
    inner = []
    if not nested and tag == "th" and heads == 1 and random.random() < 0.1:
        inner = [generated(random, nested=True)]
        groups[-1].rows[-1][-1].html += inner[0].html
    return Generated(groups=groups, heads=heads, html=_html(random, groups), nested=inner)


def _body(random: Random, width: int, *, names: bool, spans: bool) -> list[Group]:
    rows = [_row(random, "td", width, spans=spans) for _ in range(random.randint(1, 6))]
    if names:
        for row in rows:
            row[0] = _cell(random, "th", spans=False)
        rows[0][0].text = rows[0][0].html = "項目"  # a table without any text would be none
    rows += [[Cell(**_fields(cell)) for cell in rows[-1]] for _ in range(random.choice((0, 0, 0, 1, 2)))]
    if random.random() < 0.1:
        rows.insert(0, [])
    cut = random.randint(1, len(rows)) if random.random() < 0.3 else len(rows)
    return [Group(tag="tbody", rows=part) for part in (rows[:cut], rows[cut:]) if part]


def _fields(cell: Cell) -> dict[str, Any]:
    return {name: getattr(cell, name) for name in ("tag", "text", "html", "colspan", "rowspan")}


def _row(random: Random, tag: str, width: int, *, spans: bool = True) -> list[Cell]:
    ragged = random.random() < 0.1
    return [_cell(random, tag, spans=spans) for _ in range(random.randint(2, width) if ragged else width)]


def _cell(random: Random, tag: str, *, spans: bool) -> Cell:
    text = random.choice(TEXTS)
    lines = random.random() < 0.05
    shown = escape(text) + ("<br>" + escape(text) if lines else "")
    return Cell(
        tag=tag,
        text=f"{text}\n{text}" if lines and text else text,
        html=random.choice(WRAPPERS).format(shown),
        colspan=random.choice((1, 2, 3)) if spans and random.random() < 0.1 else 1,
        rowspan=random.choice((0, 2, 3, 9)) if spans and random.random() < 0.1 else 1,
    )


def _html(random: Random, groups: list[Group]) -> str:
    return "<table>" + "".join(_group_html(random, group) for group in groups) + "</table>"


def _group_html(random: Random, group: Group) -> str:
    rows = "".join(
        f"<tr{random.choice(ROW_ATTRIBUTES)}>" + "".join(_cell_html(random, cell) for cell in row) + "</tr>"
        for row in group.rows
    )
    return f"<{group.tag}>{rows}</{group.tag}>"


def _cell_html(random: Random, cell: Cell) -> str:
    spans = f" colspan={cell.colspan}" * (cell.colspan > 1) + f" rowspan={cell.rowspan}" * (cell.rowspan != 1)
    return f"<{cell.tag}{random.choice(CELL_ATTRIBUTES)}{spans}>{cell.html}</{cell.tag}>"


def slots(groups: list[Group]) -> list[list[Cell | None]]:
    """The rows of the table; those without a `tr` and columns behind the last that is begun do not exist."""
    covered: dict[tuple[int, int], list[Cell]] = {}
    shown: list[int] = []
    width = height = current = begun = 0
    for group in sorted(groups, key=lambda group: group.tag == "tfoot"):
        growing: list[tuple[Cell, int, int]] = []
        for row in group.rows:
            height = max(height, current + 1)
            _grow(growing, current, covered)
            x = 0
            for cell in row:
                while x < width and (x, current) in covered:
                    x += 1
                begun = max(begun, x + 1)
                rowspan = cell.rowspan or 1
                width, height = max(width, x + cell.colspan), max(height, current + rowspan)
                for y in range(current, current + rowspan):
                    for column in range(x, x + cell.colspan):
                        covered.setdefault((column, y), []).append(cell)
                if cell.rowspan == 0:
                    growing.append((cell, x, cell.colspan))
                x += cell.colspan
            shown.append(current)
            current += 1
        while current < height:  # the algorithm for ending a row group
            _grow(growing, current, covered)
            current += 1
    order = {cell: number for number, cell in enumerate(_cells(groups))}
    first = {slot: min(cells, key=order.__getitem__) for slot, cells in covered.items()}
    table = [[first.get((x, y)) for x in range(begun)] for y in shown]
    return [row for row in table if any(row)]


def _grow(growing: list[tuple[Cell, int, int]], y: int, covered: dict[tuple[int, int], list[Cell]]) -> None:
    for cell, first, across in growing:
        for x in range(first, first + across):
            covered.setdefault((x, y), []).append(cell)


def _cells(groups: list[Group]) -> list[Cell]:
    return [cell for group in groups for row in group.rows for cell in row]
