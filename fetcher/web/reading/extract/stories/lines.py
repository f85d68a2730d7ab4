"""Short lines in a story that tell nothing of it: controls, credits, advertisements, notes for members."""

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.page import HEADINGS, Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.extract.stories.words import FURNITURE_LINE

_LONGEST = 120
"""The weight of a line."""
_LINES = frozenset({"p", "div", "li", "section", "span", *HEADINGS})
_ORNAMENTS = " |\u00b7\u2022>\u00bb"


def drop_lines(page: Page) -> None:
    """Leaves out such lines where they are all that a block says."""
    if page.kind is not PageKind.ARTICLE:
        return
    tags, features = page.tree.tags, page.features
    for index in page.elements():
        if tags[index] in _LINES and 0 < features.text_in(index) <= _LONGEST and not page.in_data[index]:
            text = page.text_of(index).strip(_ORNAMENTS)
            is_furniture = FURNITURE_LINE.fullmatch(text) or (
                not features.is_ascii(index) and japanese.is_line_of_furniture(text)
            )
            if is_furniture and not page.holds_title(index):
                page.skip(index)
