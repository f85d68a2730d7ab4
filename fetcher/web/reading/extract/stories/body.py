"""The block in which a story's paragraphs stand side by side, and what follows it on the page.

Every run of prose counts for the block around its paragraph, and half for the block around that one: pages
that put each paragraph in a box of its own have a body too.
"""

import re
from heapq import nlargest
from itertools import compress

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.facts import holds_fact
from fetcher.web.reading.extract.names.telling_words import is_called
from fetcher.web.reading.extract.page import Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.wordlists import AFTER_STORY_WORDS, PRICE

INLINE = frozenset(
    """
    a abbr b bdi bdo big center cite code em font i ins kbd label mark nobr q ruby s samp small span strong
    sub sup time tt u var
    """.split()  # noqa: SIM905 - a table of words reads better than a list of strings
)
_PARAGRAPHS = frozenset({"p", "li", "blockquote"})
_PLAIN = frozenset({"p", "ul", "ol", "dl", "table", "pre", "blockquote", "figure", "h2", "h3", "h4", ""})
"""What can belong to a story wherever it stands; links among it are judged elsewhere."""

_LONG, _FAIR, _SHORT = 1500, 600, 300
"""The weight of a page of text, of a few paragraphs, of one."""
_LEAST = 200
"""The weight of the shortest story that is declared as one and has a date."""
_MOST_TRIED, _LEAST_SHARE = 8, 0.2
"""How many blocks are looked at for the body, and how much less prose than the first it can have."""
_MOST_PRICES = 6
"""A page with more of them is a shop."""
_LONGEST_PRICE = 40
_FARTHEST_DATE = 400
"""How many nodes can stand between a title and the first paragraph."""
_LEAST_TITLE, _LONGEST_TITLE = 16, 1000
"""The weight of the title of a story; a shorter one can be that of a part."""
DATE = re.compile(
    rf"""(?ix)
    \b(?:19|20)\d\d(?:[-/.]\d\d?[-/.]\d\d?\b|{japanese.REST_OF_DATE})
    | \b\d\d?[./]\s?\d\d?[./]\s?(?:19|20)?\d\d\b
    | \b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{{0,6}}+\.?\ \d\d?(?:st|nd|rd|th)?,?
        \ (?:19|20)\d\d
    | \b\d\d?\.?\ [^\W\d_]{{3,9}}+\.?\ (?:19|20)\d\d
    """
)


def find_body(page: Page) -> tuple[int, int]:
    """The block that holds the most prose in its own paragraphs, and how much."""
    tags, parents, prose = page.tree.tags, page.tree.parents, page.features.prose
    paragraphs: dict[int, list[int]] = {}
    end = page.tree.ends[page.root]
    for index in compress(range(page.root, end), prose[page.root : end]):
        block = parents[index]
        while block > page.root and tags[block] in INLINE:
            block = parents[block]
        paragraphs.setdefault(block, []).append(prose[index])
    sums: dict[int, float] = {}
    for paragraph, weights in paragraphs.items():
        # Several runs in a `div` are paragraphs that line breaks part: then it is the body itself.
        is_one = paragraph > page.root and (len(weights) == 1 or tags[paragraph] in _PARAGRAPHS)
        block = parents[paragraph] if is_one else paragraph
        sums[block] = sums.get(block, 0) + sum(weights)
        if block > page.root:
            sums[parents[block]] = sums.get(parents[block], 0) + sum(weights) / 2
    ranked = nlargest(_MOST_TRIED, sums, key=sums.__getitem__)
    if not ranked:
        return page.root, 0
    body = ranked[0]
    for block in ranked:
        # A block that is called comments, related stories or the like stands beside the story.
        around = (block, *page.ancestors(block))
        if not any(at > page.root and is_called(page, at, AFTER_STORY_WORDS) for at in around):
            body = block
            break
    if sums[body] < _LEAST_SHARE * sums[ranked[0]]:
        body = ranked[0]
    return body, int(sums[body])


def tells_story(page: Page) -> bool:
    """Whether a page is one story, by its body: it is long, or stands below a title with a date."""
    features = page.features
    page.body, weight = find_body(page)
    share = weight / (features.prose_in(page.root) or 1)
    if page.kind is PageKind.ARTICLE:
        is_dated = weight >= _LEAST and share >= 0.5 and _is_dated(page)
        return is_dated or (weight >= 400 and share >= 0.25)
    if weight < _SHORT or share < 0.35 or features.linked_in(page.body) > 0.2 * features.text_in(page.body):
        return False
    if weight >= _LONG and share >= 0.5:
        return True
    if page.kind is PageKind.HOME:
        return False
    texts = page.tree.texts[page.root : page.tree.ends[page.root]]
    prices = [text for text in texts if text and len(text) <= _LONGEST_PRICE and PRICE.search(text)]
    if len(prices) > _MOST_PRICES:
        return False
    # A page that names prices beside a shorter text is about wares: their facts stand around the text.
    return (weight >= _FAIR and (share >= 0.5 or not prices)) or _is_dated(page)


def _is_dated(page: Page) -> bool:
    """Whether a day stands between the title, or a little above, and the first paragraph."""
    prose, title = page.features.prose, page.title()
    first = next((at for at in range(page.body, page.tree.ends[page.body]) if prose[at]), page.body)
    start = title if title is not None and title < first else max(page.root, first - 60)
    if first - start > _FARTHEST_DATE:
        return False
    texts = page.tree.texts[start:first]
    return any(text and DATE.search(text) for text in texts)


def drop_outsiders(page: Page) -> None:
    """Leaves out what follows the body of a story beside it, and beside the blocks around it.

    Where the page says which block is the story, links in what follows show that it does not belong to it.
    """
    if page.kind is not PageKind.ARTICLE:
        return
    at, weight = find_body(page)
    features, tree, is_marked = page.features, page.tree, False
    articles = [index for index in tree.named("article") if not page.skipped[index]]
    while weight >= _SHORT and at > page.root:
        parent, end = tree.parents[at], tree.ends[at]
        is_alone = tree.tags[at] == "article" and at == articles[0] and articles[-1] < end
        is_marked = is_marked or is_alone or _is_declared(page, at)
        is_most = is_marked or features.prose_in(at) >= 0.5 * features.prose_in(parent)
        if not is_most and weight < _FAIR:
            break
        for later in page.followers(at, tree.ends[parent]) if is_most else ():  # else it is a part of a story
            text, linked, prose = features.text_in(later), features.linked_in(later), features.prose_in(later)
            if not text or tree.tags[later] in _PLAIN:
                continue
            has_data = page.in_data.find(1, later, tree.ends[later]) >= 0
            is_fact = linked < 0.3 * text and (has_data or (linked < 0.1 * text and holds_fact(page, later)))
            if is_marked:
                is_text = linked < 0.02 * text and prose >= 0.3 * text
            else:
                is_alike = linked < 0.3 * text and page.sort_of(later) == page.sort_of(at)
                is_text = is_alike or (linked < 0.1 * text and prose >= 0.3 * text)
            if not is_fact and not is_text:
                page.skip(later)
        at = parent


def _is_declared(page: Page, block: int) -> bool:
    """Whether a page declares a block to be the text of an article, as microdata."""
    here = page.tree.attributes[block]
    return "articleBody" in (here.get("itemprop") or "") or "NewsArticle" in (here.get("itemtype") or "")
