"""Other stories beside a story: cards of one sort, and lists of links."""

from bisect import bisect_left

from fetcher.web.reading.extract.page import Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.wordlists import TELEPHONE

_CARDS = frozenset({"li", "div", "article", "section", "a", "dd", "tr"})
_LISTS = frozenset({"ul", "ol", "dl", "div", "section", "p", "table"})
_NO_PAGES = ("#", "tel:", "mailto:", "javascript:")
_LONGEST_CARD = 700
"""The weight of a title with its summary."""
_LEAST_CARDS = 3
_LEAST_BODY = 300
"""The weight of a paragraph or two."""


def take_files_and_telephones_for_text(page: Page) -> None:
    """Counts links to documents and telephones as text: they are a page's content, other pages are not."""
    tree = page.tree
    telephones = (at for at in tree.named("a") if (tree.attributes[at].get("href") or "").startswith("tel:"))
    for index in (*page.documents(), *telephones):
        page.features.unlink(index, tree.ends[index])


def drop_teasers(page: Page) -> None:
    """Leaves out cards that each have a link, and lists of links, outside the body of a story.

    Together, cards of one sort must be less than the body: else they are what the page is about.
    """
    if page.kind is not PageKind.ARTICLE or not page.root <= page.body < page.tree.ends[page.root]:
        return
    tree, features, body = page.tree, page.features, page.body
    limit = features.text_in(body)
    if features.prose_in(body) < max(_LEAST_BODY, 0.5 * features.prose_in(page.root)):
        return
    groups: dict[tuple[int, str, str], list[int]] = {}
    end = tree.ends[body]
    for index in page.elements():
        if index < end and tree.ends[index] > body:  # in the body, or around it
            continue
        tag, text = tree.tags[index], features.text_in(index)
        is_linked = 8 <= text < limit and features.linked_in(index) > 0.6 * text
        if tag in _LISTS and is_linked and not features.prose_in(index) and not page.is_data_table(index):
            page.skip(index)
        elif tag in _CARDS and not page.in_data[index] and not page.holds_title(index):
            groups.setdefault((tree.parents[index], *page.sort_of(index)), []).append(index)
    links = [at for at in tree.named("a") if not (tree.attribute(at, "href") or "#").startswith(_NO_PAGES)]
    for (parent, tag, _), group in groups.items():
        weights = list(map(features.text_in, group))
        linked = sum(bisect_left(links, at) < bisect_left(links, tree.ends[at]) for at in group)
        are_cards = linked >= _LEAST_CARDS and 4 * linked >= 3 * len(group) and max(weights) <= _LONGEST_CARD
        is_sentence = tag == "a" and 2 * sum(weights) < features.text_in(parent)
        if are_cards and not is_sentence and sum(weights) < limit and not _have_telephones(page, group):
            for index in group:
                page.skip(index)


def _have_telephones(page: Page, cards: list[int]) -> bool:
    """Whether half of some cards have a telephone: then they are places, not stories."""
    texts, ends = page.tree.texts, page.tree.ends
    return 2 * sum(any(map(TELEPHONE.search, texts[at : ends[at]])) for at in cards) >= len(cards)
