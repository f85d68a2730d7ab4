"""Facts in short blocks: a number with what it counts, a price, a date, a time, a telephone, a state.

Pages put them under names that mean furniture elsewhere: the state of a feature in a `notice`, the price
of a delivery in `shipping`. Such a block is content, unless it is a control or leads elsewhere.
"""

import re
from collections.abc import Iterable

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.page import Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.wordlists import PRICE

LONGEST = 300
"""The weight up to which a block is short enough to be there for its fact."""
SHORT = 70
"""The same for a block whose name means furniture elsewhere: a line with a price, a date, a telephone."""
_MOST_NODES = 200
"""The nodes in such a block."""

_COUNTS = re.compile(rf"\d|{PRICE.pattern}")
"""What every fact has: a digit, or the sign of a currency. Most texts have neither."""
_FACT = re.compile(
    rf"""(?ix)
    {PRICE.pattern}
    | \d(?:\s?(?:{japanese.UNITS}|%|°|(?:kg|g|mm|cm|m|km|ml|l|oz|lbs?|inch(?:es)?|ft|gb|mb|tb|w|v|hz|mah
        |(?:business\ |working\ )?days?|hours?|hrs?|minutes?|mins?|weeks?|months?|years?
        |am|pm|people|seats?|rooms?|nights?|left|remaining|available|stars?)\b)
        | \d?[:\uff1a]\d\d | \.\d)
    | \bv(?>er(?:sion)?)?+[.:]?+\s?\d
    | \d{{4}}[-/.]\d\d?
    | {japanese.REST}\s?\d | \d\s(?:out\s)?of\s\d
    | \+\d{{1,3}}[\s.-]\(?\d | \(0\d{{1,4}}\)\s?\d | \d{{2,5}}-\d{{1,4}}-\d{{3,4}}
    | \d{{3}}\)?[\ -]\d{{3}}-\d{{4}} | \b\d{{2,5}}\)?\ \d{{2,4}}\ \d{{2,4}}\b
    | (?<![\d/.-])[012]?\d\s?(?:[-\u2010-\u2015\u2212~\u301c\uff5e]|to|until|till)\s?[012]?\d(?![\w/.-])
    | \b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|sept|oct|nov|dec)[a-z]{{0,6}}+\.?\s\d
    | \d\s(?:jan|feb|mar|apr|may|june?|july?|aug|sep|sept|oct|nov|dec)
    """
)
_STATE = re.compile(
    rf"""(?ix)
    \b(?: (?:in|out\ of)\ stock | sold\ out | discontinued | free\ (?:shipping|delivery|returns)
        | deprecated | experimental | preview | beta | solved | resolved
        | cancell?ed | postponed | closed | waitlist )\b
    | {japanese.STATES}
    """
)
"""How a thing, a feature, a question or an event stands."""
_CONDITION = re.compile(
    rf"""(?ix)
    \b(?: (?:free|no)\ (?:admission|entry|entrance|parking|charge|booking) | (?:admission|entry|parking)\ free
        | open\ (?:daily|every\ day|all\ (?:day|year)|24) | by\ appointment | (?:cash|adults|members)\ only
        | (?:closed|open)\ (?:on\ )?(?:mon|tue|wed|thu|fri|sat|sun|public\ hol|weekend)[a-z]*+
        | (?:booking|reservations?)\ (?:required|essential|recommended) | first\ come )\b
    | {japanese.CONDITIONS}
    """
)
"""On which terms a place or an event is open."""
_CLICKS = re.compile(
    rf"""(?ix)
    ^(?:shared?|tweet(?:ed)?|liked?|pin(?:ned)?|follow(?:ed)?)\s(?:by\ |on\ |with\ |this\ |\d).*
    | \b(?:shares?|tweets?|likes?|comments?|views?|followers?|posts?|replies|votes?)\s?[:(]?\s?\d[\d.,]*+
    | (?<![\d.,])\d[\d.,]*+[km]?+\s?(?:shares?|tweets?|likes?|comments?|views?|followers?|posts?|replies
        |reads?|readers|votes?|subscribers|reactions|claps)\b
    | (?:{japanese.CLICKS})\D?\d[\d.,]*+[{japanese.UNIT_OF_CLICKS}]?+
    | ^page\s.*
    """
)
"""How often others have clicked on something, and where in a list of pages this one is."""
_OWNER = re.compile(r"(?i)\u00a9|\(c\)|copyright|all rights")
_HEIGHT = 3
"""How many elements can be around a block alone: the entry of a list, a box."""
_CHOICES = frozenset({"label", "legend"})
"""Elements whose class says how a choice stands, not what it is."""
_LONGEST_STATE = 60
"""The weight of a state with its object: "Sold out for this year"."""


