"""Superscripts, subscripts and deletions in plain characters, so that no number is misread."""

import re

from fetcher.web.reading.markdown.neighbours import NARROW, text_after
from fetcher.web.reading.tree import Article, Tree

DELETIONS = frozenset({"del", "s", "strike"})

_SIMPLE = re.compile(r"[-+\u2212]?(?:[A-Za-z]+|[0-9]+(?:[.,][0-9]+)*)")
_STARTS = re.compile(r"[A-Za-z0-9+\-\u2212]")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "re", "nde"})
_SLASHES = frozenset({"/", "\u2044", "\u2215"})
_BASE_ENDS = frozenset(")]}")
_CURRENCIES = frozenset("$\u20ac\u00a3\u00a5\uffe5")


def script_marks(tree: Tree, node: int, before: str) -> tuple[str, str]:
    """The marks around the text of a `sup` or `sub`: `10^6`, `x^(n+1)`, `10_2`, but `H2O` and `5th`.

    `before` is the character before the element; it is empty at the beginning of a line.
    """
    if is_upper_half(tree, node):
        return (" ", "") if before.isdigit() else ("", "")
    if not before.isalnum() and before not in _BASE_ENDS:
        return "", ""
    end, mark = tree.ends[node], "^" if tree.tags[node] == "sup" else "_"
    after = tree.texts[end][:1] if end < len(tree.tags) else ""
    text = ""
    if end <= node + 2:  # there are no elements in it
        text = tree.texts[end - 1].strip().translate(NARROW)
        is_formula = text.isdigit() and not before.isdigit() and not after.isdigit()
        is_ordinal = text in _ORDINALS if before.isdigit() else text == "th"
        # These cannot be misread, nor can a sign or a note in another script.
        if not _STARTS.match(text) or (is_ordinal if mark == "^" else is_formula):
            return "", ""
    if _SIMPLE.fullmatch(text) and not (after.isascii() and after.isalnum()):
        return mark, ""
    return f"{mark}(", ")"


def is_upper_half(tree: Tree, node: int) -> bool:
    """Whether a `sup` is the upper half of a fraction: followed by a slash and a `sub`."""
    slash = tree.ends[node]
    return (
        tree.tags[node] == "sup"
        and tree.tags[slash : slash + 2] == ["", "sub"]
        and tree.texts[slash].strip() in _SLASHES
    )


def is_struck(tree: Tree, node: int) -> bool:
    """Whether an element strikes its text through, by what it is or by its own style."""
    return tree.tags[node] in DELETIONS or "line-through" in (tree.attributes[node].get("style") or "")


def parts_from_next(article: Article, node: int) -> bool:
    """Whether what follows a deletion has to be set apart from it, as in `1,000円` and `800円`."""
    after = text_after(article, node)[:1]
    return after.isalnum() or after in _CURRENCIES
