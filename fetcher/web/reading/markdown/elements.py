"""HTML elements by what they are to a reader."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEADINGS = _words("h1 h2 h3 h4 h5 h6")
LISTS = _words("ul ol menu dir")
ITEMS = _words("li dd")
PREFORMATTED = _words("pre listing xmp plaintext")

SECTIONS = _words(
    """
    address article aside body caption center details dialog div fieldset figcaption figure footer form
    frameset header hgroup html legend main nav option p search section summary tbody td tfoot th thead tr
    """
)
"""Blocks without any other meaning."""

BLOCKS = HEADINGS | LISTS | ITEMS | PREFORMATTED | SECTIONS | {"blockquote", "dl", "dt", "hr", "table"}
"""Elements that begin on a line of their own."""

SILENT = _words(
    """
    annotation annotation-xml applet area audio canvas datalist embed head iframe input map noembed noframes
    noscript rp script style svg template title video
    """
)
"""Media, code and fallbacks, whose content is not written."""

CONTROLS = _words("button select textarea meter progress")
"""Elements of forms that show a text of their own."""
