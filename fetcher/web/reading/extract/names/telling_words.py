"""What the classes and ids of a page's blocks say about them: their telling words."""

import re
from itertools import chain

from fetcher.web.reading.extract.page import Names, Page
from fetcher.web.reading.extract.wordlists import (
    AFTER_STORY_WORDS,
    BOILERPLATE_WORDS,
    CONSENT_WORDS,
    INSERT_WORDS,
    KIND_WORDS,
    MENU_WORDS,
    NEUTRAL_WORDS,
)

_NOTHING = Names(frozenset(), frozenset())
_FIGCAPTION = Names(frozenset({"figcaption"}), frozenset({"figcaption"}))
_TELLING_WORDS = BOILERPLATE_WORDS.union(
    CONSENT_WORDS,
    MENU_WORDS,
    INSERT_WORDS,
    AFTER_STORY_WORDS,
    *KIND_WORDS.values(),
)
_SAY_NOTHING = NEUTRAL_WORDS - _TELLING_WORDS
_SEGMENT = re.compile("[A-Za-z0-9]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_APART = re.compile(
    r"-(?=reader|tip|sell|cart|read|link|nav|menu|letter|next|(?:in|up)\b)"
    r"(?:(?<=\bup.)|(?<=\blog.)|(?<=\b(?:tool|mini|most|skip|side|news|prev|sign).)|(?<=\bcross.)|(?<=\bscreen.))"
)
"""What parts a telling word that is written as two, such as `tool-tip`."""
_JOINED = re.compile(
    r"(?<=[a-z])(?=sidebar|newsletter|breadcrumb)"
    r"|(?:(?<=sidebar)|(?<=(?:newsletter|breadcrumb)))(?=[a-rt-z])"
)
"""Where a telling word meets another one without a sign between them, as in `sidebarright`."""
_GRID = re.compile(r"(?i)\bsidebar(?=-?(?:grid|layout))")
"""In the names of the columns of a page, of which one is the content."""
_PICTURES = ("image", "img", "photo", "picture", "foto", "bild", "gallery")
_CAPTION = re.compile(
    rf"(?i)(?:{'|'.join(_PICTURES)})(?:s|-meta)?-{{0,2}}"
    r"(?:description|desc|subtitle|legend|credits?|copyright|authors?|source|meta)(?![a-z])"
)
"""What names a caption without its word."""
_LOWER_WORD = re.compile("[a-z]+")
_LONGEST_NAMES = 1000
"""Characters of a block's names that are looked at each time it is asked for."""


def is_furniture(page: Page, index: int) -> bool:
    """Whether a block's class or id says that it is not the content, without a look at what it holds."""
    names = _names_of(page, index)
    return not names.words.isdisjoint(BOILERPLATE_WORDS | KIND_WORDS.get(page.kind, frozenset()))


def is_named(page: Page, index: int, words: frozenset[str]) -> bool:
    """Whether one of some words stands anywhere in a block's class or id."""
    return not words.isdisjoint(_names_of(page, index).words)


def is_called(page: Page, index: int, words: frozenset[str]) -> bool:
    """Whether a block's class or id says that it is one of some things."""
    return not words.isdisjoint(_names_of(page, index).heads)


def _names_of(page: Page, index: int) -> Names:
    here = page.tree.attributes[index]
    return _names_in(f"{here.get('class') or ''} {here.get('id') or ''}"[:_LONGEST_NAMES])


def named_blocks(page: Page) -> list[tuple[int, Names]]:
    """The blocks under the root whose class or id has a telling word; found once, since few have one."""
    tags, attributes, ends = page.tree.tags, page.tree.attributes, page.tree.ends
    if page.named is not None:
        return [block for block in page.named if page.root < block[0] < ends[page.root]]
    # A page has many elements and few classes: the words of each are looked for once. What has no text
    # need not be left out.
    page.named, sums = [], page.features.weight_sums
    known: dict[str | None, Names] = {None: _NOTHING}
    for index in page.elements():
        if ((here := attributes[index]) or tags[index] == "figcaption") and sums[ends[index]] > sums[index]:
            class_, id_ = here.get("class"), here.get("id")
            if (names := known.get(class_)) is None:
                names = known[class_] = _names_in(class_ or "")
            if tags[index] == "figcaption":
                names = _FIGCAPTION
            if id_ is not None and (more := _names_in(id_)).words:
                names = Names(words=names.words | more.words, heads=names.heads | more.heads)
            if names.words:
                page.named.append((index, names))
    return page.named[:]


def _names_in(text: str) -> Names:
    """The telling words in names, where `siteNav`, `site-nav` and `site_nav` are the same two."""
    text = _APART.sub("", text.replace("_", "-"))
    lower = text.lower()
    # Most names have none of these, and to look for plain words is faster than the patterns.
    if "sidebar" in lower or "newsletter" in lower or "breadcrumb" in lower:
        text = _JOINED.sub("-", _GRID.sub("", text))
    if any(map(lower.count, _PICTURES)):
        text = _CAPTION.sub("caption", text)
    if text.islower() and text.isascii():  # most are, and the simpler pattern is twice as fast
        words = _TELLING_WORDS.intersection(_LOWER_WORD.findall(text))
    else:
        words = _TELLING_WORDS.intersection(
            map(str.lower, chain(_WORD.findall(text), _SEGMENT.findall(text)))
        )
    if not words:
        return _NOTHING
    return Names(words, words.intersection(map(_head, text.replace("--", " ").split())))


def _head(name: str) -> str:
    """The last word of a name that says something, as `price` in `share-price` and `share` in `share-box`."""
    for segment in reversed(_SEGMENT.findall(name)):
        if segment.isalpha():  # what has digits in it is a hash
            parts: list[str] = [segment] if segment.islower() else _WORD.findall(segment)
            for part in reversed(parts):
                if (word := part.lower()) not in _SAY_NOTHING:
                    return word
    return ""
