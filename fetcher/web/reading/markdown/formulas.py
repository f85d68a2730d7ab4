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
"""What stands between the parts of an element."""

_AROUND = {"msqrt": ("\u221a(", ")"), "mtd": ("", " "), "mtr": ("", "; "), "mspace": (" ", "")}
_UNSEEN = SILENT | {"mphantom"}
_FEW = 8
"""Nodes of a part that are looked at to see whether it needs brackets."""


def formula(article: Article, math: int) -> str:
    """The text of a `math` element, its parts set apart as on a typewriter."""
    tree, skipped = article.tree, article.skipped
    tags, ends = tree.tags, tree.ends
    pieces: list[str] = []
    opened: dict[int, str] = {}  # what stands before a node
    closed: dict[int, list[str]] = {}  # what stands where nodes end, the innermost last
    node, end = math + 1, ends[math]
    while node < end:
        pieces.extend(reversed(closed.pop(node, ())))
        pieces.append(opened.pop(node, ""))
        tag = tags[node]
        if tag in _UNSEEN or (skipped and skipped[node]):
            node = ends[node]
            continue
        if not tag:
            pieces.append(clean(tree.texts[node]).strip())
        elif tag in _BETWEEN:
            before = next((piece[-1] for piece in reversed(pieces[-4:]) if piece), "")
            _set_apart(tree, node, before, opened, closed)
        elif tag in _AROUND:
            pieces.append(_AROUND[tag][0])
            closed.setdefault(ends[node], []).append(_AROUND[tag][1])
        node += 1
    pieces.extend(reversed(closed.pop(end, ())))
    text = "".join(pieces).strip()
    beside = article.tree.texts[math - 1][-1:] if math else ""
    return f" {text}" if beside.isdigit() and text[:1].isdigit() else text  # 2½ is not 21/2


def _set_apart(
    tree: Tree, node: int, before: str, opened: dict[int, str], closed: dict[int, list[str]]
) -> None:
    """Notes what is to stand before and behind the parts of a fraction, a power, an index."""
    tag, parts = tree.tags[node], [at for at in tree.children(node)[:3] if tree.tags[at]]
    if tag == "mfrac":
        left, right = _around_fraction(tree, node, parts, before)
        opened[node + 1] = left
        closed.setdefault(tree.ends[node], []).append(right)
    for part, sign in zip(parts, ("", *_BETWEEN[tag]), strict=False):
        bracketed = _is_compound(tree, part) and not sign.endswith("(1/")
        opened[part] = opened.get(part, "") + sign + "(" * bracketed
        closed.setdefault(tree.ends[part], []).append(")" * (bracketed or sign.endswith("(1/")))


def _around_fraction(tree: Tree, node: int, parts: list[int], before: str) -> tuple[str, str]:
    if before.isdigit() and all(tree.tags[part] == "mn" for part in parts):
        return " ", ""  # a mixed number
    after = tree.ends[node]
    followed = after < tree.ends[tree.parents[node]] and tree.tags[after] != "mo"
    return ("(", ")") if followed or before.isalnum() or before == ")" else ("", "")


def _is_compound(tree: Tree, part: int) -> bool:
    end = tree.ends[part]
    return end - part > _FEW or tree.tags[part:end].count("") > 1
