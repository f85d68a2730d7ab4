"""What the classes and ids of a page's blocks give away: the rules that leave out blocks by their names."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from fetcher.web.extract.facts import tells_fact
from fetcher.web.extract.page import FEW, MOST, PLACES, SOME, Page
from fetcher.web.extract.wordlists import (
    BOILERPLATE_WORDS,
    CONSENT_WORDS,
    FACT_WORDS,
    KIND_FACT_WORDS,
    KIND_WORDS,
    MENU_WORDS,
    RANKING_WORDS,
    UNSEEN_WORDS,
)

_NOTHING: frozenset[str] = frozenset()
_TELLING_WORDS = BOILERPLATE_WORDS.union(CONSENT_WORDS, MENU_WORDS, RANKING_WORDS, *KIND_WORDS.values())
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LOWER_WORD = re.compile("[a-z]+")


def drop_consent(page: Page) -> None:
    """Leaves out dialogs about cookies, which can be longer than a short page's own text."""
    _drop_named(page, CONSENT_WORDS, MOST, 1)


def drop_named(page: Page) -> None:
    """Leaves out small blocks whose class or id says that they are not the content."""
    _drop_named(page, BOILERPLATE_WORDS | KIND_WORDS.get(page.kind, frozenset()), FEW, SOME)


def drop_menus(page: Page) -> None:
    """Leaves out small blocks that are called menus and do consist of links."""
    _drop_named(page, MENU_WORDS, FEW, SOME, linked=0.4)


def drop_rankings(page: Page) -> None:
    """Leaves out lists of links that are called rankings, unless they are what the page is about."""
    named = [index for index, names in _named_blocks(page) if not RANKING_WORDS.isdisjoint(names)]
    features, found = page.features, list[int]()
    links = page.tree.named("a") if named else []
    for index in named:
        links_in = bisect_left(links, page.tree.ends[index]) - bisect_left(links, index)
        if (
            not (page.skipped[index] or page.in_data[index] or page.holds_title(index))
            and index >= (page.tree.ends[found[-1]] if found else 0)
            and links_in >= 3
            and features.linked_in(index) >= SOME * features.text_in(index)
        ):
            found.append(index)
    if sum(map(features.text_in, found)) < SOME * features.text_in(page.root):
        for index in found:
            page.skip(index)


def _drop_named(
    page: Page, words: frozenset[str], of_text: float, of_prose: float, linked: float = 0
) -> None:
    features, skipped, tags = page.features, page.skipped, page.tree.tags
    text, prose = of_text * features.text_in(page.root), of_prose * features.prose_in(page.root)
    of_facts = FACT_WORDS | KIND_FACT_WORDS.get(page.kind, _NOTHING)
    for index, names in _named_blocks(page):
        if (
            not words.isdisjoint(names)
            and not skipped[index]
            and not (_is_data(page, index) and (UNSEEN_WORDS.isdisjoint(names) or tags[index] in PLACES))
            and not (words & names <= of_facts and tells_fact(page, index))
            and features.text_in(index) < text
            and features.prose_in(index) <= prose
            and features.linked_in(index) >= linked * features.text_in(index)
            and not page.holds_title(index)
            and not page.is_of_labels(index)
        ):
            page.skip(index)


def _is_data(page: Page, index: int) -> bool:
    """Whether an element is a data table or stands in data, where names say little."""
    is_table = page.tree.tags[index] == "table" and page.tree.ends[index] > index + 1
    return bool(page.in_data[index + is_table])


def _named_blocks(page: Page) -> list[tuple[int, frozenset[str]]]:
    """The blocks under the root whose class or id has a telling word; found once, since few have one."""
    if page.named is None:
        page.named = list(_telling_names(page))
    end = page.tree.ends[page.root]
    return [block for block in page.named if page.root < block[0] < end]


def _telling_names(page: Page) -> Iterator[tuple[int, frozenset[str]]]:
    # A page has many elements and few classes: the words of each are looked for once. What has no text
    # need not be left out.
    attributes, ends, sums = page.tree.attributes, page.tree.ends, page.features.weight_sums
    known: dict[str | None, frozenset[str]] = {None: _NOTHING}
    for index in page.elements():
        if (here := attributes[index]) and sums[ends[index]] > sums[index]:
            class_, id_ = here.get("class"), here.get("id")
            if (words := known.get(class_)) is None:
                words = known[class_] = _telling_words(class_ or "")
            if id_ is not None:
                words |= _telling_words(id_)
            if words:
                yield index, words


def _telling_words(names: str) -> frozenset[str]:
    """The telling words in names, where `siteNav`, `site-nav` and `site_nav` are the same two."""
    if names.islower() and names.isascii():  # most are, and the simpler pattern is twice as fast
        return _TELLING_WORDS.intersection(_LOWER_WORD.findall(names))
    return _TELLING_WORDS.intersection(map(str.lower, _WORD.findall(names)))
