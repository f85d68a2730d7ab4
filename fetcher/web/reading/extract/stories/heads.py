"""The head of a story: its title and the lines that tell its day and its author.

They are about the story, not part of its text, and are handed on apart from it.
"""

import re
from bisect import bisect_left
from itertools import compress

from fetcher.web.reading.extract.features import weight
from fetcher.web.reading.extract.metadata import is_same_title, repeats_title, title_of
from fetcher.web.reading.extract.page import HEADINGS, Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.stories.body import DATE, INLINE
from fetcher.web.reading.extract.stories.datelines import is_byline, is_only_day, says_published, tells_more

_FARTHEST = 400
"""How many nodes can stand between a title and the first paragraph."""
_NEAR = 20
"""How many nodes can stand between a line with the day and the title below it."""
_LONGEST, _MOST_CHARACTERS = 120, 1000
"""The weight of a line with a day, an author and a section; its characters, white space included."""
_MOST_NODES = 50
"""The nodes in such a line."""
_LONGEST_TITLE = 300
"""Characters of a title; a longer one is text."""
_MOST_LINES = 3
"""More lines with days are a list of something."""
_LISTS = frozenset({"ul", "ol"})
_DAY_NAME = re.compile(r"(?i)date|publish|byline|author|autor|datum|\bmeta|time\b")
"""Parts of the names of a line with the day of a story."""
_MOST_LONG_HEADINGS = 10
"""How many headings of the length of a paragraph can stand above the first one."""


def take_head(page: Page) -> None:
    """Takes the title and the lines with the day and the author out of a text, and notes them.

    They stand above the first paragraph; the lines can also stand between the lead and the next paragraph,
    and the day of a page's last change a little above its title.
    """
    if page.kind is not PageKind.ARTICLE:
        return
    tree, first = page.tree, _first_paragraph(page)
    if first is None:
        return
    start = max(0, first - _FARTHEST)
    titles = [at for at in page.titles if start <= at < tree.ends[at] <= first][-1:]
    titles = [at for at in titles if 0 < len(page.text_of(at)) <= _LONGEST_TITLE]
    start = titles[0] if titles else max(start, page.root)
    lines = _lines_with_day(page, start, first)
    lines += _lines_above_title(page, titles[0]) if titles else []
    lines += _lines_below_lead(page, first)
    lines += _lines_below_text(page)
    if len(lines) > _MOST_LINES:
        return
    title = title_of(tree) or ""
    if titles and (lines or is_same_title(page.text_of(titles[0]), title)):
        lines += titles
        again = (at for at in tree.named("h2") if start < at < tree.ends[at] <= first)
        short = (at for at in again if page.features.text_in(at) <= _MOST_CHARACTERS)
        lines += (at for at in short if repeats_title(page.text_of(at), title))
    page.head = sorted(lines)
    for index in lines:
        page.skip(index)


def _lines_with_day(page: Page, start: int, stop: int) -> list[int]:
    """The lines between two nodes that tell the day or the author, and nothing else of the text."""
    tree, lines, reached = page.tree, list[int](), start
    for index in page.blocks[bisect_left(page.blocks, start) : bisect_left(page.blocks, stop)]:
        after = tree.ends[index]
        if index < reached or after > stop or page.in_data[index]:
            continue
        if tree.tags[index] in _LISTS:  # a list as a whole, or not at all
            reached = after
        if sum(map(len, tree.texts[index:after])) > _MOST_CHARACTERS:
            continue
        text = page.text_of(index)
        is_line = _tells_day(page, index, text) or is_byline(text)
        if not is_line or not HEADINGS.isdisjoint(tree.tags[index:after]):
            continue
        reached = after
        # What else it tells is a part of the text, if it is read there.
        if index < page.root or page.skipped[index] or not tells_more(text):
            lines.append(index)
    return lines


def _lines_above_title(page: Page, title: int) -> list[int]:
    """The line a little above the title that says when the page was published or changed, if it is one."""
    lines = _lines_with_day(page, max(0, title - _NEAR), title)
    found = [at for at in lines if says_published(page.text_of(at))]
    return found if len(found) == 1 else []