def has_fact(text: str) -> bool:
    """Whether a number that means something stands in a text: a price, a measure, a day, a telephone."""
    return _COUNTS.search(text) is not None and _FACT.search(text) is not None


def states_terms(text: str) -> bool:
    """Whether a text says how an event or a thing stands, or on which terms: cancelled, free, sold out."""
    return _STATE.search(text) is not None or _CONDITION.search(text) is not None


def tells_terms(page: Page, index: int) -> bool:
    """Whether a small block tells a price, or on which terms a place is open: no other story does."""
    if page.tree.ends[index] - index > _MOST_NODES:
        return False
    text = page.read_text_of(index)
    return PRICE.search(text) is not None or states_terms(text)


def tells_fact(page: Page, index: int) -> bool:
    """Whether a block is short, mostly not linked, and has a fact in its text, or says how things stand."""
    text = page.features.text_in(index)
    if not 0 < text <= LONGEST or page.tree.ends[index] - index > _MOST_NODES:
        return False
    words = page.read_text_of(index)
    counts = has_fact(words)
    states = text <= _LONGEST_STATE and (_STATE.search(words) or _CONDITION.search(words))
    # Links are asked for last: the first such question of a stage costs.
    return bool(counts or states) and 2 * page.features.linked_in(index) < text


def holds_fact(page: Page, index: int) -> bool:
    """Whether a block tells a fact, or one of the blocks that it consists of does."""
    blocks = page.tree.children(index)
    while len(blocks) == 1:  # boxes around each other
        blocks = page.tree.children(blocks[0])
    return tells_fact(page, index) or any(tells_fact(page, block) for block in blocks)


def is_one_fact(page: Page, index: int) -> bool:
    """Whether a block is a line with a fact, no count of clicks, and leads nowhere but to a telephone."""
    if not 0 < page.features.text_in(index) <= SHORT or page.tree.ends[index] - index > _MOST_NODES:
        return False
    words = page.text_of(index)
    if _OWNER.search(words):
        return False
    counts = has_fact(_CLICKS.sub("", words))
    return bool(counts or _CONDITION.search(words)) and _leads_nowhere(page, index)


def _leads_nowhere(page: Page, index: int) -> bool:
    tree = page.tree
    links = (at for at in range(index, tree.ends[index]) if tree.tags[at] == "a")
    return all((tree.attributes[at].get("href") or "").startswith("tel:") for at in links)


def telling(page: Page, blocks: Iterable[int]) -> frozenset[int]:
    """Those of some blocks that tell a fact, and those of the same sort beside them: a list is not cut."""
    found = set[int]()
    for alike in _sorts(page, blocks):
        if any(tells_fact(page, index) for index in alike):
            found.update(index for index in alike if _is_short(page, index, LONGEST))
    return frozenset(found)


def lines_of_facts(page: Page, blocks: Iterable[int]) -> frozenset[int]:
    """The same for blocks that are a line each."""
    found = set[int]()
    for alike in _sorts(page, blocks):
        if any(is_one_fact(page, index) for index in alike):
            found.update(
                index for index in alike if _is_short(page, index, SHORT) and _leads_nowhere(page, index)
            )
    return frozenset(found)


def _is_short(page: Page, index: int, longest: int) -> bool:
    text = page.features.text_in(index)
    small = text <= longest and page.tree.ends[index] - index <= _MOST_NODES
    return small and 2 * page.features.linked_in(index) < text


def _sorts(page: Page, blocks: Iterable[int]) -> Iterable[list[int]]:
    """Blocks by parent, tag and first class; elements around a block alone count as the block itself.

    The captions of a story's pictures are a list only where no paragraph stands between them, as steps do.
    """
    tree, text_in = page.tree, page.features.text_in
    if page.kind is PageKind.FORUM:  # where the day of a post stands beside counts of everything
        return [[index] for index in blocks]
    found: dict[tuple[object, ...], list[int]] = {}
    run = reached = 0
    for index in blocks:
        top, tag = index, tree.tags[index]
        for _ in range(_HEIGHT):
            if (above := tree.parents[top]) <= page.root or text_in(above) != text_in(index):
                break
            top = above
        name = "" if tag in _CHOICES else (tree.attributes[index].get("class") or "").partition(" ")[0]
        key: tuple[object, ...] = (tree.parents[top], tree.tags[top], tag, name)
        if tag == "figcaption":
            if any(page.features.prose[reached:top]):
                run = index
            reached = tree.ends[top]
            key += (run,)
        found.setdefault(key, []).append(index)
    return found.values()
