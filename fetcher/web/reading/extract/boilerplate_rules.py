"""The rules of main-content detection, each a small step that leaves parts of a page out.

Every rule is guarded by how much it would take: a block called "sidebar" that holds half of the
page's text is not a sidebar. Measured on pages of many kinds, the guards matter more than the words.
"""

from bisect import bisect, bisect_left
from collections.abc import Iterator
from itertools import islice, takewhile

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.facts import telling, tells_fact
from fetcher.web.reading.extract.page import CELLS, FEW, HEADINGS, LOWEST, SOME, Page
from fetcher.web.reading.extract.page_kinds import PROSAIC, PageKind
from fetcher.web.reading.extract.wordlists import (
    BOILERPLATE_ROLES,
    BOILERPLATE_TAGS,
    FACT_ROLES,
    FACT_TAGS,
    PRICE,
    TAIL_HEADING,
)

_TITLES = frozenset({"p", "div", "dt", "span", "strong", "b", *HEADINGS})
_CONTAINERS = frozenset({"ul", "ol", "li", "div", "section", "p", "table"})
_CARDS = frozenset({"li", "div", "article", "section", "a"})

_LEAST_CARD = 5
"""The weight of a price with a size."""

_LONGEST_MARK = 20
"""The length of the alternative text of a mark, such as the tick in a comparison."""

_TELLING_TAGS = frozenset({*BOILERPLATE_TAGS, "main", "article", "header"})

_NO_PAGES = ("javascript:", "tel:", "mailto:", "data:")
"""What links begin with that do something on the page itself, or lead to no page."""

_ENOUGH_TO_JUDGE = 12
"""So many blocks show what stands below a title; looking at all would take long where many titles stand."""


def drop_furniture(page: Page) -> None:
    """Leaves out what HTML itself marks as not being content: navigation, controls."""
    tags, ends, features = page.tree.tags, page.tree.ends, page.features
    total, inside = features.text_in(page.root), 0
    marked = (at for at in page.with_any(("role",)) if page.tree.attributes[at]["role"] in FACT_ROLES)
    facts = telling(page, sorted({*marked, *(at for tag in FACT_TAGS for at in page.tree.named(tag))}))
    telling_tags = (at for tag in _TELLING_TAGS for at in page.tree.named(tag))
    for index in sorted({*page.with_any(("role",)), *telling_tags}):
        if page.skipped[index] or not page.root < index < ends[page.root]:
            continue
        tag, role = tags[index], page.tree.attributes[index].get("role")
        if tag == "main" or role == "main":
            page.mains.append(index)
        if tag in ("main", "article"):
            inside = max(inside, ends[index])
        if page.in_data[index]:
            continue
        limit = BOILERPLATE_TAGS.get(tag) or (SOME if (role or "").lower() in BOILERPLATE_ROLES else 0)
        if tag == "header" and index >= inside:
            limit = SOME
        if limit and features.text_in(index) < limit * total:
            if index not in facts and not page.is_of_labels(index):
                page.skip(index)
        elif tag == "noscript":
            page.tree.rename(
                index, "div"
            )  # forums serve whole threads so: from here on it is a block like any other


def cut_tails(page: Page) -> None:
    """Leaves out what stands under headings such as "Related articles" or "Comments"."""
    if page.kind not in PROSAIC and page.kind is not PageKind.OTHER:
        return
    limit = 0.3 * page.features.text_in(page.root)
    for index in _tail_titles(page):
        block = _block_begun_by(page, index, limit)
        if page.features.text_in(block) < limit and not page.holds_title(block):
            page.skip(block)
            for part in _links_below(page, index, limit) if block == index else ():
                page.skip(part)


def _tail_titles(page: Page) -> Iterator[int]:
    tags, ends, sums = page.tree.tags, page.tree.ends, page.features.weight_sums
    judged = page.root
    for index in page.elements():
        short = tags[index] in _TITLES and 0 < sums[ends[index]] - sums[index] <= 100
        if short and index >= judged and not page.in_data[index] and _names_a_tail(page, index):
            judged = ends[index]  # what is nested in a title says the same once more
            if not japanese.may_head_content(page.text_of(index)) or _heads_links(page, index):
                yield index


def _names_a_tail(page: Page, index: int) -> bool:
    tag = page.tree.tags[index]
    if tag not in HEADINGS and page.features.is_ascii(index):  # most of what is short
        return False
    text = page.text_of(index).strip(" :")
    if not text.isascii() and japanese.heads_a_tail(text):
        return page.kind in PROSAIC or not japanese.heads_links_on_the_subject(text)
    return tag in HEADINGS and page.kind in PROSAIC and TAIL_HEADING.fullmatch(text) is not None


