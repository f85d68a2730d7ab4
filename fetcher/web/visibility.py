"""How the browser's snapshot marks text that Chromium does not show, for the reader of HTML."""

from enum import StrEnum

MARK = "data-unseen-in-browser"
"""An attribute that only the snapshot writes; it removes the one that a page has itself.

A page that is read over HTTP can hide its own text with this attribute, just as it can with any style.
"""


class HiddenMark(StrEnum):
    """The values of the attribute."""

    GONE = "gone"
    """Without size or room, or far outside of the window."""
    FAINT = "faint"
    """Transparent or invisible: a script may be about to show it."""
    FAINT_TEXT = "faint-text"
    """Only the element's own texts are faint; other texts in it are visible."""
    CLOSED = "closed"
    """Not rendered, or in a collapsed box: a click may open it."""
