"""The rules that leave out blocks by the names in their classes and ids."""

from bisect import bisect_left
from collections import Counter
from itertools import islice

from fetcher.web.reading.extract.facts import SHORT, holds_fact, lines_of_facts, telling, tells_terms
from fetcher.web.reading.extract.names.telling_words import named_blocks
from fetcher.web.reading.extract.page import FEW, HEADINGS, MOST, PLACES, SOME, Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.wordlists import (
    AFTER_STORY_WORDS,
    BOILERPLATE_WORDS,
    COLUMN_WORDS,
    CONSENT_WORDS,
    CONTROL_WORDS,
    ELSEWHERE_WORDS,
    FACT_WORDS,
    INSERT_WORDS,
    KIND_FACT_WORDS,
    KIND_WORDS,
    MENU_WORDS,
    NO_FACT_WORDS,
    PRICE,
    RELATED_WORDS,
    SHAPE_WORDS,
    TELEPHONE,
    UNSEEN_WORDS,
)

_CAPTIONS = frozenset({"caption"})
_IN_HEADINGS = frozenset({"a", "span", "b", "strong"})
_MANY = 4
"""Blocks of one class in the posts of a thread: forms are the posts, what others tell stands in each."""
_MOST_LINKED = 0.3
"""The share of links from which a block is a list of what stands elsewhere."""
_LINKS = 0.6
"""The share of links from which a block is hardly anything else."""
_LITTLE = 0.1
"""The share of the text up to which the prose in a block can be any share of the prose."""
_MUCH = 0.35
"""The share of the prose above which blocks of one name are content together, though each is small."""
_MOST_CONTROLS = 50
"""The nodes in a block of a few controls."""


def drop_consent(page: Page) -> None:
    """Leaves out dialogs about cookies, which can be longer than a short page's own text."""
    _drop_named(page, CONSENT_WORDS, MOST, 1)


def drop_columns(page: Page) -> None:
    """Leaves out columns and bars of links, which can be longer than a short page's own text.

    A list of places with their telephones is content.
    """
    features, ends = page.features, page.tree.ends
    text, prose = MOST * features.text_in(page.root), SOME * features.prose_in(page.root)
    for index, names in named_blocks(page):
        if (
            not COLUMN_WORDS.isdisjoint(names.heads)
            and not (page.skipped[index] or page.in_data[index])
            and features.text_in(index) < text
            and features.prose_in(index) <= prose
            and features.linked_in(index) >= _LINKS * features.text_in(index)
            and not page.holds_title(index)
            and bisect_left(page.mains, index) == bisect_left(page.mains, ends[index])
            and not any(map(TELEPHONE.search, page.tree.texts[index : ends[index]]))
        ):
            page.skip(index)


def drop_named(page: Page) -> None:
    """Leaves out small blocks whose class or id says that they are not the content, or a menu of links."""
    _drop_named(page, MENU_WORDS, FEW, SOME, linked=0.4)
    _drop_named(page, BOILERPLATE_WORDS | KIND_WORDS.get(page.kind, frozenset()), FEW, SOME)


def drop_after_story(page: Page) -> None:
    """Leaves out comments and other stories below a story, however much they are."""
    if page.kind is not PageKind.ARTICLE:
        return
    for index, names in named_blocks(page):
        if (
            not page.skipped[index]
            and page.body < index
            and not AFTER_STORY_WORDS.isdisjoint(names.heads)
            and not page.in_data[index]
            and not page.holds_title(index)
            and not page.holds_documents(index)
            and page.features.text_in(index) > SHORT
        ):
            page.skip(index)


def drop_inserts(page: Page) -> None:
    """Leaves out what is called a teaser, a banner or a form behind the first paragraph of a story.

    Together, such blocks must be less than half of the text: else they are what the page is about. Facts are
    read, but not those of a teaser whose heading leads to the page that it is about, unless it has a price.
    """
    if page.kind is not PageKind.ARTICLE:
        return
    tree, features, end = page.tree, page.features, page.tree.ends[page.body]
    found = dict[int, frozenset[str]]()
    reached, data = next((at for at in range(page.body, end) if features.prose[at]), end), 0
    for index, names in named_blocks(page):
        if index <= reached or INSERT_WORDS.isdisjoint(names.words) or page.skipped[index]:
            continue
        if 0 <= data < index:
            data = page.in_data.find(1, index)
        if not index <= data < tree.ends[index] and not page.holds_title(index):
            found[index] = names.words
            reached = tree.ends[index] - 1
    if sum(map(features.text_in, found)) < SOME * features.text_in(page.root):
        for index, words in found.items():
            leads_away = not words.isdisjoint(ELSEWHERE_WORDS) and page.holds_teasers(index)
            is_told = tells_terms(page, index) if leads_away else holds_fact(page, index)
            if not is_told and (leads_away or not page.holds_documents(index)):
                page.skip(index)


