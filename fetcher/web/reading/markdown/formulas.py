"""MathML as one line of text: `(1/2)x^2`, where the text nodes alone would say `12x2`."""

from fetcher.web.reading.markdown.elements import SILENT
from fetcher.web.reading.markdown.escape import clean
from fetcher.web.reading.tree import Article, Tree

_BETWEEN = {
    "mfrac": ("/",),
    "msup": ("^",),
    "msub": ("_",),
    "msubsup": ("_", "^"),
    "mover": ("^",),
    "munder": ("_",),
    "munderover": ("_", "^"),
    "mroot": ("^(1/",),
}
"""The signs between the parts of an element."""

_AROUND = {"msqrt": ("\u221a(", ")"), "mtd": ("", " "), "mtr": ("", "; "), "mspace": (" ", "")}
_UNSEEN = SILENT | {"mphantom"}
_FEW = 8
"""Nodes of a part that are looked at to see whether it needs brackets."""


def formula(article: Article, math: int) -> str:
    """The text of a `math` element, with signs between its parts as on a typewriter."""
    tree, skipped = article.tree, article.skipped
    tags, ends = tree.tags, tree.ends
    pieces: list[str] = []
    opened: dict[int, str] = {}  # the text before a node
    closed: dict[int, list[str]] = {}  # the texts where nodes end, the innermost last
    node, end = math + 1, ends[math]
    while node < end:
        pieces.extend(reversed(closed.pop(node, ())))
        pieces.append(opened.pop(node, ""))
        tag = tags[node]
        if tag in _UNSEEN or skipped[node]:
            node = ends[node]
            continue
        if not tag:
            pieces.append(clean(tree.texts[node]).strip())
        elif tag in _BETWEEN:
            before = next((piece[-1] for piece in reversed(pieces[-4:]) if piece), "")
            _note_signs(tree, node, before, opened, closed)
        elif tag in _AROUND:
            pieces.append(_AROUND[tag][0])
            closed.setdefault(ends[node], []).append(_AROUND[tag][1])
        node += 1
    pieces.extend(reversed(closed.pop(end, ())))
    text = "".join(pieces).strip()
    before = article.tree.texts[math - 1][-1:] if math else ""
    return f" {text}" if before.isdigit() and text[:1].isdigit() else text  # 2½ is not 21/2


def _note_signs(
    tree: Tree, node: int, before: str, opened: dict[int, str], closed: dict[int, list[str]]
) -> None:
    """Notes the signs and brackets around the parts of a fraction, a power, an index."""
    tags, ends = tree.tags, tree.ends
    parts = [at for at in tree.children(node)[:3] if tags[at]]
    if tags[node] == "mfrac":
        left, right, after = "", "", ends[node]
        if before.isdigit() and all(tags[part] == "mn" for part in parts):
            left = " "  # a mixed number
        elif (after < ends[tree.parents[node]] and tags[after] != "mo") or before.isalnum() or before == ")":
            left, right = "(", ")"
        opened[node + 1] = left
        closed.setdefault(after, []).append(right)
    for part, sign in zip(parts, ("", *_BETWEEN[tags[node]]), strict=False):
        is_compound = ends[part] - part > _FEW or tags[part : ends[part]].count("") > 1
        has_bracket = sign.endswith("(1/")
        opened[part] = opened.get(part, "") + sign + "(" * (is_compound and not has_bracket)
        closed.setdefault(ends[part], []).append(")" * (is_compound or has_bracket))
