"""The article's data tables as rows of clean text, for exports."""

import re
from dataclasses import replace

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown.code import code_text
from fetcher.web.reading.markdown.elements import BLOCKS, PLAIN, PREFORMATTED, SILENT
from fetcher.web.reading.markdown.escape import (
    BREAK,
    STRIKE,
    STRIKE_END,
    clean,
    protected_lines,
    squash,
    unprotected,
)
from fetcher.web.reading.markdown.figures import FIGURES, gaps
from fetcher.web.reading.markdown.formulas import formula
from fetcher.web.reading.markdown.notation import is_struck, parts_from_next, script_marks
from fetcher.web.reading.markdown.notes import instead_of_power, note_behind_figure, raised_cents
from fetcher.web.reading.tables.cell_labels import CONTROLS, label, shown_by
from fetcher.web.reading.tables.grids import Grid, survey
from fetcher.web.reading.tables.headers import header_rows, joined, names_rows
from fetcher.web.reading.tables.screen_copies import breaks_line, is_block_by_style, without_copies
from fetcher.web.reading.tables.slots import MAX_SLOTS, NO_CELL, SlotBudget, form
from fetcher.web.reading.tree import Article
from fetcher.web.values import Table

MAX_TABLES = 1000
MAX_CHARACTERS = 5_000_000
"""Of all tables of a page together, spans repeated: so a few kilobytes of spans cannot fill the memory."""

_EDGES = dict.fromkeys(BLOCKS, (BREAK, BREAK)) | {"rt": ("(", ")"), "q": ('"', '"')} | {"button": (" ", " ")}
"""The text before and after an element's own."""
_MAY_BE_NOTES = PLAIN | {"a", "b", "em", "i", "strong", "sub"}
_WHOLE = CONTROLS | PREFORMATTED | _MAY_BE_NOTES | {"math", "sup"}
_SILENT = (SILENT | {"table", "math"}) - {"button"}

_NOTHING_STRUCK = re.compile(rf"{STRIKE}\s*+{STRIKE_END}")


def tables(*articles: Article, cut: bool = False) -> tuple[Table, ...]:
    """The data tables of the parts of a page in document order, spans repeated, within the limits.

    `cut` says that the page's end is missing: a table that is open there loses its last row, which may be
    incomplete.
    """
    found: list[Table] = []
    budget, characters = SlotBudget(MAX_SLOTS), MAX_CHARACTERS
    data = []
    for each in articles:
        article = replace(each, mode=ReadingMode.ARTICLE)
        grids = survey(article)
        article = without_copies(article, grids)
        data += [(article, grid) for grid in grids.values() if not grid.is_layout]
    for article, grid in data:
        if len(found) == MAX_TABLES:
            found[-1] = replace(found[-1], cut=True)
            break
        torn = cut and article.tree.ends[grid.table] == len(article.tree.tags)
        if torn:
            del grid.rows[-1:], grid.groups[-1:]
        if table := _table(article, grid, budget, characters):
            found.append(replace(table, cut=table.cut or torn))
            characters -= sum(len(text) for row in (table.header, *table.rows) for text in row)
    return tuple(found)


def _table(article: Article, grid: Grid, budget: SlotBudget, most_characters: int) -> Table | None:
    slots = form(article.tree, grid, budget)
    texts = {NO_CELL: ""} | {node: _text(article, node) for row in grid.rows for node in row}
    if not any(texts.values()):
        return None
    lines: list[tuple[str, ...]] = []
    for row in slots.rows:
        line = tuple(texts[node] for node in row)
        most_characters -= sum(map(len, line))
        if most_characters < 0:
            break
        lines.append(line)
    numbered = dict(zip(slots.origins, lines, strict=False))
    heads = [numbered.pop(at) for at in header_rows(article.tree, grid, list(numbered))]
    named_rows = not heads and names_rows(article.tree, grid, list(numbered.values()))
    return Table(
        caption="" if grid.caption is None else _text(article, grid.caption),
        header=tuple(map(joined, zip(*heads, strict=True))) or ("",) * len(next(iter(lines), ())),
        rows=tuple(numbered.values()),
        cut=slots.cut or len(lines) < len(slots.rows),
        named_rows=named_rows,
    )


def _text(article: Article, node: int) -> str:
    """An element's text, one line for each line break or block; nested tables are exported by themselves."""
    tree, skipped = article.tree, article.skipped
    tags, ends = tree.tags, tree.ends
    pieces, struck = list[str](), 0
    due: dict[int, list[str]] = {}  # the texts at the ends of open elements
    at, node, end = node, node + 1, ends[node]
    while node < end:
        if node in due:
            pieces.extend(reversed(due.pop(node)))
        if skipped[node]:
            node = ends[node]
            continue
        tag = tags[node]
        said = _said_as_a_whole(article, node) if tag in _WHOLE else ""
        if said or tag in _SILENT:
            pieces.append(said)
            node = ends[node]
            continue
        opening, closing = _edges(article, node, pieces) if tag else (clean(tree.texts[node]), "")
        before, after = gaps(article, node) if tag in FIGURES else (False, False)
        if before:
            pieces.append(" ")
        if opening == STRIKE:
            opening, closing = (STRIKE, closing) if node >= struck else ("", "")
            struck = max(struck, ends[node])
        if opening:
            pieces.append(opening)
        if closing or after:
            due.setdefault(ends[node], []).append(closing + " " * after)
        node += 1
    text = "".join([*pieces, *reversed(due.pop(end, []))])
    if STRIKE in text:
        text = _NOTHING_STRUCK.sub(" ", text).replace(STRIKE, "~~").replace(STRIKE_END, "~~")
    lines = filter(None, map(squash, text.split(BREAK)))
    return "\n".join(map(str.rstrip, unprotected("\n".join(lines)).split("\n"))) or label(article, at)


def _said_as_a_whole(article: Article, node: int) -> str:
    """The text of an element that is not read piece by piece; empty if it is."""
    tag = article.tree.tags[node]
    if tag == "math":
        return formula(article, node)
    if tag == "sup":
        return instead_of_power(article, node)
    if tag in _MAY_BE_NOTES:
        return note_behind_figure(article, node) or raised_cents(article, node)
    if tag in PREFORMATTED:
        return protected_lines(code_text(article, node))
    return f" {clean(shown_by(article.tree, node))} ".replace("\n", BREAK)


def _edges(article: Article, node: int, pieces: list[str]) -> tuple[str, str]:
    tree = article.tree
    tag = tree.tags[node]
    if tag in ("sup", "sub"):
        return script_marks(tree, node, pieces[-1][-1:] if pieces else "")
    if tag == "br":
        return (BREAK, "") if breaks_line(tree, node) else ("", "")
    if tag == "img":
        return clean(tree.attribute(node, "alt") or ""), ""
    if tag not in _EDGES and is_block_by_style(tree, node):
        return BREAK, BREAK
    if tag not in _EDGES and is_struck(tree, node):
        return STRIKE, STRIKE_END + " " * parts_from_next(article, node)
    return _EDGES.get(tag, ("", ""))