def _drop_named(
    page: Page, words: frozenset[str], of_text: float, of_prose: float, linked: float = 0
) -> None:
    features, skipped, tags = page.features, page.skipped, page.tree.tags
    text, prose = of_text * features.text_in(page.root), of_prose * features.prose_in(page.root)
    # Where little is prose, as in a list, a sentence in the foot of the page is most of it.
    prose = max(prose, _LITTLE * features.text_in(page.root))
    sure = CONSENT_WORDS | (KIND_WORDS[page.kind] if page.kind is PageKind.FORUM else frozenset())
    of_facts = FACT_WORDS | KIND_FACT_WORDS.get(page.kind, frozenset())
    blocks = [
        (index, names)
        for index, names in named_blocks(page)
        if not words.isdisjoint(names.words) and not skipped[index]
    ]
    repeated = _repeated_in_posts(page, [index for index, _ in blocks])
    blocks = [block for block in blocks if tags[block[0]] != "form" or block[0] not in repeated]
    facts = telling(page, (index for index, names in blocks if words & names.words <= of_facts))
    facts |= lines_of_facts(
        page,
        (
            index
            for index, names in blocks
            if (words & names.words).isdisjoint(NO_FACT_WORDS) and index not in repeated
        ),
    )
    found, reached = dict[frozenset[str], list[int]](), 0
    for index, names in blocks:
        if (
            index >= reached
            and index not in facts
            and not (
                # In a data table, names say little.
                page.in_data[index + (tags[index] == "table")]
                and (UNSEEN_WORDS.isdisjoint(names.words) or tags[index] in PLACES)
            )
            and features.text_in(index) < text
            and features.prose_in(index) <= prose
            and features.linked_in(index) >= linked * features.text_in(index)
            and not page.holds_title(index)
            and not (words & names.words <= CONTROL_WORDS and _has_telephone(page, index))
            and not ((words & names.words).isdisjoint(NO_FACT_WORDS) and page.holds_documents(index))
            and not (words & names.words <= SHAPE_WORDS and _lists_data(page, index))
            and not (words.isdisjoint(names.heads | names.words & sure) and _tells_of_subject(page, index))
        ):
            block = index
            if words & names.words <= RELATED_WORDS:
                block = _with_what_it_heads(page, index, text=text, prose=prose)
            reached = page.tree.ends[block]
            found.setdefault(words & names.words, []).append(block)
    for said, group in found.items():
        if not _are_content_together(page, said, group):
            for index in group:
                page.skip(index)


def _repeated_in_posts(page: Page, blocks: list[int]) -> frozenset[int]:
    """The blocks of a thread whose class many of them have."""
    if page.kind is not PageKind.FORUM:
        return frozenset()
    sorts = [(page.tree.tags[index] == "form", page.tree.attributes[index].get("class")) for index in blocks]
    counts = Counter(sorts)
    return frozenset(index for index, sort in zip(blocks, sorts, strict=True) if counts[sort] >= _MANY)


def _are_content_together(page: Page, said: frozenset[str], blocks: list[int]) -> bool:
    """Whether small blocks hold much of the prose: paragraphs, or those whose name tells only their shape.

    So do the texts of a page about pictures. What people do not see is not content.
    """
    prose = sum(map(page.features.prose_in, blocks))
    if len(blocks) < 2 or prose <= _MUCH * page.features.prose_in(page.root):
        return False
    if not said.isdisjoint(NO_FACT_WORDS):
        return False
    return said <= SHAPE_WORDS | _CAPTIONS or all(page.tree.tags[index] == "p" for index in blocks)


def _tells_of_subject(page: Page, index: int) -> bool:
    """Whether a block holds data, prices or running text, and few links: then its name may be about these."""
    if _leads_elsewhere(page, index):
        return False
    if _lists_data(page, index):
        return True
    if page.features.prose_in(index):
        return not page.holds_teasers(index)
    prices = (text for text in page.tree.texts[index : page.tree.ends[index]] if text and PRICE.search(text))
    return len(list(islice(prices, 2))) == 2


def _has_telephone(page: Page, index: int) -> bool:
    """Whether a short block of controls has one that dials a number which it shows."""
    tree, end = page.tree, page.tree.ends[index]
    if end - index > _MOST_CONTROLS:
        return False
    links = (at for at in range(index, end) if tree.tags[at] == "a")
    dials = (at for at in links if (tree.attributes[at].get("href") or "").startswith("tel:"))
    return any(TELEPHONE.search(page.text_of(at)) for at in dials)


def _with_what_it_heads(page: Page, index: int, *, text: float, prose: float) -> int:
    """The section of links that a heading with such a name begins, if it is small enough; else the block."""
    tree, features, heading = page.tree, page.features, index
    while tree.tags[heading] in _IN_HEADINGS and features.text_in(tree.parents[heading]) == features.text_in(
        index
    ):
        heading = tree.parents[heading]
    section = tree.parents[heading]
    is_section = (
        tree.tags[heading] in HEADINGS
        and section > page.root
        and not features.text_between(section, heading)
        and _LINKS * features.text_in(section) <= features.linked_in(section)
        and features.text_in(section) < text
        and features.prose_in(section) <= prose
        and not page.holds_title(section)
    )
    return section if is_section else index


def _lists_data(page: Page, index: int) -> bool:
    has_data = page.in_data.find(1, index, page.tree.ends[index]) >= 0
    return has_data and not _leads_elsewhere(page, index)


def _leads_elsewhere(page: Page, index: int) -> bool:
    return page.features.linked_in(index) >= _MOST_LINKED * page.features.text_in(index)
