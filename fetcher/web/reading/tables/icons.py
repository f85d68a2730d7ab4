"""The signs that icons without a name show in a table, known by the words in their classes and file names."""

import re

from fetcher.web.reading.tree import Article

_WORDS = re.compile(r"[a-z]++")
_SIGNS = {
    "\u2713": ("check", "checkmark", "tick", "done"),
    "\u00d7": ("times", "xmark", "cross", "batsu", "close", "remove", "ng"),
    "\u25ce": ("nijumaru", "nijyumaru", "bullseye"),
    "\u25cb": ("maru", "circle", "ok"),
    "\u25b3": ("sankaku", "triangle"),
    "\u2212": ("minus", "dash", "hyphen"),
}
"""Each sign and its words; a tick in a circle is a tick."""
_ICONS = frozenset({"i", "span", "em", "b", "img"})
_LONGEST = 200


def signs(article: Article, cell: int) -> str:
    """What the icons in a cell without text show."""
    tree, found = article.tree, list[str]()
    node, end = cell + 1, tree.ends[cell]
    while node < end:
        left_out = article.skipped[node] and tree.tags[node] != "img"
        if left_out or tree.tags[node] == "table":
            node = tree.ends[node]
            continue
        if tree.tags[node] in _ICONS and tree.ends[node] == node + 1:
            source = (tree.attribute(node, "src") or "")[:_LONGEST].rpartition("/")[2]
            words = set(_WORDS.findall(f"{tree.attribute(node, 'class') or ''} {source}".lower()[:_LONGEST]))
            found += [sign for sign, names in _SIGNS.items() if not words.isdisjoint(names)][:1]
        node += 1
    return " ".join(found)
