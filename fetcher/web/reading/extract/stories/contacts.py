"""Who answers questions about a page: offices tell it below the text, in a block of its own.

Such a block stands beside the block with the prose, or has a name that means furniture elsewhere: the foot of
a section, an aside. It begins with a label that says what it is, and has a telephone.
"""

from collections.abc import Iterator
from itertools import islice

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.names.telling_words import is_furniture, is_named
from fetcher.web.reading.extract.page import Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.stories.body import INLINE
from fetcher.web.reading.extract.wordlists import (
    BOILERPLATE_WORDS,
    FOOT_ID,
    SHAPE_WORDS,
    TELEPHONE,
    UNSEEN_WORDS,
    WINDOW_WORDS,
)

_KINDS = frozenset({PageKind.ARTICLE, PageKind.OTHER, PageKind.DOCUMENTATION})
_FRAME = frozenset({"nav", "header"})
_OUT_OF_PLACE = BOILERPLATE_WORDS - SHAPE_WORDS
"""Words of blocks that are closed, unseen or about something else: their label does not matter."""
_UNSEEN = UNSEEN_WORDS | WINDOW_WORDS
"""Words of parts that people do not see beside the telephone."""
_MOST_LABELS = 20
"""How many are looked at."""
_MOST_NODES, _LONGEST = 200, 600
"""The nodes and the characters of a few addresses."""


def keep_contact(page: Page) -> None:
    """Reads whom to ask about a page, if the telephone is not read yet.

    In the foot of the whole site stands whom to ask about anything: it is read only if it says otherwise.
    """
    if page.kind not in _KINDS:
        return
    found = list[tuple[int, str]]()
    for label in islice(_labels(page), _MOST_LABELS):
        block = _block_of(page, label)
        telephone = TELEPHONE.search(page.text_of(block)) if block else None
        if telephone and _is_of_page(page, block, label):
            found.append((block, telephone[0]))
    read = page.read_text_of(page.root) if found else ""
    for block, telephone_read in found:
        if telephone_read not in read:
            page.restore(block)
            read += page.text_of(block)
            for at in range(block, page.tree.ends[block]):
                if is_named(page, at, _UNSEEN):
                    page.skip(at)


def _labels(page: Page) -> Iterator[int]:
    """The blocks or texts that are the label of whom to ask, at most one in a block."""
    tree, judged = page.tree, set[int]()
    for text in page.features.foreign:
        if not japanese.may_head_contact(tree.texts[text]):
            continue
        block = next(at for at in page.ancestors(text) if tree.tags[at] not in INLINE)
        if block in judged:
            continue
        judged.add(block)
        # A line break can part the words of a label, or the label from what it is about.
        if _is_small(page, block) and japanese.heads_contact(page.text_of(block)):
            yield block
        elif japanese.heads_contact(tree.texts[text]):
            yield text


def _block_of(page: Page, label: int) -> int:
    """The largest small block that begins with a label; 0 if there is none."""
    texts, block = page.tree.texts, 0
    for at in (label, *page.ancestors(label)):
        if not _is_small(page, at) or any(map(str.strip, texts[at:label])):
            break
        block = at
    return block


def _is_small(page: Page, block: int) -> bool:
    end = page.tree.ends[block]
    return end - block <= _MOST_NODES and sum(map(len, page.tree.texts[block:end])) <= _LONGEST


def _is_of_page(page: Page, block: int, label: int) -> bool:
    """Whether a block belongs to the content, or stands behind it and is not a part of the site's frame."""
    tree, root = page.tree, page.root
    around = (label, *page.ancestors(label))
    if page.in_data[block] or not _FRAME.isdisjoint(tree.tags[at] for at in around):
        return False
    if any(at <= block < tree.ends[at] for at in page.closed):
        return False
    apart = [at for at in around if not at <= root < tree.ends[at]]
    if japanese.names_page(page.text_of(label)):
        return not any(is_named(page, at, _OUT_OF_PLACE) for at in apart)
    if any(tree.tags[at] == "aside" or is_furniture(page, at) for at in apart):
        return False
    is_beside = root < block and tree.parents[block] <= root < tree.ends[tree.parents[block]]
    return (is_beside or root < block < tree.ends[root]) and not any(_is_foot(page, at) for at in around)


def _is_foot(page: Page, block: int) -> bool:
    """Whether a block is the foot of the whole page."""
    tree = page.tree
    is_called = tree.tags[block] == "footer" or FOOT_ID.fullmatch(tree.attributes[block].get("id") or "")
    return bool(is_called) and tree.tags[tree.parents[block]] == "body"
