"""Recognises pages with little text that a script is to fill (SRD FR-WF-12c)."""

SPA_INDICATORS = (
    b'<script type="module">',
    b'id="__next"',
    b'id="app"',
    b'id="root"',
    b"window.__nuxt__",
    b"window.__initial_state__",
)
"""Marks of a page that a script fills (SRD FR-WF-12c), searched in the page's source in lower case."""


def looks_unfilled(html: bytes, markdown: str, below: int) -> bool:
    """Whether a page has fewer characters than `below` and the marks of a page that a script fills."""
    if len(markdown) >= below:
        return False
    page = html.lower()
    return any(mark in page for mark in SPA_INDICATORS)
