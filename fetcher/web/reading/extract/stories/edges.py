"""The edges of a story: the lead above its body, and headings of which nothing is left below it."""

import re
from bisect import bisect_left

from fetcher.web.reading.extract.facts import LONGEST, is_one_fact
from fetcher.web.reading.extract.features import PROSE
from fetcher.web.reading.extract.names.telling_words import is_furniture, is_named
from fetcher.web.reading.extract.page import Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.stories.body import INLINE
from fetcher.web.reading.extract.stories.datelines import is_byline, tells_more
from fetcher.web.reading.extract.wordlists import BOILERPLATE_WORDS, FACT_WORDS, LEAD_WORDS

_FARTHEST = 400
"""How many nodes can stand between a title and the body."""
_NO_LEADS = frozenset(
    {"figcaption", "figure", "aside", "nav", "footer", "form", "blockquote", "table", "noscript"}
)
_LEAST_LEAD = 40
"""The weight of a lead that is called one."""
_LEAST_DATA, _LONGEST_HEADING = 40, 60
"""The weight of two facts, and of the title of a table."""
_MOST_TABLES = 20
"""How many are looked at."""
_MOST_FACTS = 8
"""How many lines with a fact can stand above the content."""
_FACTUAL = frozenset({PageKind.ARTICLE, PageKind.OTHER, PageKind.DOCUMENTATION})
_OTHERS = BOILERPLATE_WORDS - FACT_WORDS
"""Words of blocks whose facts are not the page's."""
_BEGINNING = 60
"""So many characters show whether a text stands in another one."""


def keep_lead_and_tables(page: Page) -> None:
    """Reads the lead of a story, tables of facts, and lines with a fact, beside the block with the prose.

    They are chosen first: where a lead is read, all else between it and the block is left out.
    """
    blocks, skipped = [*_facts_above(page), *_tables_beside(page)], bytes(page.skipped)
    _keep_lead(page)
    for block in blocks:
        page.restore(block)
        end = page.tree.ends[block]
        page.skipped[block:end] = skipped[block:end]


def _keep_lead(page: Page) -> None:
    """Reads the paragraphs between the title and the root: the lead of a story often stands in its head.

    Where no `h1` is near, the lead is looked for in the part of the page from which the root was narrowed.
    """
    if page.kind is not PageKind.ARTICLE:
        return
    tree, titles_before = page.tree, bisect_left(page.titles, page.root)
    title = page.titles[titles_before - 1] if titles_before else -_FARTHEST
    if page.root - title <= _FARTHEST:
        start = tree.ends[title] - 1
    elif page.holds_title(page.root):
        return
    else:
        start = max(page.wide_root, page.root - _FARTHEST)
    paragraphs = [block for block in _paragraphs(page, start + 1, page.root) if _is_lead(page, block)]
    read = page.text_of(page.root) if paragraphs else ""
    for block in paragraphs:
        around = [block, *(at for at in page.ancestors(block) if at > start)]
        is_aside = any(tree.tags[at] in _NO_LEADS or is_furniture(page, at) for at in around)
        if not is_aside and page.text_of(block)[:_BEGINNING] not in read:
            page.restore(block)


def _paragraphs(page: Page, start: int, end: int) -> list[int]:
    """The innermost blocks around the texts between two places, in order."""
    tree, found = page.tree, dict[int, None]()
    for index in range(start, end):
        if page.features.weights[index]:
            block = tree.parents[index]
            while tree.tags[block] in INLINE:
                block = tree.parents[block]
            if block < start or end < tree.ends[block] or not _is_of_words(page, block):
                block = tree.parents[index]
            if start <= block:
                found[block] = None
    return list(found)


def _is_of_words(page: Page, block: int) -> bool:
    """Whether no other block stands in a block."""
    inside = page.tree.tags[block + 1 : page.tree.ends[block]]
    return all(tag in INLINE or tag in ("", "br") for tag in inside)


def _is_lead(page: Page, block: int) -> bool:
    """Whether a block is a paragraph, in one run or in several, or is called a lead."""
    tree, features, end = page.tree, page.features, page.tree.ends[block]
    if any(features.prose[block:end]):
        return True
    names = re.findall("[a-z]+", (tree.attributes[block].get("class") or "").lower())
    if LEAD_WORDS.isdisjoint(names) and tree.tags[block] != "p":
        return False
    least = PROSE if LEAD_WORDS.isdisjoint(names) else _LEAST_LEAD
    text, linked = sum(features.weights[block:end]), sum(features.linked[block:end])
    return text >= least and linked <= 0.2 * text and _is_of_words(page, block)


def _facts_above(page: Page) -> list[int]:
    """The lines above the content that each tell a fact: a notice, the days of an event, what it costs.

    Of a story, not the lines with its own day and author. Many lines are a list of something else.
    """
    tree = page.tree
    start = next(iter(tree.named("body")), 0) + 1
    if page.kind not in _FACTUAL or page.root <= start:
        return []
    found = list[int]()
    for block in _paragraphs(page, start, page.root):
        is_read = not page.skipped[block] and is_one_fact(page, block)
        if is_read and page.kind is PageKind.ARTICLE:
            is_read = tells_more(page.text_of(block)) and not is_byline(page.text_of(block))
        if is_read and not any(is_named(page, at, _OTHERS) for at in (block, *page.ancestors(block))):
            found.append(block)
    return found if len(found) <= _MOST_FACTS else []


def _tables_beside(page: Page) -> list[int]:
    """The tables and definitions of facts that stand beside the block with the prose, with their headings.

    Those above a page's title are its frame as often as data: they are not read.
    """
    if not page.wide_root or page.wide_root == page.root:
        return []
    tree, features, found = page.tree, page.features, list[int]()
    start, stop = tree.ends[page.root], tree.ends[page.wide_root]
    above = page.titles[: bisect_left(page.titles, page.root)]
    title = above[-1] if above and above[-1] > page.wide_root else page.root
    named = (at for tag in ("table", "dl") for at in tree.named(tag))
    beside = (at for at in named if title < at < page.root or start <= at < stop)
    is_data = (at for at in beside if page.in_data[at + 1 : at + 2] == b"\1" and not page.in_data[at])
    for index in sorted(at for at in is_data if not page.skipped[at])[:_MOST_TABLES]:
        end = tree.ends[index]
        text, linked = sum(features.weights[index:end]), sum(features.linked[index:end])
        around = [at for at in page.ancestors(index) if at > page.wide_root]
        if (
            text < _LEAST_DATA
            or linked > 0.2 * text
            or any(is_furniture(page, at) for at in (index, *around))
        ):
            continue
        around_it = tree.parents[index]
        is_headed = around_it > page.wide_root and sum(features.weights[around_it:index]) <= _LONGEST_HEADING
        below = slice(end, tree.ends[around_it])
        is_short = sum(features.weights[below]) <= LONGEST and not sum(features.linked[below])
        found.append(around_it if is_headed and is_short else index)
    return found
