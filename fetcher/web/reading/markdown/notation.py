"""Superscripts, subscripts and neighbouring figures in plain characters, so that no number is misread.

`10^6` is not 106. `1,234` with the note 1 is neither 1,234 to the power of one nor 12341: a mark without a
sign of its own gets brackets, and a space after a digit. `<span>5000</span><span>4000</span>` is two figures,
which styles set apart; but `<b>1</b>200` is one figure of which a part is styled.
"""

import re
from collections.abc import Sequence

from fetcher.web.reading.markdown.elements import SILENT
from fetcher.web.reading.markdown.escape import CJK, clean
from fetcher.web.reading.tree import Article, Tree

DELETIONS = frozenset({"del", "s", "strike"})
FIGURES = frozenset(
    "a abbr b bdi cite data em i ins label small span strong time".split()  # noqa: SIM905 - a table
)
"""Inline elements whose figure may have to be set apart from the one before or after it."""
APART = frozenset({"a", "small"})
"""Those whose figure is never a part of the one beside it."""
NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0xFFE5: 0xA5, 0x3000: 0x20}
"""Full-width characters, and the narrow ones that mean the same."""

FIGURE_BEGINS = re.compile(r"[$\u00a3\u00a5\u20ac\uffe5]?[0-9\uff10-\uff19]")
WORD_BEGINS = re.compile(r"[$\u00a3\u00a5\u20ac\uffe5]|[^\W_]")

_SIMPLE = re.compile(r"[-+\u2212]?(?:[A-Za-z]+|[0-9]+(?:[.,][0-9]+)*)")
_STARTS = re.compile(r"[A-Za-z0-9+\-\u2212]")
_PLAIN = re.compile(r"[-+\u2212]|[A-Za-z.]{2,}")
"""Signs, and letters that are no power: `5th`, `30min`."""
_SLASHES = frozenset({"/", "\u2044", "\u2215"})
_BETWEEN: dict[str, Sequence[str]] = {
    **dict.fromkeys(("msubsup", "munderover"), "_^"),
    **dict.fromkeys(("msup", "mover"), "^"),
    **dict.fromkeys(("msub", "munder"), "_"),
    "mfrac": "/",
    "mroot": ("^1/",),
}
"""The signs between the parts of a formula's element."""
_AROUND = {"mfrac": (" ", " "), "msqrt": ("\u221a(", ")"), "mtd": ("", " "), "mtr": ("", "; ")}
"""The text around an element of a formula: 2 1/2 is not 21/2."""
_FEW = 8
"""Nodes of a part that are looked at to see whether it needs brackets."""
_BASE_ENDS = frozenset(")]}")

_MOST_NODES = 12
_LONGEST = 24
_SIGNED = re.compile(
    r"[\[(\uff08\uff3b\u3014][^+=*/]*[\])\uff09\uff3d\u3015]"  # [1], (a)
    r"|[*\uff0a\u203b\u2020\u2021\u00a7\u00b6#\uff03]+\s*[0-9\uff10-\uff19a-z]{0,3}"  # *1, and the daggers
    r"|(?:\u6ce8|\u8a3b).*"  # the Japanese word for a note
    r"|(?:[0-9]{1,2}|[a-z])[)\uff09]"
)
_ITEM = r"(?:[0-9]{1,2}|[a-h]|[ivx]{1,4})"
_BARE = re.compile(rf"{_ITEM}(?:[,\u3001\u30fb\u2013\s-]{{1,3}}{_ITEM})*")
_NAMED = re.compile(
    r"(?i)(?:^|[\s_-])(?:foot-?notes?|note-?(?:ref|mark)?|reference|fn|doc-noteref|cite)(?:$|[\s_-])"
)
_LEADS_TO_NOTE = re.compile(r"(?i)#.|[^#]*#(?:cite|fn|ftn|_ftn|note|foot|ref)")
_FIGURE = re.compile(r"(?<![0-9,.])[0-9](?:[0-9,.]*[0-9])?\Z")
_GROUPED = re.compile(r"[0-9],[0-9]{3}(?![0-9])")
_POWERS_OF = frozenset({"2", "10"})
_UNKNOWNS = frozenset("ivx")
_UNITS = frozenset("ghmstlLwWvVkKB")
"""Letters that are units rather than notes behind a figure."""
_PRICE = re.compile(r"[$\u00a3\u00a5\u20a0-\u20bf]\s?[0-9][0-9,]*\Z")
"""A sum of money without cents."""
_CENTS = re.compile(r"[0-9]{2}")
_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,}\Z")
_SHORT_WORD = 3
_MEASURES = frozenset({"inch", "feet", "yard", "mile", "metre", "metres", "meter", "meters", "acre"})
"""Long words that can have powers."""
_NOTED = re.compile(rf"[%\u2030{CJK}\]]\)?\Z|[.,;:!?\"\u201d]\Z")
"""Ends of text that cannot have powers."""


