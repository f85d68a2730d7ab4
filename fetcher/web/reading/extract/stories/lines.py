"""Short lines in a story or a thread that tell nothing of it: controls, credits, advertisements, notes."""

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.page import HEADINGS, Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.stories.words import (
    FURNITURE_LINE,
    IN_INVITATIONS,
    INVITATION,
    INVITATION_WITHIN,
    POST_LINE,
)

_LONGEST = 120
"""The weight of a line."""
_LINES = frozenset({"p", "div", "li", "section", "span", *HEADINGS})
_LINES_OF_POSTS = _LINES | {"a", "dd", "dl", "strong", "blockquote"}
"""The same in threads, which list what they tell of an author as definitions."""
_PARAGRAPHS = frozenset({"p", "div", "section", *HEADINGS})
_LONGEST_INVITATION = 400
"""The weight of three sentences."""
_ORNAMENTS = " |\u00b7\u2022>\u00bb"
_BEFORE_TEXT = f"{_ORNAMENTS}*([\u203b"


def drop_lines(page: Page) -> None:
    """Leaves out such lines where they are all that a block says."""
    is_thread = page.kind is PageKind.FORUM
    if not is_thread and page.kind is not PageKind.ARTICLE:
        return
    tags, parents, features = page.tree.tags, page.tree.parents, page.features
    lines, furniture = (_LINES_OF_POSTS, POST_LINE) if is_thread else (_LINES, FURNITURE_LINE)
    japanese_furniture = japanese.is_line_of_post if is_thread else japanese.is_line_of_furniture
    for index in page.elements():
        if tags[index] in lines and 0 < features.text_in(index) <= _LONGEST:
            if page.in_data[index] and not (is_thread and "dd" in (tags[index], tags[parents[index]])):
                continue
            text = page.text_of(index).strip(_ORNAMENTS)
            is_furniture = furniture.fullmatch(text) or (
                not features.is_ascii(index) and japanese_furniture(text)
            )
            if is_furniture and not page.holds_title(index):
                page.skip(index)


def drop_invitations(page: Page) -> None:
    """Leaves out paragraphs of a story that invite to subscribe, to follow, to comment or to pay."""
    if page.kind is not PageKind.ARTICLE:
        return
    tags, features = page.tree.tags, page.features
    limit = min(_LONGEST_INVITATION, 0.2 * features.text_in(page.root))
    for index in page.elements():
        if tags[index] in _PARAGRAPHS and 0 < features.text_in(index) <= limit and not page.in_data[index]:
            text = page.text_of(index).lstrip(_BEFORE_TEXT)
            invites = (
                INVITATION.match(text)
                or (any(map(text.lower().count, IN_INVITATIONS)) and INVITATION_WITHIN.match(text))
                or (not features.is_ascii(index) and japanese.invites(text))
            )
            if invites and not page.holds_title(index):
                page.skip(index)
