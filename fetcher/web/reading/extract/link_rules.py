"""The rules on links: bars of them, controls, the numbers of pages, the marks of notes."""

import re
from bisect import bisect_left
from itertools import accumulate

from fetcher.web.reading.extract.page import FEW, Page
from fetcher.web.reading.extract.page_kinds import PROSAIC, PageKind
from fetcher.web.reading.extract.wordlists import PAGER

_CONTAINERS = frozenset({"ul", "ol", "li", "div", "section", "p", "table"})
_STOPS = (".", "\u3002")

_BARS = frozenset({"ul", "ol", "li", "p", "div", "span"})
_LONGEST_BAR = 120
"""The weight of a few controls side by side."""

_DOES_SOMETHING = re.compile(r"(?i)\s*+(?:#\s*+$|javascript:)")
"""What a link has for an address if a script does something at a click."""

_LONGEST_NUMBER = 3
"""The weight of the number of a page."""

_LEAST_MENU = 3
"""The links in a menu."""


def drop_links(page: Page) -> None:
    """Leaves out blocks that are mostly links and hold no prose, where the content is text.

    A linked sentence is a part of the text, and so is an entry of a list that has others without links.
    """
    if page.kind not in PROSAIC:
        return
    features, tags, ends, sums = page.features, page.tree.tags, page.tree.ends, page.features.weight_sums
    limit = FEW * features.text_in(page.root)
    for index in page.elements():
        text = sums[ends[index]] - sums[index]
        if 20 <= text < limit and tags[index] in _CONTAINERS and not page.in_data[index]:
            linked, around = features.linked_in(index), page.tree.parents[index]
            if linked <= 0.6 * text or page.is_data_table(index) or features.prose_in(index):
                continue
            is_entry = tags[index] == "li" and features.linked_in(around) < 0.5 * features.text_in(around)
            if not is_entry and not page.text_of(index).endswith(_STOPS):
                page.skip(index)


def drop_controls(page: Page) -> None:
    """Leaves out short blocks of nothing but links that do something on the page itself: print, go up."""
    tree, features = page.tree, page.features
    places = {tree.attributes[at].get("id"): at for at in reversed(page.with_any(("id",)))}

    def leads_up(name: str) -> bool:
        """Whether nothing is read above the place that a link leads to."""
        at = places.get(name)
        if at is None:
            return name.lower() == "top"
        return at <= page.root or not features.text_between(page.root, at)

    controls = [
        at
        for at in tree.named("a")
        if features.text_in(at)
        and (
            _DOES_SOMETHING.match(href := tree.attributes[at].get("href") or "")
            or (href.startswith("#") and leads_up(href[1:]))
        )
    ]
    sums = list(accumulate(map(features.text_in, controls), initial=0))
    reached = 0
    for index in controls:
        if index < reached:  # looked at with the links before it
            continue
        block, at = page.root, index  # the largest that holds only such links
        while (at := tree.parents[at]) > page.root and features.text_in(at) <= _LONGEST_BAR:
            inside = sums[bisect_left(controls, tree.ends[at])] - sums[bisect_left(controls, at)]
            if inside < features.text_in(at):
                break
            block, reached = at if tree.tags[at] in _BARS else block, tree.ends[at]
        if (
            block > page.root
            and not (page.in_data[block] or page.holds_title(block))
            and not page.is_of_labels(block)
            and not any(map(str.isdigit, page.text_of(block)))
        ):
            page.skip(block)


def drop_pagers(page: Page) -> None:
    """Leaves out the numbers of the pages that a text or a list is parted into."""
    tree, features, reached = page.tree, page.features, 0
    for index in tree.named("a"):
        weight = features.text_in(index)
        if index < reached or not 0 < weight <= _LONGEST_NUMBER or not page.text_of(index).isdigit():
            continue
        block, at = page.root, index  # the largest that says nothing else
        while (at := tree.parents[at]) > page.root and features.text_in(at) <= _LONGEST_BAR:
            if features.text_in(at) > weight and not PAGER.fullmatch(page.text_of(at)):
                break
            weight, reached = features.text_in(at), tree.ends[at]
            block = at if tree.tags[at] in _BARS else block
        if block > page.root and not page.in_data[block] and _counts_on(page.text_of(block)):
            page.skip(block)


def _counts_on(text: str) -> bool:
    """Whether a text has a number and the next one, and a one or a word for the next page.

    Rooms and lines of buses have numbers too, but seldom a one with nothing else beside them.
    """
    found = re.findall(r"\d+", text)
    if any(len(number) > _LONGEST_NUMBER for number in found):
        return False
    numbers = set(map(int, found))
    is_of_pages = 1 in numbers or any(map(str.isalpha, text))
    return is_of_pages and any(number + 1 in numbers for number in numbers)


def drop_menu_tables(page: Page) -> None:
    """Leaves out the menus of old pages: a row of links above the content, a column of links beside it."""
    if page.kind not in (PageKind.OTHER, PageKind.HOME):
        return
    tree, features, limit = page.tree, page.features, FEW * page.features.text_in(page.root)
    links, rows = tree.named("a"), tree.named("tr")
    for index in sorted((*tree.named("table"), *tree.named("td"))):
        end = tree.ends[index]
        if page.skipped[index] or page.in_data[index] or not page.root < index < tree.ends[page.root]:
            continue
        is_menu = bisect_left(links, end) - bisect_left(links, index) >= _LEAST_MENU
        is_row = tree.tags[index] == "td" or bisect_left(rows, end) - bisect_left(rows, index) == 1
        text = features.text_in(index)
        is_linked = text < limit and features.linked_in(index) >= 0.8 * text
        if is_menu and is_row and is_linked and not page.holds_title(index):
            page.skip(index)


def drop_note_marks(page: Page) -> None:
    """Leaves out the numbers that lead from a text to its footnotes."""
    features, end = page.features, page.tree.ends[page.root]
    for index in page.tree.named("sup"):
        inside = page.root < index < end and not page.in_data[index]
        if inside and 0 < features.text_in(index) == features.linked_in(index):
            page.skip(index)
