"""The rules on links: bars and menus of them."""

from bisect import bisect_left

from fetcher.web.reading.extract.page import FEW, Page
from fetcher.web.reading.extract.page_kinds import PROSAIC, PageKind

_CONTAINERS = frozenset({"ul", "ol", "li", "div", "section", "p", "table"})
_STOPS = (".", "\u3002")

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
