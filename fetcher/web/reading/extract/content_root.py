"""Which block of a page holds its content: the rules that choose the root, and the kind it shows.

Each goes down only to a block that holds most of what is to be read.
"""

from fetcher.web.reading.extract.facts import tells_fact
from fetcher.web.reading.extract.names.telling_words import named_blocks
from fetcher.web.reading.extract.page import Page
from fetcher.web.reading.extract.page_kinds import PROSAIC, PageKind
from fetcher.web.reading.extract.stories.body import tells_story

_LEAVES = frozenset(
    {"", "p", "blockquote", "pre", "ul", "ol", "dl", "figure", "h1", "h2", "h3", "h4", "h5", "h6"}
)

_SHARE_WITH_TITLE = {PageKind.PRODUCT: 0.5, PageKind.COLLECTION: 0.7, PageKind.DOCUMENTATION: 0.7}
"""How much of the text the block around a page's title must hold to be its content."""


_LEAST_STORY = 600
"""The weight of a few paragraphs."""

_FEW_LINKS = 0.1
"""The share of links below which what stands beside a text is about the same."""


def choose_root(page: Page) -> None:
    """Reads the largest `main`, if a fair part of the page's prose stands in it.

    Of several in a story it reads the one with the title.
    """
    features = page.features
    mains = [index for index in page.mains if not page.skipped[index]]
    titled = [index for index in mains if page.holds_title(index)]
    is_story = page.kind is PageKind.ARTICLE and len(titled) == 1 < len(mains)
    if is_story and features.prose_in(titled[0]) >= _LEAST_STORY:
        page.root = titled[0]  # the others are what readers say about it
        return
    largest = max(mains, key=features.text_in, default=None)
    if largest is None:
        return
    # The small print of a shop can be longer than all else.
    feet = sum(
        features.prose_in(at)
        for at in page.tree.named("footer")
        if not largest < at < page.tree.ends[largest]
    )
    if features.prose_in(largest) >= 0.3 * (features.prose_in(page.root) - feet):
        page.root = largest


def settle_kind(page: Page) -> None:
    """Takes a page that is mostly links for a list, also if it declares to be a text."""
    text, linked = page.features.text_in(page.root), page.features.linked_in(page.root)
    if page.kind in (PageKind.ARTICLE, PageKind.OTHER, PageKind.HOME):
        if _is_all_comments(page):
            page.kind = PageKind.FORUM
            return
        if tells_story(page):
            page.kind = PageKind.ARTICLE
            return
    if page.kind in PROSAIC and linked >= (0.3 if page.kind is PageKind.ARTICLE else 0.45) * text:
        page.kind = PageKind.OTHER


def _is_all_comments(page: Page) -> bool:
    """Whether what people say about something elsewhere is all that a page has to read."""
    features, outermost = page.features, list[int]()  # answers can stand in what they answer
    for index, names in named_blocks(page):
        is_outside = not outermost or index >= page.tree.ends[outermost[-1]]
        if "comment" in names.heads and is_outside:
            outermost.append(index)
    prose, text = sum(map(features.prose_in, outermost)), sum(map(features.text_in, outermost))
    return 0 < prose >= 0.95 * features.prose_in(page.root) and text >= 0.5 * features.text_in(page.root)


def narrow_root(page: Page) -> None:
    """Goes down to the block that holds the prose almost alone, where a page is one text."""
    if page.kind not in (PageKind.ARTICLE, PageKind.HOME, PageKind.OTHER):
        return
    page.wide_root = page.root
    features, is_article = page.features, page.kind is PageKind.ARTICLE
    while prose := features.prose_in(page.root):
        text = (0.5 if is_article else 0.6) * features.text_in(page.root)
        for child in page.tree.children(page.root):
            if (
                page.tree.tags[child] not in _LEAVES
                and not page.is_data_table(child)
                and features.prose_in(child) >= 0.9 * prose
                and features.text_in(child) >= text
                and (is_article or not _belongs_together(page, child))
                and (not is_article or page.body <= page.root or child <= page.body < page.tree.ends[child])
            ):
                page.root = child
                break
        else:
            return


def _belongs_together(page: Page, child: int) -> bool:
    """Whether a fact stands beside a block without the title: below the title, or where hardly a link is."""
    features, root = page.features, page.root
    if page.holds_title(child):
        return False
    facts = [at for at in page.tree.children(root) if at != child and tells_fact(page, at)]
    title = page.title()
    if title is not None and any(title < at < child for at in facts):
        return True
    beside = features.text_in(root) - features.text_in(child)
    linked = features.linked_in(root) - features.linked_in(child)
    return bool(facts) and linked < _FEW_LINKS * beside


def climb_from_title(page: Page) -> None:
    """Reads the smallest block around the `h1` that holds most of the text.

    What a shop adds to a product stands beside the block that begins with the product's name.
    """
    share = _SHARE_WITH_TITLE.get(page.kind)
    title = page.title()
    if share is None or title is None:
        return
    features, block = page.features, page.tree.parents[title]
    text = share * features.text_in(page.root)
    while block != page.root and (page.in_data[block] or features.text_in(block) < text):
        block = page.tree.parents[block]
    page.root = block