def _links_below(page: Page, heading: int, limit: float) -> list[int]:
    """What follows beside a heading, up to the next one, if it is mostly links and below the limit."""
    if page.tree.tags[heading] not in HEADINGS:  # many titles can share what follows, headings cannot
        return []
    below = page.followers(heading, page.next_heading(heading, LOWEST))
    found = list(takewhile(lambda at: page.features.text_in(at) < limit, below))
    text, linked = _text_and_links(page, found)
    return found if text < limit and linked >= 0.5 * text else []


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


def _block_begun_by(page: Page, heading: int, limit: float) -> int:
    """The largest block below the limit in which no text comes before the heading."""
    block, parents, features = heading, page.tree.parents, page.features
    while (parent := parents[block]) > page.root:
        if features.text_between(parent, block) or features.text_in(parent) >= limit:
            break
        block = parent
    return block


def drop_offers(page: Page) -> None:
    """Leaves out other products: blocks of one sort, side by side, that name prices and lead to other pages.

    Prices that lead nowhere, or to the same page in another colour or size, are about the product itself.
    """
    if page.kind is not PageKind.PRODUCT:
        return
    limit, ends = SOME * page.features.text_in(page.root), page.tree.ends
    texts, links = page.tree.texts[: ends[page.root]], page.tree.named("a")
    prices = [at for at, text in enumerate(texts) if at > page.root and text and PRICE.search(text)]
    leading = [at for at in links if _leads_elsewhere(page, at)]
    own = list[int]()
    for group in _alike(page):
        offers = [index for index in group if bisect(prices, index) < bisect(prices, ends[index] - 1)]
        if 2 * len(offers) < len(group) or sum(map(page.features.text_in, group)) >= limit:
            continue
        if any(bisect_left(leading, index) < bisect_left(leading, ends[index]) for index in offers):
            for index in group:
                page.skip(index)
        else:
            own += offers
    reached = 0
    for index in sorted(own):
        if index >= reached:  # a choice of colours is not a list of links
            reached = ends[index]
            page.features.unlink(index, reached)


def _leads_elsewhere(page: Page, link: int) -> bool:
    """Whether a link leads to another page, with its query and fragment aside."""
    href = (page.tree.attributes[link].get("href") or "").strip()
    if not href or href[0] in "#?" or href.lower().startswith(_NO_PAGES):
        return False
    target, _, _ = href.partition("#")[0].partition("?")
    return not page.url.partition("#")[0].partition("?")[0].endswith(target)


def _alike(page: Page) -> list[list[int]]:
    """Groups of blocks with one parent, one tag and one first class; none holds the page's title."""
    tree = page.tree
    groups: dict[tuple[int, str, str], list[int]] = {}
    for index in page.elements():
        is_card = tree.tags[index] in _CARDS and not page.in_data[index] and not page.holds_title(index)
        if is_card and page.features.text_in(index) >= _LEAST_CARD:
            name = (tree.attributes[index].get("class") or "").partition(" ")[0]
            groups.setdefault((tree.parents[index], tree.tags[index], name), []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def start_at_title(page: Page) -> None:
    """Begins at the first `h1`, when little stands before it.

    Prose there is an introduction, and a fact the day of an event or a notice about a timetable.
    """
    title = page.title()
    if title is None:
        return
    features = page.features
    if features.text_between(page.root, title) < 0.15 * features.text_in(page.root):
        for index in page.elements():
            if index >= title:
                break
            before = page.tree.ends[index] <= title and not page.in_data[index]
            if before and not features.prose_in(index) and not tells_fact(page, index):
                page.skip(index)


def drop_links(page: Page) -> None:
    """Leaves out blocks that are mostly links and hold no prose, where the content is text."""
    if page.kind not in PROSAIC:
        return
    features = page.features
    limit = FEW * features.text_in(page.root)
    for index in page.elements():
        if page.tree.tags[index] in _CONTAINERS and not page.in_data[index] and not page.is_data_table(index):
            text = features.text_in(index)
            if 20 <= text < limit and features.linked_in(index) > 0.6 * text and not features.prose_in(index):
                page.skip(index)


def drop_pictures(page: Page) -> None:
    """Leaves out pictures: their alternative text repeats or adorns what the text says.

    A mark that is all that a cell of a table holds is what the cell says.
    """
    tags = page.tree.tags
    for index in page.tree.named("img"):
        around, is_mark = index, len(page.tree.attribute(index, "alt") or "") <= _LONGEST_MARK
        while is_mark and page.in_data[around] and tags[around] not in ("a", *CELLS):
            around = page.tree.parents[around]
        is_in_cell = page.in_data[index] and tags[around] in CELLS and not page.features.text_in(around)
        if not (is_mark and is_in_cell):
            page.skipped[index] = 1


def drop_note_marks(page: Page) -> None:
    """Leaves out the numbers that lead from a text to its footnotes."""
    features, end = page.features, page.tree.ends[page.root]
    for index in page.tree.named("sup"):
        inside = page.root < index < end and not page.skipped[index] and not page.in_data[index]
        if inside and 0 < features.text_in(index) == features.linked_in(index):
            page.skip(index)
