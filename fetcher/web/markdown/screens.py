"""What of a cell is for which screen: pages that bring a text twice show it once."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from fetcher.web.markdown.grids import Grid
from fetcher.web.tree import Article, Tree

_BLOCK_STYLE = re.compile(r"(?i)(?:^|;)\s*+display\s*+:\s*+(?:block|flex|grid|table|list-item)\b")

_SMALL = re.compile(
    r"(?:visible|show|only)-(?:xs|sm|sp|mobile|phone|small)(?:-\w++)?"
    r"|(?:xs|sp|mobile|smartphone)(?:[-_]?(?:only|view|show|visible|block|inline|br))?"
    r"|(?:for|is)-(?:sp|mobile|phone)|d-(?:sm|md|lg|xl)-none|(?:sm|md|lg|xl):hidden"
    r"|(?:hidden|hide)-(?:md|lg|pc|desktop)(?:-up)?|(?:pc|desktop)-?(?:hidden|hide|none)"
)
"""The class of what only small screens show."""
_LARGE = re.compile(
    r"(?:visible|show|only)-(?:md|lg|xl|pc|desktop|large)(?:-\w++)?"
    r"|(?:pc|desktop)(?:[-_]?(?:only|view|show|visible|block|inline|br))?"
    r"|(?:for|is)-(?:pc|desktop)|d-(?:sm|md|lg|xl)-(?:block|inline|flex|inline-block|table-cell)"
    r"|(?:sm|md|lg|xl):(?:block|inline|flex|inline-block)"
    r"|(?:hidden|hide)-(?:xs|sm|sp|mobile|phone)(?:-down)?|(?:sp|mobile)-?(?:hidden|hide|none)"
)
"""The class of what only large screens show."""
_SPOKEN = re.compile(r"sr-only|(?:\w++-)?offscreen|visually-?hidden|screen-?reader(?:-text)?")


_NUMBER = re.compile(r"[0-9]++")
_MOST_NODES = 40
"""In a text that is looked at."""


def is_block_by_style(tree: Tree, node: int) -> bool:
    """Whether an element's own style puts it on lines of its own."""
    style = tree.attributes[node].get("style")
    return bool(style) and _BLOCK_STYLE.search(style or "") is not None


def breaks_line(tree: Tree, node: int) -> bool:
    """Whether a `br` breaks a line on large screens too."""
    return not _has_class(tree, node, _SMALL)


def without_copies(article: Article, grids: Mapping[int, Grid]) -> Article:
    """The article without what stands in its cells once more, for small screens or for the blind."""
    copies = [copy for family in _families(article.tree, grids) for copy in _copies(article.tree, family)]
    if not copies:
        return article
    skipped = bytearray(article.skipped)
    for copy in copies:
        skipped[copy : article.tree.ends[copy]] = b"\1" * (article.tree.ends[copy] - copy)
    return replace(article, skipped=skipped)


def _families(tree: Tree, grids: Mapping[int, Grid]) -> Iterable[list[int]]:
    """The elements of data tables that have a telling class, those of one parent together."""
    families = defaultdict[int, list[int]](list)
    open_, reached = list[Grid](), -1
    for table in grids:
        for node in range(max(table, reached), tree.ends[table]):
            while open_ and node >= tree.ends[open_[-1].table]:
                open_.pop()
            if node in grids:
                open_.append(grids[node])
            elif open_ and tree.attributes[node].get("class") and not open_[-1].is_layout:
                families[tree.parents[node]].append(node)
        reached = max(reached, tree.ends[table])
    return families.values()


def _copies(tree: Tree, family: list[int]) -> Iterator[int]:
    """Those beside which another element says the same, to people who see more."""
    small = [at for at in family if _has_class(tree, at, _SMALL) and not _has_class(tree, at, _LARGE)]
    large = [at for at in family if _has_class(tree, at, _LARGE)] if small else []
    if large:
        said = {number for at in large for number in _NUMBER.findall(_text(tree, at))}
        yield from (
            at for at in small if _is_short(tree, at) and said.issuperset(_NUMBER.findall(_text(tree, at)))
        )
    yield from (at for at in family if _has_class(tree, at, _SPOKEN) and _is_seen_beside(tree, at))


def _is_seen_beside(tree: Tree, node: int) -> bool:
    """Whether the element behind what is spoken shows the same text."""
    beside, end = tree.ends[node], tree.ends[tree.parents[node]]
    if beside < end and not tree.tags[beside]:
        beside += 1
    if beside >= end or tree.attribute(beside, "aria-hidden") != "true" or not _is_short(tree, beside):
        return False
    return _is_short(tree, node) and _text(tree, node) == _text(tree, beside) != ""


def _is_short(tree: Tree, node: int) -> bool:
    return tree.ends[node] - node <= _MOST_NODES


def _text(tree: Tree, node: int) -> str:
    return "".join("".join(tree.texts[node : tree.ends[node]]).split())


def _has_class(tree: Tree, node: int, pattern: re.Pattern[str]) -> bool:
    names = tree.attributes[node].get("class")
    return bool(names) and any(map(pattern.fullmatch, (names or "").lower().split()))
