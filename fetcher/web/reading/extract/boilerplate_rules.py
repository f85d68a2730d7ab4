"""The rules of main-content detection, each a small step that leaves parts of a page out.

Every rule is guarded by how much it would take: a block called "sidebar" that holds half of the
page's text is not a sidebar. Measured on pages of many kinds, the guards matter more than the words.
"""

import re
from bisect import bisect, bisect_left
from itertools import accumulate

from fetcher.web.reading.extract.facts import holds_fact, telling, tells_fact
from fetcher.web.reading.extract.page import FEW, SOME, Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.wordlists import (
    BOILERPLATE_ROLES,
    BOILERPLATE_TAGS,
    FACT_ROLES,
    FACT_TAGS,
    FOOT_ID,
    NOTE_WORDS,
    PRICE,
)

_CARDS = frozenset({"li", "div", "article", "section", "a"})

_LEAST_CARD = 5
"""The weight of a price with a size."""

_WRITTEN = frozenset({"text", "email", "tel", "search", "password", "url", "number"})
"""The types of fields that people write in."""

_LARGEST_FORM = 1000
"""The nodes in a form with a choice of countries."""

_TELLING_TAGS = frozenset({*BOILERPLATE_TAGS, "main", "article", "header"})

_NO_PAGES = ("javascript:", "tel:", "mailto:", "data:")
"""What links begin with that do something on the page itself, or lead to no page."""


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
        if tag == "header" and index >= inside and not (features.prose_in(index) and page.holds_title(index)):
            limit = SOME
        if limit and features.text_in(index) < limit * total:
            if index not in facts and not page.is_of_labels(index) and not _is_note(page, index):
                page.skip(index)
        elif tag == "noscript":
            # Forums serve whole threads so: from here on it is a block like any other.
            page.tree.rename(index, "div")


def _is_note(page: Page, index: int) -> bool:
    """Whether an element is an aside that is called a note, and leads hardly anywhere."""
    if page.tree.tags[index] != "aside":
        return False
    names = re.findall("[a-z]+", (page.tree.attributes[index].get("class") or "").lower())
    text, linked = page.features.text_in(index), page.features.linked_in(index)
    return not NOTE_WORDS.isdisjoint(names) and linked <= 0.3 * text


def drop_feet(page: Page) -> None:
    """Leaves out blocks with the id of a page's foot: pages without a `footer` put their small print there.

    On a page of tables it can be all the prose that there is.
    """
    tree, features = page.tree, page.features
    limit = BOILERPLATE_TAGS["footer"] * features.text_in(page.root)
    texts = sorted((*tree.named("main"), *tree.named("article")))
    reached = list(accumulate((tree.ends[at] for at in texts), max, initial=0))
    for index in page.with_any(("id",)):
        if (
            FOOT_ID.fullmatch(tree.attributes[index].get("id") or "")
            and not (page.skipped[index] or page.in_data[index] or page.holds_title(index))
            and (before := bisect_left(texts, index)) == bisect_left(texts, tree.ends[index])
            and reached[before] <= index
            and features.text_in(index) < limit
        ):
            page.skip(index)


def drop_forms(page: Page) -> None:
    """Leaves out small forms with a field to write in: what they say is about what to write there.

    Those of threads hold posts, those of products the choices, and facts are content in any form.
    """
    if page.kind in (PageKind.FORUM, PageKind.PRODUCT):
        return
    tree, features = page.tree, page.features
    text = FEW * features.text_in(page.root)
    fields = sorted(at for at in (*tree.named("input"), *tree.named("textarea")) if _is_field(page, at))
    for index in tree.named("form"):
        end = tree.ends[index]
        if (
            page.root < index < tree.ends[page.root]
            and end - index <= _LARGEST_FORM
            and bisect_left(fields, index) < bisect_left(fields, end)
            and features.text_in(index) < text
            and not features.prose_in(index)
            and page.in_data.find(1, index, end) < 0
            and not page.holds_title(index)
            and not holds_fact(page, index)
            and not any(PRICE.search(each) for each in tree.texts[index:end] if each)
        ):
            page.skip(index)


def _is_field(page: Page, index: int) -> bool:
    return (page.tree.attributes[index].get("type") or "text").lower() in _WRITTEN


def drop_offers(page: Page) -> None:
    """Leaves out other products: blocks of one sort, side by side, that name prices and lead to other pages.

    Prices that lead nowhere, or to the same page in another colour or size, are about the product itself.
    """
    if page.kind is not PageKind.PRODUCT:
        return
    tree, ends, limit = page.tree, page.tree.ends, SOME * page.features.text_in(page.root)
    # Blocks with one parent, one tag and one first class; none holds the page's title.
    alike: dict[tuple[int, str, str], list[int]] = {}
    for index in page.elements():
        is_card = tree.tags[index] in _CARDS and not page.in_data[index] and not page.holds_title(index)
        if is_card and page.features.text_in(index) >= _LEAST_CARD:
            alike.setdefault((tree.parents[index], *page.sort_of(index)), []).append(index)
    texts, links = page.tree.texts[: ends[page.root]], page.tree.named("a")
    prices = [at for at, text in enumerate(texts) if at > page.root and text and PRICE.search(text)]
    leading = [at for at in links if _leads_elsewhere(page, at)]
    own = list[int]()
    for group in alike.values():
        offers = [index for index in group if bisect(prices, index) < bisect(prices, ends[index] - 1)]
        if len(group) < 2 or 2 * len(offers) < len(group) or sum(map(page.features.text_in, group)) >= limit:
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
    if href.lower().startswith(_NO_PAGES):
        return False
    target, _, _ = href.partition("#")[0].partition("?")
    return not page.url.partition("#")[0].partition("?")[0].endswith(target)


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


def drop_pictures(page: Page) -> None:
    """Leaves out pictures: their alternative text repeats or adorns what the text says.

    A mark that is all that a cell of a table holds is read with the table.
    """
    for index in page.tree.named("img"):
        page.skipped[index] = 1
