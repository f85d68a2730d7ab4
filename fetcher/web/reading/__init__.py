"""From bytes to a document: decoding, HTML, main content, Markdown, tables. Read `readers.py` first.

The functions here import when they are called: importing a module of this package loads no parser.
"""


def article_markdown(html: bytes, url: str) -> str:
    """The main content of a page, as the agent reads it."""
    from fetcher.web.reading import readers

    return readers.article_markdown(html, url)


def srd_markdown(html: bytes, url: str) -> str:
    """A page read by the fixed rules of SRD §3.5.1."""
    from fetcher.web.reading import readers

    return readers.srd_markdown(html, url)
