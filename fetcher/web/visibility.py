"""From where on nobody sees a text, and how a browser's snapshot says so."""

from enum import StrEnum

FAINTEST = 0.05
"""What is less opaque is not seen."""
NEARLY_SAME = 24
"""How far apart two colours are in each channel when they look the same."""
FAR = 900
"""Pixels outside of the window: menus that slide in wait much nearer."""
SMALLEST_TEXT = 2.5
"""Pixels: what is smaller cannot be read."""

MARK = "data-unseen-in-browser"
"""An attribute that only the snapshot writes: one that a page brings is taken off there.

In a page that no browser has rendered it would hide that page's own text, which any style does as well.
"""


class HiddenMark(StrEnum):
    """The values of the attribute."""

    GONE = "gone"
    """Without size or colour, moved or cut away."""
    FAINT = "faint"
    """Transparent or invisible: a script may be about to show it."""
    FAINT_TEXT = "faint-text"
    """The element's own texts are, while others in it are not."""
    CLOSED = "closed"
    """A box without room: a click may open it."""
