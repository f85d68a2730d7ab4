"""A byte that says how to read, and after it a page."""

from collections.abc import Iterator
from contextlib import contextmanager

from fetcher.codes import ReadingMode
from fetcher.web.errors import ExtractionFailed
from fetcher.web.reading import html_limits
from fetcher.web.reading.readers import ALWAYS_ALLOWED, MOST_GROWTH, article_markdown, read, srd_markdown
from fetcher.web.values import Document, ReadingContext
from tests.fetcher.web.reading.markdown.test_writer import tokens
from tests.fuzz.bounds import at_most, is_multiplied, multiplied

URL = "https://page.example/dir/page"
REWRITTEN, UNDECODED = 2, 4
_READERS = {ReadingMode.ARTICLE: article_markdown, ReadingMode.SRD: srd_markdown}


def check(data: bytes) -> None:
    """Every page is read or refused in time, and what comes out is Markdown without HTML."""
    how, page = data[:1] or b"\0", data[1:]
    mode = list(ReadingMode)[how[0] & 1]
    if is_multiplied(data):
        with at_most(3):
            _read(multiplied(page), mode)
    with at_most(1), _rewriting(bool(how[0] & REWRITTEN)):
        document = _read(page, mode)
    if document:
        _assert_sound(document)
    if how[0] & UNDECODED:
        _assert_markdown(_READERS[mode](page, URL))


def _read(page: bytes, mode: ReadingMode) -> Document | None:
    context = ReadingContext(url=URL, mode=mode, content_type="text/html; charset=utf-8")
    try:
        document = read(page, context).document
    except ExtractionFailed as error:
        error.envelope()
        return None
    assert len(document.markdown) <= MOST_GROWTH * len(page) + ALWAYS_ALLOWED
    return document


@contextmanager
def _rewriting(wanted: bool) -> Iterator[None]:
    """Has every page written anew before it is parsed, as hostile ones are."""
    usual = html_limits.SAFE_TAGS
    html_limits.SAFE_TAGS = -1 if wanted else usual
    try:
        yield
    finally:
        html_limits.SAFE_TAGS = usual


def _assert_sound(document: Document) -> None:
    _assert_markdown(document.markdown)
    for table in document.tables:
        assert all(len(row) == len(table.header) for row in table.rows)


def _assert_markdown(markdown: str) -> None:
    markdown.encode()
    assert markdown.endswith("\n")
    assert not any(character < " " and character not in "\n\t" for character in markdown)
    for token in tokens(markdown):
        is_html = token.type.startswith("html") and token.content != "<br>"  # lines in the cells of a table
        assert not is_html, f"raw HTML: {token.content!r}"
        address = token.attrs.get("href") or token.attrs.get("src") or "https://"
        assert str(address).startswith(("http://", "https://"))
