"""The edges of a story: the lead above its body, and headings of which nothing is left below it."""

from bisect import bisect_left
from itertools import compress

from fetcher.web.reading.extract.class_names import is_furniture
from fetcher.web.reading.extract.page import HEADINGS, Page
from fetcher.web.reading.extract.page_kinds import PageKind

_FARTHEST = 400
"""How many nodes can stand between a title and the body."""
_NO_LEADS = frozenset(
    {"figcaption", "figure", "aside", "nav", "footer", "form", "blockquote", "table", "noscript"}
)
_BEGINNING = 60
"""So many characters show whether a text stands in another one."""


def drop_empty_sections(page: Page) -> None:
    """Leaves out headings behind the last paragraph whose sections were left out."""
    if page.kind is not PageKind.ARTICLE:
        return
    tree, features = page.tree, page.features
    end = tree.ends[page.root]
    last = max(compress(range(page.root, end), features.prose[page.root : end]), default=page.root)
    headings = [at for at in page.elements() if at > last and tree.tags[at] in HEADINGS]
    for index in reversed(headings):
        after = tree.ends[index]
        stop = min(end, page.next_heading(index, tree.tags[index]))
        if not features.text_between(after, stop) and page.skipped.find(1, after, stop) >= 0:
            page.skip(index)


def keep_lead(page: Page) -> None:
    """Reads the paragraphs between the title and the root: the lead of a story often stands in its head."""
    if page.kind is not PageKind.ARTICLE:
        return
    tree, prose, titles_before = page.tree, page.features.prose, bisect_left(page.titles, page.root)
    title = page.titles[titles_before - 1] if titles_before else -_FARTHEST
    if page.root - title > _FARTHEST:
        return
    read = page.text_of(page.root)
    for index in range(tree.ends[title], page.root):
        if prose[index] and not page.skipped[index]:
            around = [at for at in page.ancestors(index) if at > title]
            is_aside = any(tree.tags[at] in _NO_LEADS or is_furniture(page, at) for at in around)
            if not is_aside and " ".join(tree.texts[index].split())[:_BEGINNING] not in read:
                page.restore(tree.parents[index])