def raised_mark(article: Article, node: int, before: str) -> str:
    """What is written for a `sup` that is not a power: a note's mark, a unit, cents; empty for others.

    `before` is the end of the text before the element.
    """
    tree, end = article.tree, article.tree.ends[node]
    if tree.tags[node] != "sup" or end - node > _MOST_NODES or _is_upper_half(tree, node):
        return ""
    text = clean("".join(tree.texts[at] for at in range(node, end) if not article.skipped[at])).strip()
    narrow, before = text.translate(NARROW), before.translate(NARROW)
    if not text or len(text) > _LONGEST:
        return ""
    whole, figure, is_note = before.rstrip(".,"), _FIGURE.search(before), _is_called_a_note(tree, node)
    if _CENTS.fullmatch(narrow) and _PRICE.search(whole):
        return text if whole != before else f".{text}"
    is_unit = figure and figure[0] not in _POWERS_OF and narrow in _UNITS
    signed = _SIGNED.fullmatch(text)
    is_note = is_note or (not is_unit and _marks_a_note(narrow, before))
    if signed or (is_note and _BARE.fullmatch(narrow)):
        return " " * before[-1:].isdigit() + (text if signed else f"[{text}]")
    return text if is_unit or _PLAIN.fullmatch(narrow) else ""


def script_marks(tree: Tree, node: int, before: str) -> tuple[str, str]:
    """The marks around the text of a `sup` or `sub`: `10^6`, `x^(n+1)`, `10_2`, but `H2O`.

    `before` is the character before the element; it is empty at the beginning of a line.
    """
    if _is_upper_half(tree, node):
        return (" ", "") if before.isdigit() else ("", "")
    if not before.isalnum() and before not in _BASE_ENDS:
        return "", ""
    end, mark = tree.ends[node], "^" if tree.tags[node] == "sup" else "_"
    after = tree.texts[end][:1] if end < len(tree.tags) else ""
    text = ""
    if end <= node + 2:  # there are no elements in it
        text = tree.texts[end - 1].strip().translate(NARROW)
        is_formula = text.isdigit() and not before.isdigit() and not after.isdigit()
        # These cannot be misread, nor can a sign or a note in another script.
        if not _STARTS.match(text) or (is_formula and mark == "_"):
            return "", ""
    if _SIMPLE.fullmatch(text) and not (after.isascii() and after.isalnum()):
        return mark, ""
    return f"{mark}(", ")"


def formula(article: Article, math: int) -> str:
    """The text of MathML with signs between its parts, where the parts alone would say `12x2`: `1/2 x^2`."""
    tree, tags, ends = article.tree, article.tree.tags, article.tree.ends
    before: dict[int, str] = {}  # the text before a node, or after all nodes
    pieces, node = list[str](), math
    while node < ends[math]:
        pieces.append(before.pop(node, ""))
        if tags[node] in SILENT or article.skipped[node]:
            node = ends[node]
            continue
        if signs := _BETWEEN.get(tags[node]):
            for part, sign in zip(tree.children(node)[:3], ("", *signs), strict=False):
                is_compound = tags[part : min(ends[part], part + _FEW)].count("") > 1
                before[part] = before.get(part, "") + sign + "(" * is_compound
                before[ends[part]] = ")" * is_compound + before.get(ends[part], "")
        if around := _AROUND.get(tags[node]):
            pieces.append(around[0])
            before[ends[node]] = before.get(ends[node], "") + around[1]
        pieces.append(clean(tree.texts[node]).strip())
        node += 1
    return "".join([*pieces, before.pop(node, "")])


def is_struck(tree: Tree, node: int) -> bool:
    """Whether an element strikes its text through, by what it is or by its own style."""
    return tree.tags[node] in DELETIONS or "line-through" in (tree.attributes[node].get("style") or "")


def may_be_another_figure(tree: Tree, node: int) -> bool:
    """Whether a figure at an element's beginning would not be the same as the one directly before it."""
    before = tree.texts[node - 1] if node else ""
    if not before[-1:].isdigit():
        return False
    if tree.tags[node] in APART:
        return True
    if tree.parents[node - 1] == tree.parents[node] or "lang" in tree.attributes[node]:
        return False  # a part of a figure is styled, or a word processor has split it
    # The digits of a counter stand in an element each.
    return len(before) > 1 or len(tree.texts[tree.ends[node] - 1]) > 1


def _is_upper_half(tree: Tree, node: int) -> bool:
    """Whether a `sup` is the upper half of a fraction: followed by a slash and a `sub`."""
    slash = tree.ends[node]
    return (
        tree.tags[node] == "sup"
        and tree.tags[slash : slash + 2] == ["", "sub"]
        and tree.texts[slash].strip() in _SLASHES
    )


def _marks_a_note(text: str, before: str) -> bool:
    """Whether a number or a letter marks a note, by the text before it."""
    base = before.rstrip()
    if not base:
        return True
    if figure := _FIGURE.search(base):
        is_power = figure[0] in _POWERS_OF or text in _UNKNOWNS or (text.isdigit() and text != "1")
        return bool(_GROUPED.search(figure[0])) or not is_power
    if word := _WORD.search(base):
        is_long = len(word[0]) > _SHORT_WORD and word[0].lower() not in _MEASURES
        return text == "1" or text.isalpha() or is_long
    return bool(_NOTED.search(base)) or (text == "1" and base.endswith(")"))


def _is_called_a_note(tree: Tree, node: int) -> bool:
    parent, inside = tree.parents[node], range(node, min(node + 3, tree.ends[node]))
    for at in (parent, *inside) if tree.tags[parent] == "a" else inside:
        names = (tree.attribute(at, name) or "" for name in ("class", "role", "epub:type"))
        href = tree.attribute(at, "href") if tree.tags[at] == "a" else None
        if (href and _LEADS_TO_NOTE.match(href.strip())) or any(map(_NAMED.search, names)):
            return True
    return False
