"""What of a table a question wants, as far as its words alone tell it: columns, rows, their order and number.

A row is wanted by a value that stands in the table (the rows of one prefecture), or by a bound (at most 1,000
yen). The words stand in `intent_words.py`.
"""

import re
from collections import Counter
from collections.abc import Iterator

from fetcher.agent.files.cell_values import number
from fetcher.agent.files.table_selection import Condition, Operator, Selection, alike
from fetcher.agent.offline import intent_words as words
from fetcher.web.values import Table

_SHORTEST = 2
"""Characters of a value that a question may name."""
_WISH = re.compile(words.PART_OF_A_TABLE)
_ONLY = re.compile(words.ONLY)
_LIMIT = re.compile(words.FIRST_ROWS)
_BOUND = re.compile(words.BOUND)
_ORDER = re.compile(words.ORDER)
_PLACE_END = re.compile(words.PLACE_END)


def is_part_wanted(question: str) -> bool:
    """Whether the question speaks of a part of a table, or of an order."""
    return _WISH.search(question) is not None


def wished(question: str, table: Table, name: str) -> Selection:
    """What the question wants of this table; all of it where nothing tells otherwise."""
    asked = alike(question)
    where = list(_values(asked, table, name))
    for bound in _BOUND.finditer(asked):  # on a column that is named, or whose cells have the bound's unit
        before, unit = asked[: bound.start()], bound["unit"] or ""
        heads = [head for head in table.header if alike(head) and alike(head) in before][-1:]
        heads += [
            head
            for at, head in enumerate(table.header)
            if unit and any(at < len(row) and re.search(rf"\d{unit}", alike(row[at])) for row in table.rows)
        ]
        if heads and heads[0]:
            operator: Operator = "at_most" if bound["most"] else "at_least"
            where.append(Condition(column=heads[0], operator=operator, value=bound["figure"]))
    named = sorted(
        (asked.index(alike(head)), head)
        for head in table.header
        if len(alike(head)) >= _SHORTEST and alike(head) in asked
    )
    order = _ORDER.search(asked)
    sort, descending = "", False
    if order:
        sort = next((head for at, head in reversed(named) if at < order.start()), "")
        for at, head in enumerate(() if sort else table.header):
            cells = [row[at] for row in table.rows if at < len(row) and row[at]]
            if head and cells and all(number(cell) is not None for cell in cells):
                sort = head  # the first column of figures: "the cheapest first" means it
                break
        descending = order["down"] is not None
        named = [(at, head) for at, head in named if head != sort or asked.count(alike(head)) > 1]
    bounded = {condition.column for condition in where if condition.operator in ("at_least", "at_most")}
    columns = tuple(head for _, head in named if head not in bounded)
    if not _ONLY.search(asked) or (where and len(columns) < 2) or len(columns) == len(table.header):
        columns = ()
    limit = _LIMIT.search(asked)
    rows = next((int(figure) for figure in limit.groups() if figure), None) if limit else None
    return Selection(columns=columns, where=tuple(where), sort=sort, descending=descending, limit=rows)


def _values(asked: str, table: Table, name: str) -> Iterator[Condition]:
    """Values of a column that the question names; not those that name the table or a column."""
    titles = alike(name + "".join(table.header))
    for at, head in enumerate(table.header):
        cells = Counter(alike(row[at]) for row in table.rows if at < len(row))
        found = []
        for cell in cells:
            stem = _PLACE_END.sub("", cell)
            word = cell if cell in asked else stem
            if len(word) >= _SHORTEST and word in asked and word not in titles and number(word) is None:
                found.append((word, cell))
        longest = [
            pair for pair in found if not any(pair[0] in other and pair != (other, _) for other, _ in found)
        ]
        if head and len(longest) == 1 and cells[longest[0][1]] < len(table.rows):
            word, cell = longest[0]
            is_other = asked[asked.index(word) + len(word) :].startswith(words.OTHER_THAN)
            yield Condition(column=head, operator="is_not" if is_other else "is", value=cell)
