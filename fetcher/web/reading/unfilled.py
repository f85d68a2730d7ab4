"""Pages that say little and wait for a script to fill them (SRD FR-WF-12c)."""

SPA_INDICATORS = (
    b'<script type="module">',
    b'id="__next"',
    b'id="app"',
    b'id="root"',
    b"window.__nuxt__",
    b"window.__initial_state__",
)
"""Marks of a page that a script fills (SRD FR-WF-12c), looked for in the page as it came, in lower case."""


def looks_unfilled(html: bytes, markdown: str, below: int) -> bool:
    """Whether a page says less than so many characters and shows the marks of one that a script fills."""
    if len(markdown) >= below:
        return False
    page = html.lower()
    return any(mark in page for mark in SPA_INDICATORS)
