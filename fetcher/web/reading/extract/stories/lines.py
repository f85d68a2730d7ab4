"""Short lines in a story or a thread that tell nothing of it: controls, credits, advertisements, notes."""

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.facts import has_fact, states_terms
from fetcher.web.reading.extract.page import HEADINGS, Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.stories.body import DATE
from fetcher.web.reading.extract.stories.words import (
    CREDIT_AT_END,
    FURNITURE_LINE,
    IN_INVITATIONS,
    INVITATION,
    INVITATION_WITHIN,
    POST_LINE,
)

_LONGEST = 120
"""The weight of a line."""
_LINES = frozenset({"p", "div", "li", "section", "span", "figcaption", *HEADINGS})
_LINES_OF_POSTS = _LINES | {"a", "dd", "dl", "strong", "blockquote"}
"""The same in threads, which list what they tell of an author as definitions."""
_PARAGRAPHS = frozenset({"p", "div", "section", *HEADINGS})
_LONGEST_INVITATION = 400
"""The weight of three sentences."""
_ORNAMENTS = " |\u00b7\u2022>\u00bb"
_BEFORE_TEXT = f"{_ORNAMENTS}*([\u203b\u24d8\u2139"


def drop_lines(page: Page) -> None:
    """Leaves out such lines where they are all that a block says.

    In a story also paragraphs that invite to subscribe, to follow, to comment or to pay. A page of no certain
    kind that is mostly running text is read as a story.
    """
    is_thread = page.kind is PageKind.FORUM
    tree, features, sums = page.tree, page.features, page.features.weight_sums
    is_story = page.kind is PageKind.ARTICLE or (
        page.kind is PageKind.OTHER and features.prose_in(page.root) >= 0.5 * features.text_in(page.root)
    )
    if not is_thread and not is_story:
        return
    lines, furniture = (_LINES_OF_POSTS, POST_LINE) if is_thread else (_LINES, FURNITURE_LINE)
    japanese_furniture = japanese.is_line_of_post if is_thread else japanese.is_line_of_furniture
    limit = 0 if is_thread else min(_LONGEST_INVITATION, 0.2 * features.text_in(page.root))
    longest = max(_LONGEST, limit)
    for index in page.elements():
        tag, weight = tree.tags[index], sums[tree.ends[index]] - sums[index]
        if tag not in lines or not 0 < weight <= (longest if tag in _PARAGRAPHS else _LONGEST):
            continue
        if page.in_data[index] and not (is_thread and "dd" in (tag, tree.tags[tree.parents[index]])):
            continue
        text, is_ascii = page.text_of(index), features.is_ascii(index)
        line, is_left_out = text.strip(_ORNAMENTS), False
        if weight <= _LONGEST:
            is_left_out = bool(furniture.fullmatch(line)) or (not is_ascii and japanese_furniture(line))
            is_left_out = is_left_out or (is_story and tag != "li" and _is_caption(line, is_ascii=is_ascii))
        if not is_left_out and tag in _PARAGRAPHS and weight <= limit:
            is_left_out = _invites(text.lstrip(_BEFORE_TEXT), is_ascii=is_ascii) and not _is_credited(
                page, index
            )
        if is_left_out and not page.holds_title(index):
            page.skip(index)


def _is_caption(line: str, *, is_ascii: bool) -> bool:
    """Whether a line ends with who has made a picture, and tells no other fact than a day."""
    if not CREDIT_AT_END.search(line) and (is_ascii or not japanese.ends_with_credit(line)):
        return False
    return not has_fact(japanese.MOMENT.sub(" ", DATE.sub(" ", line))) and not states_terms(line)


def _invites(text: str, *, is_ascii: bool) -> bool:
    if INVITATION.match(text) or (not is_ascii and japanese.invites(text)):
        return True
    return any(map(text.lower().count, IN_INVITATIONS)) and INVITATION_WITHIN.match(text) is not None


def _is_credited(page: Page, block: int) -> bool:
    """Whether a paragraph of prose begins with a picture and its credit."""
    tree, end = page.tree, page.tree.ends[block]
    texts = [at for at in range(block, end) if tree.texts[at].strip()]
    return "img" in tree.tags[block:end] and any(page.features.prose[at] for at in texts[1:])
