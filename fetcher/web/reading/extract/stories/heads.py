"""The head of a story: its title and the lines that tell its day and its author.

They are about the story, not part of its text, and are handed on apart from it.
"""

import re
from bisect import bisect_left
from itertools import compress

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.facts import has_fact
from fetcher.web.reading.extract.features import weight
from fetcher.web.reading.extract.metadata import is_same_title, title_of
from fetcher.web.reading.extract.page import HEADINGS, Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.stories.body import DATE

_FARTHEST = 400
"""How many nodes can stand between a title and the first paragraph."""
_LONGEST, _MOST_CHARACTERS = 120, 1000
"""The weight of a line with a day, an author and a section; its characters, white space included."""
_LONGEST_TITLE = 300
"""Characters of a title; a longer one is text."""
_MOST_LINES = 3
"""More lines with days are a list of something."""
_LISTS = frozenset({"ul", "ol"})
_TIME = re.compile(rf"(?i)\d\d?:\d\d(?::\d\d)?|\d{{1,3}}\s?min(?:ute)?s?\b|{japanese.TIME_OF_STORY}")
"""The time of day, and how long reading takes."""


def take_head(page: Page) -> None:
    """Takes the title and the lines with the day above the first paragraph out of a text, and notes them."""
    if page.kind is not PageKind.ARTICLE:
        return
    tree, end = page.tree, page.tree.ends[page.root]
    of_titles = {at for title in page.titles for at in range(title, tree.ends[title])}  # some are long
    prose = compress(range(page.root, end), page.features.prose[page.root : end])
    paragraphs = [at for at in prose if at not in of_titles]
    if not paragraphs:
        return
    first = paragraphs[0]
    start = max(0, first - _FARTHEST)
    titles = [at for at in page.titles if start <= at < tree.ends[at] <= first][-1:]
    titles = [at for at in titles if 0 < len(page.text_of(at)) <= _LONGEST_TITLE]
    start = titles[0] if titles else max(start, page.root)
    # Leads stand above the line with the day as often as below it.
    body = next((at for at in paragraphs if at > page.body), first)
    stop = body if titles and body < start + _FARTHEST else first
    lines, reached = list[int](), start
    for index in page.blocks[bisect_left(page.blocks, start) : bisect_left(page.blocks, stop)]:
        after = tree.ends[index]
        if index < reached or after > stop or page.in_data[index]:
            continue
        is_short = sum(map(len, tree.texts[index:after])) <= _MOST_CHARACTERS
        is_line = is_short and HEADINGS.isdisjoint(tree.tags[index:after]) and _tells_day(page, index)
        if is_line or tree.tags[index] in _LISTS:  # a list as a whole, or not at all
            reached = after
        # What else it tells is a part of the text, if it is read there.
        is_unread = index < page.root or page.skipped[index]
        if is_line and (is_unread or not _tells_more(page.text_of(index))):
            lines.append(index)
    if len(lines) > _MOST_LINES:
        return
    if titles and (lines or is_same_title(page.text_of(titles[0]), title_of(tree) or "")):
        lines += titles
    page.head = sorted(lines)
    for index in lines:
        page.skip(index)


def _tells_day(page: Page, index: int) -> bool:
    """Whether a block is a line with a day, or with two: of the first and of the last version."""
    is_list = not _LISTS.isdisjoint(page.tree.tags[index : page.tree.ends[index]])
    text, most = page.text_of(index), 1 if is_list else 2
    return weight(text) <= _LONGEST and 1 <= len(DATE.findall(text)) <= most


def _tells_more(line: str) -> bool:
    """Whether a line with a day tells of an event, or another fact: a price, a number of people."""
    return japanese.tells_of_event(line) or has_fact(_TIME.sub(" ", DATE.sub(" ", line)))
