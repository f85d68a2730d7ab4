"""What stands below the content of a page under a heading such as "Related articles" or "Comments"."""

from collections.abc import Iterator
from itertools import islice, takewhile

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.page import HEADINGS, LOWEST, SOME, Page
from fetcher.web.reading.extract.page_kinds import PROSAIC, PageKind
from fetcher.web.reading.extract.stories.words import FOREIGN_TAIL_HEADING
from fetcher.web.reading.extract.wordlists import TAIL_HEADING

_TITLES = frozenset({"p", "div", "dt", "span", "strong", "b", *HEADINGS})
_AFTER_TITLES = " .!?\u2026"
_WARES = frozenset({"featured", "products", "services", "items", "deals", "offers", "produkte"})
"""What a page of no certain kind may be about, also where it is called popular or related."""
_ENOUGH_TO_JUDGE = 12
"""So many blocks show what stands below a title; looking at all would take long where many titles stand."""


def cut_tails(page: Page) -> None:
    """Leaves out what stands under headings such as "Related articles" or "Comments"."""
    if page.kind not in PROSAIC and page.kind is not PageKind.OTHER:
        return
    features, parents = page.features, page.tree.parents
    limit = 0.3 * features.text_in(page.root)
    for index in _tail_titles(page):
        block = index  # the largest below the limit in which no text comes before the title
        while (parent := parents[block]) > page.root:
            if features.text_between(parent, block) or features.text_in(parent) >= limit:
                break
            block = parent
        if page.holds_title(block):
            continue
        page.skip(block)
        if page.tree.tags[index] in HEADINGS:  # many titles can share what follows
            below = page.followers(index, page.next_heading(index, LOWEST))
            beside = list(takewhile(lambda at: features.text_in(at) < limit, below))
            text, linked = _text_and_links(page, beside)
            if text < limit and linked >= 0.5 * text:
                for part in beside:
                    page.skip(part)


def _tail_titles(page: Page) -> Iterator[int]:
    tags, ends, sums = page.tree.tags, page.tree.ends, page.features.weight_sums
    judged = page.root
    for index in page.elements():
        short = tags[index] in _TITLES and 0 < sums[ends[index]] - sums[index] <= 100
        if short and index >= judged and not page.in_data[index] and _names_a_tail(page, index):
            judged = ends[index]  # what is nested in a title says the same once more
            text = page.text_of(index)
            may_be_content = page.kind not in PROSAIC and TAIL_HEADING.fullmatch(text)
            if not (may_be_content or japanese.may_head_content(text)) or _heads_links(page, index):
                yield index


def _names_a_tail(page: Page, index: int) -> bool:
    tag = page.tree.tags[index]
    if tag not in HEADINGS and page.features.is_ascii(index):  # most of what is short
        return False
    text = page.text_of(index).strip(" :")
    if not text.isascii() and japanese.heads_a_tail(text):
        return page.kind in PROSAIC or not japanese.heads_links_on_the_subject(text)
    if tag not in HEADINGS:
        return False
    is_foreign = FOREIGN_TAIL_HEADING.fullmatch(text.rstrip(_AFTER_TITLES)) is not None
    if page.kind in PROSAIC:
        return is_foreign or TAIL_HEADING.fullmatch(text) is not None
    # On a list, and on a page about wares, what is new or popular is the content.
    features, weight = page.features, page.features.text_in(page.root)
    if features.linked_in(page.root) >= 0.5 * weight or not _WARES.isdisjoint(text.lower().split()):
        return False
    is_text = features.prose_in(page.root) >= SOME * weight
    return is_foreign or (is_text and TAIL_HEADING.fullmatch(text) is not None)


def _heads_links(page: Page, title: int) -> bool:
    """Whether mostly links follow: to other pages of the site, not what the page itself is about."""
    tags, ends, parents, block = page.tree.tags, page.tree.ends, page.tree.parents, title
    while not page.features.text_between(ends[block], ends[parents[block]]):  # nothing follows in there
        block = parents[block]
        if block <= page.root:
            return False
    rank = min(HEADINGS.intersection(tags[title : ends[title]]), default=LOWEST)
    below = islice(page.followers(block, page.next_heading(block, rank)), _ENOUGH_TO_JUDGE)
    text, linked = _text_and_links(page, list(below))
    return 0 < text <= 2 * linked


def _text_and_links(page: Page, blocks: list[int]) -> tuple[int, int]:
    """How much text is in blocks side by side, and how much of it in links."""
    text = page.features.text_between(blocks[0], page.tree.ends[blocks[-1]]) if blocks else 0
    return text, sum(map(page.features.linked_in, blocks))