def _lines_below_lead(page: Page, first: int) -> list[int]:
    """The lines with the day or the author between the lead and the next paragraph.

    Those that do not say what they are may tell the day of an event.
    """
    tree, block = page.tree, page.tree.parents[first]
    while tree.tags[block] in INLINE:
        block = tree.parents[block]
    start, end = tree.ends[block], tree.ends[page.root]
    stop = min(end, start + _FARTHEST)
    second = next(compress(range(start, stop), page.features.prose[start:stop]), None)
    if second is None:
        return []
    lines = (at for at in _lines_with_day(page, start, second) if not page.skipped[at])
    found = [at for at in lines if _is_day_of_story(page, at) and not _is_headed(page, at, start)]
    told = bytearray(second)
    for at in found:
        told[at : tree.ends[at]] = b"\1" * (tree.ends[at] - at)
    rest = (at for at in range(start, second) if not told[at] and not page.skipped[at])
    if any(tree.texts[at].strip() for at in rest):  # a bare day may be that of what else stands there
        found = [at for at in found if _is_called_day(page, at) or is_byline(page.text_of(at))]
    if len(found) > _MOST_LINES:  # too many for a head anyway
        return found
    return [at for at in found if not _comes_again(page, at, second)]


def _lines_below_text(page: Page) -> list[int]:
    """The line behind the last paragraph that is the day of the story and nothing else, if it is one.

    A bare day must be all that stands there: beside other lines it may be the day of what they tell.
    """
    tree, end = page.tree, page.tree.ends[page.root]
    last = max(compress(range(page.root, end), page.features.prose[page.root : end]))
    if tree.texts[last].rstrip().endswith((":", "\uff1a")):
        return []
    lines = (at for at in _lines_with_day(page, last, min(end, last + _FARTHEST)) if not page.skipped[at])
    found = [at for at in lines if is_only_day(page.text_of(at))]
    if len(found) != 1:
        return []
    (line,) = found
    if says_published(page.text_of(line)):
        return found
    others = (*range(last + 1, line), *range(tree.ends[line], end))
    return [] if any(tree.texts[at].strip() and not page.skipped[at] for at in others) else found


def _is_headed(page: Page, line: int, start: int) -> bool:
    """Whether the text before a line is a heading, which says what day it is."""
    tree = page.tree
    before = (at for at in range(line - 1, start - 1, -1) if tree.texts[at].strip() and not page.skipped[at])
    text = next(before, None)
    return text is not None and any(tree.tags[at] in HEADINGS for at in page.ancestors(text))


def _comes_again(page: Page, line: int, second: int) -> bool:
    """Whether days of the same sort stand between later paragraphs: then each is the day of one of them."""
    tree, end = page.tree, page.tree.ends[page.root]
    name = tree.attributes[line].get("class")
    for at in tree.named(tree.tags[line]):
        if second < at < end and not page.skipped[at] and tree.attributes[at].get("class") == name:
            is_short = tree.ends[at] - at <= _MOST_NODES and page.features.text_in(at) <= _LONGEST
            if is_short and _tells_day(page, at, page.text_of(at)):
                return True
    return False


def _is_day_of_story(page: Page, line: int) -> bool:
    """Whether a line is a day alone, or its tag or a name in it says that it is the day of the page."""
    text = page.text_of(line)
    return is_byline(text) or is_only_day(text) or _is_called_day(page, line)


def _is_called_day(page: Page, line: int) -> bool:
    """Whether the tag of a line or a name in it says that it is the day of the page, or its words do."""
    tree = page.tree
    if says_published(page.text_of(line)):
        return True
    around = (tree.parents[line], *range(line, tree.ends[line]))
    names = (tree.attributes[at].get("class") or "" for at in around)
    return "time" in tree.tags[line : tree.ends[line]] or any(map(_DAY_NAME.search, names))


def _first_paragraph(page: Page) -> int | None:
    """The first prose of a text, headings aside; what stands above the page's title is of a picture."""
    tree, end, title = page.tree, page.tree.ends[page.root], page.title()
    prose = list(compress(range(page.root, end), page.features.prose[page.root : end]))
    is_below = prose and title is not None and prose[0] < title <= prose[0] + _FARTHEST
    if is_below and title and is_same_title(page.text_of(title), title_of(tree) or ""):
        prose = [at for at in prose if at > title]
    for at in prose[:_MOST_LONG_HEADINGS]:
        heading = next((around for around in page.ancestors(at) if tree.tags[around] in HEADINGS), None)
        if heading is None or len(page.text_of(heading)) > _LONGEST_TITLE:
            return at
    return None


def _tells_day(page: Page, index: int, text: str) -> bool:
    """Whether a block is a line with a day, or with two: of the first and of the last version."""
    days = len(DATE.findall(text)) if 0 < len(text) <= _LONGEST and weight(text) <= _LONGEST else 0
    return days == 1 or (days == 2 and _LISTS.isdisjoint(page.tree.tags[index : page.tree.ends[index]]))
