"""The rules of main-content detection, each a small step that leaves parts of a page out.

Every rule is guarded by how much it would take: a block called "sidebar" that holds half of the
page's text is not a sidebar. Measured on pages of many kinds, the guards matter more than the words.
"""

import re
from bisect import bisect_left
from itertools import accumulate

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.facts import telling, tells_fact
from fetcher.web.reading.extract.page import HEADINGS, SOME, Page
from fetcher.web.reading.extract.wordlists import (
    BOILERPLATE_ROLES,
    BOILERPLATE_TAGS,
    FACT_ROLES,
    FACT_TAGS,
    FOOT_ID,
    NOTE_WORDS,
    PLAIN_CONTROL,
)

_ICONS = " +-\u2212\u00d7\u25bc\u25b2\u25bd\u25b3\u203a\u3000"
"""Signs beside a label that say whether its panel is open."""
_LABELLED = HEADINGS | {"summary", "dt"}

_TELLING_TAGS = frozenset({*BOILERPLATE_TAGS, "main", "article", "header"})


def drop_furniture(page: Page) -> None:
    """Leaves out what HTML itself marks as not being content: navigation, controls."""
    tags, ends, features = page.tree.tags, page.tree.ends, page.features
    total, inside = features.text_in(page.root), 0
    marked = (at for at in page.with_any(("role",)) if page.tree.attributes[at]["role"] in FACT_ROLES)
    facts = telling(page, sorted({*marked, *(at for tag in FACT_TAGS for at in page.tree.named(tag))}))
    telling_tags = (at for tag in _TELLING_TAGS for at in page.tree.named(tag))
    for index in sorted({*page.with_any(("role",)), *telling_tags}):
        if page.skipped[index] or not page.root < index < ends[page.root]:
            continue
        tag, role = tags[index], page.tree.attributes[index].get("role")
        if tag == "main" or role == "main":
            page.mains.append(index)
        if tag in ("main", "article"):
            inside = max(inside, ends[index])
        if page.in_data[index]:
            continue
        limit = BOILERPLATE_TAGS.get(tag) or (SOME if (role or "").lower() in BOILERPLATE_ROLES else 0)
        if tag == "header" and index >= inside and not (features.prose_in(index) and page.holds_title(index)):
            limit = SOME
        if limit and features.text_in(index) < limit * total:
            if index not in facts and not _is_label(page, index) and not _is_note(page, index):
                page.skip(index)
        elif tag == "noscript":
            # Forums serve whole threads so: from here on it is a block like any other.
            page.tree.rename(index, "div")


def _is_plain(text: str) -> bool:
    """Whether a control's text says what a click does, and nothing about what it shows."""
    return not any(map(str.isalpha, text)) or bool(
        PLAIN_CONTROL.fullmatch(text) or japanese.is_plain_control(text)
    )


def _is_label(page: Page, index: int) -> bool:
    """Whether a control is the heading of a panel that it opens: a question, the name of a tab."""
    tree, here = page.tree, page.tree.attributes[index]
    if tree.tags[index] != "button" and here.get("role") not in ("button", "tab"):
        return False
    around = {tree.tags[tree.parents[index]], tree.tags[tree.parents[tree.parents[index]]]}
    opens = "aria-controls" in here or "aria-expanded" in here or not around.isdisjoint(_LABELLED)
    return opens and not _is_plain(page.text_of(index).strip(_ICONS))


def _is_note(page: Page, index: int) -> bool:
    """Whether an element is an aside that is called a note, and leads hardly anywhere."""
    if page.tree.tags[index] != "aside":
        return False
    names = re.findall("[a-z]+", (page.tree.attributes[index].get("class") or "").lower())
    text, linked = page.features.text_in(index), page.features.linked_in(index)
    return not NOTE_WORDS.isdisjoint(names) and linked <= 0.3 * text


def drop_feet(page: Page) -> None:
    """Leaves out blocks with the id of a page's foot: pages without a `footer` put their small print there.

    On a page of tables it can be all the prose that there is.
    """
    tree, features = page.tree, page.features
    limit = BOILERPLATE_TAGS["footer"] * features.text_in(page.root)
    texts = sorted((*tree.named("main"), *tree.named("article")))
    reached = list(accumulate((tree.ends[at] for at in texts), max, initial=0))
    for index in page.with_any(("id",)):
        if (
            FOOT_ID.fullmatch(tree.attributes[index].get("id") or "")
            and not (page.skipped[index] or page.in_data[index] or page.holds_title(index))
            and (before := bisect_left(texts, index)) == bisect_left(texts, tree.ends[index])
            and reached[before] <= index
            and features.text_in(index) < limit
        ):
            page.skip(index)


def start_at_title(page: Page) -> None:
    """Begins at the first `h1`, when little stands before it.

    Prose there is an introduction, and a fact the day of an event or a notice about a timetable.
    """
    title = page.title()
    if title is None:
        return
    features = page.features
    if features.text_between(page.root, title) < 0.15 * features.text_in(page.root):
        for index in page.elements():
            if index >= title:
                break
            before = page.tree.ends[index] <= title and not page.in_data[index]
            if before and not features.prose_in(index) and not tells_fact(page, index):
                page.skip(index)


def drop_pictures(page: Page) -> None:
    """Leaves out pictures: their alternative text repeats or adorns what the text says.

    A mark that is all that a cell of a table holds is read with the table.
    """
    for index in page.tree.named("img"):
        page.skipped[index] = 1
