"""When a text counts as invisible, and how the browser's snapshot marks it."""

from enum import StrEnum

FAINTEST = 0.05
"""Less opaque text is invisible."""

MARK = "data-unseen-in-browser"
"""An attribute that only the snapshot writes; it removes the one that a page has itself.

A page that is read over HTTP can hide its own text with this attribute, just as it can with any style.
"""


class HiddenMark(StrEnum):
    """The values of the attribute."""

    GONE = "gone"
    """Without size or colour, moved out of sight or clipped."""
    FAINT = "faint"
    """Transparent or invisible: a script may be about to show it."""
    FAINT_TEXT = "faint-text"
    """Only the element's own texts are faint; other texts in it are visible."""
    CLOSED = "closed"
    """In a collapsed box: a click may open it."""
