"""Superscripts that are not powers: marks of footnotes, cents, signs.

A figure must not be misread: `1,234` with the note 1 is neither 1,234 to the power of one nor 12341.
A mark without a sign of its own gets brackets, and a space after a digit.
"""

import re

from fetcher.web.reading.markdown.escape import CJK, clean
from fetcher.web.reading.markdown.neighbours import NARROW, text_after, text_before, text_in
from fetcher.web.reading.markdown.notation import is_upper_half
from fetcher.web.reading.tree import Article, Tree

_MOST_NODES = 12
_LONGEST = 24

_SIGNED = re.compile(
    r"[\[(\uff08\uff3b\u3014][^+=*/]*[\])\uff09\uff3d\u3015]"  # [1], (a)
    r"|[*\uff0a\u203b\u2020\u2021\u00a7\u00b6#\uff03]+\s*[0-9\uff10-\uff19a-z]{0,3}"  # *1, and the daggers
    r"|(?:\u6ce8|\u8a3b).*"  # the Japanese word for a note
    r"|(?:[0-9]{1,2}|[a-z])[)\uff09]"
)
_ITEM = r"(?:[0-9]{1,2}|[a-h]|[ivx]{1,4})"
_BARE = re.compile(rf"{_ITEM}(?>[,\u3001\u30fb\u2013\s-]++{_ITEM})*+")
_UNKNOWNS = frozenset("ivx")
_ROUND = frozenset("(\uff08")
_NAMED = re.compile(
    r"(?i)(?:^|[\s_-])(?:foot-?notes?|note-?(?:ref|mark)?|reference|fn|doc-noteref|cite)(?:$|[\s_-])"
)
_LEADS_TO_NOTE = re.compile(r"(?i)#.|[^#]*#(?:cite|fn|ftn|_ftn|note|foot|ref)")

_FIGURE = re.compile(r"(?<![0-9,.])[0-9](?:[0-9,.]*[0-9])?\Z")
_GROUPED = re.compile(r"[0-9],[0-9]{3}(?![0-9])")
_POWERS_OF = frozenset({"2", "10"})
_PRICE = re.compile(r"(?:[$\u00a3\u00a5\u20a0-\u20bf\u0e3f]|\b(?:USD|EUR|GBP|CHF))\s?[0-9][0-9,.]*+\Z")
_CURRENCY = re.compile(r"\s?(?:[$\u00a3\u20a0-\u20bf]|(?:USD|EUR|GBP|CHF|zł|kr|Kč)\b)")
_CENTS = re.compile(r"[0-9]{2}")
_CALLED_CENTS = re.compile(
    r"(?i)(?:^|[\s_-])(?:cents?|pence|fraction|decimals?|dec|sup|superscript)(?:$|[\s_-])"
)

_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,}+\Z")
_SHORT_WORD = 3
_UNITS = frozenset("inch feet yard mile metre metres meter meters acre sinh cosh tanh".split())  # noqa: SIM905
"""Long words that can have powers."""
_NOTED = re.compile(rf"[%\u2030{CJK}]\)?\Z|[.,;:!?\"\u201d]\Z")
"""Ends of text that cannot have powers."""

_MEASURES = frozenset(
    """
    kg mg ml dl cl km cm mm nm min mins sec secs hr hrs ms kb mb gb tb hz khz mhz ghz kw kwh ma mah cal kcal
    kj oz lb lbs ft in yd mi pc pcs pt px yen usd eur jpy gbp kr mph kph rpm db ppm mo wk yr yrs day days
    night nights week weeks month months year years hour hours minute minutes person people am pm a.m. p.m.
    """.split()  # noqa: SIM905
)
_SHORT_MEASURES = frozenset("ghmstlLwWvVkKB")
"""Those that could also be exponents."""
_HOUR = re.compile(r"(?<![0-9,.:])(?:[01]?[0-9]|2[0-4])\Z")
_MINUTES = re.compile(r"[0-5][0-9]")
_TO = r"\s?[-~\u2013\u2014\u2192\u2212\u301c]\s?"
_TO_HOUR = re.compile(rf"{_TO}(?:[01]?[0-9]|2[0-4])(?::?[0-5][0-9])(?![0-9])")
_TO_FULL_HOUR = re.compile(rf"{_TO}(?:[01]?[0-9]|2[0-4]):?0[0-9](?![0-9])")
_FROM_HOUR = re.compile(rf"(?<![0-9,.])(?:[01]?[0-9]|2[0-4]):?[0-5]?[0-9]?{_TO}\Z")

_SIGNS = {"TM": "\u2122", "SM": "\u2120"}
_PLAIN = frozenset({"+", "-", "\u2212"})
_DEGREES = frozenset({"o", "\u25cb", "\u3007"})


