"""The signs that icons without a name show in a table, known by the words in their classes and file names.

A sign must not be read as its opposite. So a word such as "circle" is a sign only where no other word says
what is in the circle, crosses and lines win over ticks and circles, and a tick that is denied is a cross.
"""

import re
from functools import lru_cache

from fetcher.web.reading.tree import Article, Tree

_TICK, _CROSS, _DOUBLE, _CIRCLE, _TRIANGLE, _LINE = "\u2713", "\u00d7", "\u25ce", "\u25cb", "\u25b3", "\u2212"

_WORDS = re.compile(r"[A-Z]?[a-z]++[0-9]{0,2}(?![a-z0-9])|[A-Z]+(?![a-z])|[a-zA-Z0-9]++")
_SIGNS = {
    **dict.fromkeys(
        (
            "times",
            "xmark",
            "cross",
            "crossmark",
            "batsu",
            "close",
            "remove",
            "cancel",
            "wrong",
            "unavailable",
        ),
        _CROSS,
    ),
    **dict.fromkeys(("minus", "dash", "hyphen", "slash", "ban"), _LINE),
    **dict.fromkeys(("check", "checkmark", "tick"), _TICK),
    **dict.fromkeys(("nijumaru", "nijyumaru", "bullseye"), _DOUBLE),
    "maru": _CIRCLE,
    "sankaku": _TRIANGLE,
}
"""Words that are signs beside any other words; those of the first signs win."""
_LONE_SIGNS = {
    **dict.fromkeys(("x", "no", "ng", "false"), _CROSS),
    **dict.fromkeys(("yes", "true", "done", "success"), _TICK),
    **dict.fromkeys(("ok", "circle"), _CIRCLE),
    "triangle": _TRIANGLE,
}
"""Words that are signs only beside words that say nothing else; of several, the first of this table wins."""
_SILENT = frozenset(
    """
    i ico icn icon icons img image fa fas far fal fab fad bi ph ti ri la las mdi mi lucide feather glyphicon
    glyphicons heroicon tabler codicon el ant anticon ion ionicons material symbols oi svg is has cell
    mark sign sm md lg xl xs big thin light regular bold solid fill filled outline outlined line o
    duotone rounded sharp round green blue black white empty blank square box w b
    """.split()  # noqa: SIM905
)
_DENIALS = {
    **dict.fromkeys(("no", "not", "non", "none", "ng", "false", "off", "un", "without"), _CROSS),
    **dict.fromkeys(("disabled", "inactive", "disable"), _LINE),
}
_DENIED = re.compile(r"(?:no|not|non|un)(?:check|tick|ok|yes|maru)(?:ed|mark)?")
_VETOES = frozenset({"logo", "brand", "banner"})
_OF_CELLS = frozenset(
    {"yes", "no", "ok", "ng", "true", "false", "check", "tick", "cross", "maru", "batsu", "sankaku"}
)
_NAMED_BY = ("class", "data-icon", "data-lucide", "data-feather", "icon")
_LONGEST = 200


def signs(article: Article, cell: int) -> str:
    """What the icons in a cell without text show, or what an empty cell's own class says."""
    tree, found = article.tree, list[str]()
    node, end = cell + 1, tree.ends[cell]
    while node < end:
        left_out = article.skipped[node] and tree.tags[node] != "img"
        if left_out or tree.tags[node] == "table":
            node = tree.ends[node]
            continue
        inner = tree.ends[node] - node - 1
        sign = _sign_of(tree, node) if inner == 0 else ""
        if inner == 1 and tree.tags[node + 1] == "svg" and not _sign_of(tree, node + 1):
            sign = _sign_of(tree, node)
        found += [sign] if sign else []
        node += 1
    if cell + 1 == end and not _OF_CELLS.isdisjoint((tree.attribute(cell, "class") or "").lower().split()):
        return sign_called((tree.attribute(cell, "class") or "")[:_LONGEST])
    return " ".join(found)


def _sign_of(tree: Tree, node: int) -> str:
    here = tree.attributes[node]
    if not here:
        return ""
    file = (here.get("src") or "")[:_LONGEST].partition("?")[0].rpartition("/")[2].rpartition(".")[0]
    names = [here.get(name) or "" for name in _NAMED_BY]
    names.append((here.get("name") or "") if "icon" in tree.tags[node] else "")
    return sign_called(" ".join((*names, file.replace(" ", "-")))[:_LONGEST])


@lru_cache(maxsize=1024)
def sign_called(names: str) -> str:
    """The sign that an icon with such names shows; empty if they name none."""
    found, denial = list[str](), ""
    for name in names.split():
        # In lower case without the number of a variant, as in `maru01`.
        words = [
            word.lower().rstrip("0123456789") if len(word) > 2 else word.lower()
            for word in _WORDS.findall(name)
        ]
        if not _VETOES.isdisjoint(words):
            return ""
        rest = [word for word in words if word not in _SILENT]
        lone = [word for word in _LONE_SIGNS if word in rest]
        sign = next((sign for word, sign in _SIGNS.items() if word in rest), "")
        denied = next((_DENIALS[word] for word in words if word in _DENIALS), "")
        if any(map(_DENIED.fullmatch, words)):
            sign, denied = _TICK, _CROSS
        elif "double" in rest and "circle" in rest and len(rest) == 2:
            sign, denied = _DOUBLE, ""
        elif not sign and lone and all(word in _LONE_SIGNS or word in _DENIALS for word in rest):
            sign = _LONE_SIGNS[lone[0]]
        denied = denied if sign else ""
        found += [sign] if sign else []
        if denied or (len(rest) == 1 and rest[0] in _DENIALS):
            denial = denial or denied or _DENIALS[rest[0]]
    if not found:
        return ""
    sign = min(found, key=(_CROSS + _LINE + _TICK + _DOUBLE + _CIRCLE + _TRIANGLE).index)
    return denial if denial and sign not in (_CROSS, _LINE) else sign
