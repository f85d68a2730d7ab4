"""Texts in a cell that repeat each other for different screens; browsers show only one of them."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from fetcher.web.reading.tables.grids import Grid
from fetcher.web.reading.tree import Article, Tree

_BLOCK_STYLE = re.compile(r"(?i)(?:^|;)\s*+display\s*+:\s*+(?:block|flex|grid|table|list-item)\b")

_SMALL = re.compile(
    r"(?:visible|show|only)-(?:xs|sm|sp|mobile|phone|small)(?:-\w++)?"
    r"|(?:xs|sp|mobile|smartphone)(?:[-_]?(?:only|view|show|visible|block|inline|br))?"
    r"|(?:sp|mobile)-(?:label|title|th|head)|(?:for|is)-(?:sp|mobile|phone)|d-(?:sm|md|lg|xl)-none|(?:sm|md|lg|xl):hidden"
    r"|(?:hidden|hide)-(?:md|lg|pc|desktop)(?:-up)?|(?:pc|desktop)-?(?:hidden|hide|none)"
)
"""Classes of elements that only small screens show."""
_LARGE = re.compile(
    r"(?:visible|show|only)-(?:md|lg|xl|pc|desktop|large)(?:-\w++)?"
    r"|(?:pc|desktop)(?:[-_]?(?:only|view|show|visible|block|inline|br))?"
    r"|(?:for|is)-(?:pc|desktop)|d-(?:sm|md|lg|xl)-(?:block|inline|flex|inline-block|table-cell)"
    r"|(?:sm|md|lg|xl):(?:block|inline|flex|inline-block)"
    r"|(?:hidden|hide)-(?:xs|sm|sp|mobile|phone)(?:-down)?|(?:sp|mobile)-?(?:hidden|hide|none)"
)
"""Classes of elements that only large screens show."""
_SPOKEN = re.compile(r"sr-only|(?:\w{1,8}-)?offscreen|visually-?hidden|screen-?reader(?:-text)?")


_NUMBER = re.compile(r"[0-9]++")
_PARTS = frozenset({"tr", "td", "th", "tbody", "thead", "tfoot", "caption", "colgroup", "col", "br", "table"})
_MOST_NODES = 40
"""Of an element whose text is compared."""
_DEEPEST = 8
"""Elements around the last text of an element, at most."""


def is_block_by_style(tree: Tree, node: int) -> bool:
    """Whether an element's own style puts it on lines of its own."""
    style = tree.attributes[node].get("style")
    return bool(style) and _BLOCK_STYLE.search(style or "") is not None


def breaks_line(tree: Tree, node: int) -> bool:
    """Whether a `br` breaks a line on large screens too."""
    return _seen_by(tree.attributes[node].get("class") or "") is not _SMALL


def without_copies(article: Article, grids: Mapping[int, Grid]) -> Article:
    """The article without the texts that its cells repeat for small screens or for screen readers.

    Of the elements of one parent, these are the ones whose text another shows too, on larger screens or to
    the eye.
    """
    tree, copies = article.tree, list[int]()
    for table, families in _families(tree, grids).items():
        names = {_text(tree, cell) for cell in grids[table].rows[0]}
        for family in families.values():
            seen_by = {
                at: _seen_by(tree.attributes[at].get("class") or "") for at in family if _is_short(tree, at)
            }
            small = [at for at, kind in seen_by.items() if kind is _SMALL]
            large = [at for at, kind in seen_by.items() if kind is _LARGE]
            spoken = [at for at, kind in seen_by.items() if kind is _SPOKEN]
            said = {number for at in large for number in _NUMBER.findall(_text(tree, at))}
            copies += [at for at in small if large and said.issuperset(_NUMBER.findall(_text(tree, at)))]
            copies += [at for at in small if not large and _text(tree, at).rstrip(":\uff1a") in names]
            copies += [at for at in spoken if is_spoken_copy(tree, at)]
    if not copies:
        return article
    skipped = bytearray(article.skipped)
    for copy in copies:
        skipped[copy : tree.ends[copy]] = b"\1" * (tree.ends[copy] - copy)
    return replace(article, skipped=skipped)


def _families(tree: Tree, grids: Mapping[int, Grid]) -> dict[int, dict[int, list[int]]]:
    """For each data table, the elements in its cells that have such a class, by their parents."""
    found = {table: dict[int, list[int]]() for table, grid in grids.items() if not grid.is_layout}
    open_, reached = list[int](), -1
    for table in grids:
        for node in range(max(table, reached), tree.ends[table]):
            while open_ and node >= tree.ends[open_[-1]]:
                open_.pop()
            if node in grids:
                open_.append(node)
            names = tree.attributes[node].get("class")
            if names and _seen_by(names) and tree.tags[node] not in _PARTS and open_[-1] in found:
                found[open_[-1]].setdefault(tree.parents[node], []).append(node)
        reached = max(reached, tree.ends[table])
    return {table: families for table, families in found.items() if families}


def is_spoken_copy(tree: Tree, node: int) -> bool:
    """Whether an element says to the blind what one beside it shows, which is hidden from them."""
    names = tree.attributes[node].get("class")
    if not names or _seen_by(names) is not _SPOKEN or not (said := _letters(tree, node)):
        return False
    parent = tree.parents[node]
    after, before, end = tree.ends[node], node - 1, tree.ends[parent]
    after += after < end and not tree.tags[after] and not tree.texts[after].strip()
    before -= tree.parents[before] == parent and not tree.tags[before] and not tree.texts[before].strip()
    for _ in range(_DEEPEST):
        if tree.parents[before] <= parent:
            break
        before = tree.parents[before]
    beside = (before, after) if after < end else (before,)
    return any(
        tree.parents[at] == parent
        and tree.attribute(at, "aria-hidden") == "true"
        and _letters(tree, at) == said
        for at in beside
    )


def _letters(tree: Tree, node: int) -> str:
    """An element's text without the points and commas, which a styled price may lack."""
    return _text(tree, node).replace(".", "").replace(",", "")


def _is_short(tree: Tree, node: int) -> bool:
    return tree.ends[node] - node <= _MOST_NODES


def _text(tree: Tree, node: int) -> str:
    if not _is_short(tree, node):
        return ""
    return "".join("".join(tree.texts[node : tree.ends[node]]).split())


@lru_cache(maxsize=1024)
def _seen_by(names: str) -> re.Pattern[str] | None:
    """Which of the three patterns the classes of an element match; None for elements that everyone sees."""
    words = names.lower().split()
    return next((kind for kind in (_LARGE, _SMALL, _SPOKEN) if any(map(kind.fullmatch, words))), None)