def instead_of_power(article: Article, node: int) -> str:
    """What is written for a `sup` that is not a power, with the spaces around it; empty for others."""
    tree = article.tree
    text = clean(text_in(article, node, _MOST_NODES)) if tree.tags[node] == "sup" else ""
    if not text or len(text) > _LONGEST or is_upper_half(tree, node):
        return ""
    before, after = text_before(article, node), text_after(article, node)
    if (
        part := _cents(text, before, after)
        or _minutes(text, before, after)
        or _measure(tree, node, text, before)
    ):
        return part
    if text in _SIGNS and before[-1:].isalnum():
        return _SIGNS[text]
    if text in _PLAIN or (text == "o" and before[-1:] in ("N", "n")):
        return text
    if text in _DEGREES and before[-1:].isdigit() and after[:1] in ("C", "F"):
        return "\u00b0"
    narrow = text.translate(NARROW)
    signed = _SIGNED.fullmatch(text)
    if not (signed or (_BARE.fullmatch(narrow) and _marks_a_note(tree, node, narrow, before, after))):
        return ""
    mark = text if signed else f"[{text}]"
    return " " * before[-1:].isdigit() + mark + " " * after[:1].isdigit()


def note_behind_figure(article: Article, node: int) -> str:
    """The mark of a note that stands directly after a figure without a `sup`; empty for others."""
    tree = article.tree
    if tree.ends[node] > node + 3 or not (text := clean(text_in(article, node, _MOST_NODES))):
        return ""
    signed = text[0] not in _ROUND and _SIGNED.fullmatch(text)  # round brackets may hold any addition
    if not signed and not (_BARE.fullmatch(text) and _is_called_a_note(tree, node)):
        return ""
    if len(text) > _LONGEST:
        return ""
    for _ in range(_MOST_NODES):  # a digit stands before the element, or before the row of links that it ends
        if not text_before(article, node)[-1:].isdigit():
            return ""
        before = tree.parents[node - 1]
        if tree.tags[node] != "a" or tree.tags[before] != "a" or tree.ends[before] != node:
            return f" {text}" if signed else f" [{text}]"
        node = before
    return ""


def raised_cents(article: Article, node: int) -> str:
    """The cents of a price, after a point, in small print or in an element that is called so."""
    tree = article.tree
    if tree.ends[node] != node + 2 or not _CENTS.fullmatch(text := tree.texts[node + 1].strip()):
        return ""
    if tree.tags[node] != "small" and not _CALLED_CENTS.search(tree.attribute(node, "class") or ""):
        return ""
    return _cents(text, text_before(article, node), text_after(article, node))


def _cents(text: str, before: str, after: str) -> str:
    """The cents of a price, after a point if the page has none; empty if this is not a price."""
    whole = before.rstrip(".,")
    figure = _FIGURE.search(whole)
    if not (figure and _CENTS.fullmatch(text) and (_PRICE.search(whole) or _CURRENCY.match(after))):
        return ""
    return text if whole != before else "" if "." in figure[0] else f".{text}"


def _minutes(text: str, before: str, after: str) -> str:
    """The minutes of a time after a colon, or the empty cents of a figure; empty if this is neither.

    Minutes or hours that begin with 0 are told by that, others by a time from or to which they lead.
    """
    hour = _HOUR.search(before)
    if not hour or not _MINUTES.fullmatch(text):
        return ".00" if text == "00" and _FIGURE.search(before) else ""
    if text[0] == "0" or hour[0].startswith("0"):
        return f":{text}"
    to = _TO_FULL_HOUR if hour[0] in _POWERS_OF else _TO_HOUR
    is_from = hour[0] not in _POWERS_OF and _FROM_HOUR.search(before[: hour.start()])
    return f":{text}" if to.match(after) or is_from else ""


def _measure(tree: Tree, node: int, text: str, before: str) -> str:
    """A unit that stands raised behind a figure; empty for other texts."""
    figure = _FIGURE.search(before)
    if not figure or _is_called_a_note(tree, node):
        return ""
    is_short = text in _SHORT_MEASURES and figure[0] not in _POWERS_OF
    return text if is_short or text.lower() in _MEASURES else ""


def _marks_a_note(tree: Tree, node: int, text: str, before: str, after: str) -> bool:
    """Whether a number or a letter marks a note: by its link, by its name, or by the text before it."""
    if _is_called_a_note(tree, node):
        return True
    base = before.rstrip()
    if not base:
        return after[:1].isdigit()
    if figure := _FIGURE.search(base):
        is_power = figure[0] in _POWERS_OF or text in _UNKNOWNS or (text.isdigit() and text != "1")
        return bool(_GROUPED.search(figure[0]) or _PRICE.search(base)) or not is_power
    if word := _WORD.search(base):
        return text == "1" or text.isalpha() or (len(word[0]) > _SHORT_WORD and word[0].lower() not in _UNITS)
    return bool(_NOTED.search(base)) or (text == "1" and base.endswith(")"))


def _is_called_a_note(tree: Tree, node: int) -> bool:
    parent, inside = tree.parents[node], range(node, min(node + 3, tree.ends[node]))
    for at in (parent, *inside) if tree.tags[parent] == "a" else inside:
        names = (tree.attribute(at, name) or "" for name in ("class", "role", "epub:type"))
        href = tree.attribute(at, "href") if tree.tags[at] == "a" else None
        if (href and _LEADS_TO_NOTE.match(href.strip())) or any(map(_NAMED.search, names)):
            return True
    return False
