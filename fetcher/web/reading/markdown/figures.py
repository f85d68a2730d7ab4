"""Figures in neighbouring inline elements, which are not one figure.

`<span>5000</span><span>4000</span>` is two figures: styles set them apart, which the text does not have. But
`<b>1</b>200` is one figure of which a part is styled. So two elements are set apart, and an element is set
apart from the text beside it if it is a link or small print, or if its class says that it is another figure.
"""

import re

from fetcher.web.reading.markdown.elements import BLOCKS
from fetcher.web.reading.markdown.neighbours import text_after, text_before
from fetcher.web.reading.tree import Article, Tree

STYLES = frozenset({"abbr", "b", "bdi", "cite", "data", "em", "i", "ins", "label", "strong", "time"})
FIGURES = STYLES | {"a", "small", "span"}
"""Inline elements whose figure may have to be set apart from the one before or after it."""

_APART = re.compile(
    r"""(?ix) (?:^|[\s_-]) (?:
    old | new | was | now | before | after | from | to | strike | strikethrough | line-?through | del
    | deleted | price | prices | amount | regular | original | sale | discount | discounted | special
    | current | final | badge | rank | cell | col | column | tax | total
    ) (?:$|[\s_-])"""
)
"""Words in the class of an element that holds a figure of its own."""
_PARTS_OF_FIGURE = re.compile(
    r"(?i)(?:^|[\s_-])(?:int|integer|whole|digits?|dec|decimals?|fraction|cents?)(?:$|[\s_-])"
)
_BEGINS = re.compile(r"[$\u00a3\u00a5\u20ac\uffe5]?[0-9\uff10-\uff19]")
_CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})
_DEEP = 6
"""Elements that may open or close together where two figures meet."""


def gaps(article: Article, node: int) -> tuple[bool, bool]:
    """Whether an inline element has to be set apart from the text before it, and from the text after it."""
    tree, first, last = article.tree, node + 1, article.tree.ends[node] - 1
    if "role" in tree.attributes[node] and (tree.attribute(node, "role") or "").strip().lower() in _CELLS:
        return True, True
    if last < first:
        return False, False
    while tree.tags[first] and first < min(last, node + _DEEP):
        first += 1
    begins, ends = _BEGINS.match(tree.texts[first]), tree.texts[last][-1:].isdigit()
    if not begins and not ends:
        return False, False
    names = tree.attributes[node].get("class")
    is_apart = tree.tags[node] in ("a", "small") or bool(
        names and _APART.search(names) and not _PARTS_OF_FIGURE.search(names)
    )
    after = bool(ends and is_apart and _BEGINS.match(text_after(article, node)))
    if not begins or not node:
        return False, after
    before = text_before(article, node) if article.skipped[node - 1] else tree.texts[node - 1]
    if not before[-1:].isdigit():
        return False, after
    return is_apart or _is_behind_other(tree, node), after


def _is_behind_other(tree: Tree, node: int) -> bool:
    """Whether an element stands directly behind another with a figure that is not a part of its own."""
    before, parent = node - 1, tree.parents[node]
    for _ in range(_DEEP):
        if tree.parents[before] in (parent, -1):
            break
        before = tree.parents[before]
    tag, here, names = tree.tags[before], tree.attributes[before], tree.attributes[node].get("class") or ""
    if not tag or tag in BLOCKS or tree.parents[before] != parent:
        return False
    if "lang" in here or "lang" in tree.attributes[node]:  # word processors split words like this
        return False
    if _PARTS_OF_FIGURE.search(names) and _PARTS_OF_FIGURE.search(here.get("class") or ""):
        return False
    # The digits of a counter stand in an element each.
    return len(tree.texts[node - 1]) > 1 or len(tree.texts[tree.ends[node] - 1]) > 1
