"""What stands on a page beside its main content: the telephone number in the header, the hours in a column.

A page's reading leaves most of it out, and mostly rightly. Who looks for something in particular can look
here too. Rows of tables are lines. Equal lines stay, because they tell of different things; menus, and parts
of the page that are repeated as a whole, come once.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.tables.grids import survey
from fetcher.web.reading.tree import TRIMMED_AT_EDGES, Article

LONGEST = 20_000
"""How many characters of it are kept: menus of whole sites can be longer than anything on the page."""

_UNSHOWN = (
    *("head", "title", "noscript", "datalist", "meter", "progress", "object", "rp"),
    *("annotation", "annotation-xml"),
)
_LINES = TRIMMED_AT_EDGES | {"button"}
_PARTS = frozenset({"nav", "header", "footer", "aside", "menu", "dialog"})
"""Elements that pages repeat as a whole, for another size of screen."""
_DEEPEST = 3
"""How many such elements can be around each other."""
_MOST_BEFORE = 40
"""How many nodes a label can stand before the part that it names."""
_CALLS = ("tel:", "mailto:")


class _Line(NamedTuple):
    node: int
    """Its first text."""
    text: str
    is_choice: bool
    """Whether it is only a link or an option."""


def text_outside(article: Article) -> str:
    """The lines in sight that are no part of an article, as many as there is room for; links yield."""
    lines = _without_copies(article, list(_lines(article)))
    room, kept = LONGEST, set[int]()
    for choices in (False, True):
        for line in lines:
            if line.is_choice is choices:
                room -= len(line.text) + 1
                if room < 0:
                    break
                kept.add(line.node)
    return "\n".join(line.text for line in lines if line.node in kept)


def head_of(article: Article) -> str:
    """The title of a story and the lines with its day, as Markdown."""
    if not article.head:
        return ""
    tree, skipped = article.tree, hidden_nodes(article)
    for index in tree.named("img"):
        skipped[index] = 1
    parts = (render(replace(article, root=index, skipped=skipped)).strip() for index in article.head)
    return "\n\n".join(filter(None, parts))


def outside(article: Article) -> Article:
    """The page without what an article reads of its tables, and without what is hidden."""
    tree, skipped = article.tree, hidden_nodes(article)
    end = tree.ends[article.root] if tree.ends else 0
    for table in tree.named("table"):
        if article.root <= table < end and not article.skipped[table]:
            skipped[table : tree.ends[table]] = b"\1" * (tree.ends[table] - table)
    return replace(article, root=0, skipped=skipped)


def _without_copies(article: Article, lines: list[_Line]) -> list[_Line]:
    """Leaves out choices that stood before, and parts of the page all of whose lines stood before."""
    tree, nodes = article.tree, [line.node for line in lines]
    dropped, seen, around = set[int](), dict[tuple[str, ...], int](), list[int]()
    for index in sorted(at for tag in _PARTS for at in tree.named(tag)):
        while around and tree.ends[around[-1]] <= index:
            around.pop()
        around.append(index)
        first, after = bisect_left(nodes, index), bisect_left(nodes, tree.ends[index])
        if first == after or len(around) > _DEEPEST:
            continue
        said = tuple(line.text for line in lines[first:after])
        if seen.setdefault(said, first) != first and not _has_label(article, index):
            dropped.update(nodes[first:after])
    choices, kept = set[str](), list[_Line]()
    for line in lines:
        if line.node in dropped or (line.is_choice and line.text in choices):
            continue
        if line.is_choice and not any(map(str.isdigit, line.text)):
            choices.add(line.text)
        kept.append(line)
    return kept


def _has_label(article: Article, part: int) -> bool:
    """Whether text stands directly before a part of the page, beside it: then it tells of something else."""
    tree, at = article.tree, part - 1
    around = tree.parents[part]
    while at > max(around, part - _MOST_BEFORE):
        if tree.texts[at].strip():
            while tree.parents[at] != around:
                at = tree.parents[at]
            return tree.tags[at] not in _PARTS
        at -= 1
    return False


def _lines(article: Article) -> Iterator[_Line]:
    tree, texts = article.tree, article.tree.texts
    # The rows of the data tables that the article leaves out, each by its first cell with its cells.
    rows, reached = dict[int, list[int]](), 0
    for grid in survey(outside(article)).values() if "table" in tree.tags else ():
        if grid.table >= reached and not grid.is_layout:
            reached = tree.ends[grid.table]
            rows |= {row[0]: row for row in grid.rows if row}
    choices = bytearray(len(tree.tags))  # 1 for each node in a link to another place, or in an option
    links = (at for at in tree.named("a") if not (tree.attributes[at].get("href") or "").startswith(_CALLS))
    for index in (*links, *tree.named("option")):
        choices[index : tree.ends[index]] = b"\1" * (tree.ends[index] - index)
    for line, found in groupby(_unread(article, rows), key=itemgetter(0)):
        first, is_choice, last = -1, True, -1
        cells: dict[int, list[str]] = {}
        parts: list[str] = []
        for _, cell, block, node in found:
            if block != last:
                last, parts = block, cells.setdefault(cell, [])
                parts.append(" ")
            parts.append(texts[node])
            if texts[node].strip():
                first, is_choice = node if first < 0 else first, is_choice and bool(choices[node])
        if first >= 0:
            told = [" ".join("".join(cells.get(cell, ())).split()) for cell in rows.get(line, (-1,))]
            yield _Line(first, " | ".join(told).strip(), is_choice)


def _unread(article: Article, rows: dict[int, list[int]]) -> Iterator[tuple[int, int, int, int]]:
    """The texts that the article leaves out and that are not hidden, each behind its line, cell and block."""
    tree, root, skipped = article.tree, article.root, article.skipped
    hidden, end = hidden_nodes(article), tree.ends[root] if tree.ends else 0
    for index in article.head:  # told apart
        hidden[index : tree.ends[index]] = b"\1" * (tree.ends[index] - index)
    row_of = {cell: row for row, cells in rows.items() for cell in cells}
    cell_at = [-1] * len(tree.tags)
    for cell in sorted(row_of):
        cell_at[cell : tree.ends[cell]] = [cell] * (tree.ends[cell] - cell)
    blocks = list[int]()
    for index, (tag, parent) in enumerate(zip(tree.tags, tree.parents, strict=True)):
        if tag:
            blocks.append(index if tag in _LINES or parent < 0 else blocks[parent])
            continue
        blocks.append(block := blocks[parent] if parent >= 0 else index)
        if not hidden[index] and (skipped[index] or not root <= index < end):
            cell = cell_at[index]
            yield (block if cell < 0 else row_of[cell]), cell, block, index


def hidden_nodes(article: Article) -> bytearray:
    """Which nodes readers do not see, anywhere on the page, and the head; what is emptied has no text."""
    tree = article.tree
    hidden = bytearray(len(tree.tags))
    unshown = [index for tag in _UNSHOWN for index in tree.named(tag)]
    for index in (*article.closed, *unshown):
        hidden[index : tree.ends[index]] = b"\1" * (tree.ends[index] - index)
    return hidden
