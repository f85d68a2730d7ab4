"""A Content-Type header, and on the lines after it the body."""

from fetcher.codes import ReadingMode
from fetcher.web.errors import UnsupportedContentType
from fetcher.web.net.media_types import HTML_TYPES, charset_parameter, media_type
from fetcher.web.reading.charsets import REPLACEMENT, decode_as
from fetcher.web.reading.charsets.whatwg import ENCODINGS
from fetcher.web.reading.decode import decode_html, decode_text, html_as_utf8
from fetcher.web.values import ReadingContext
from tests.fuzz.bounds import at_most, is_multiplied, multiplied

NAMES = sorted(set(ENCODINGS.values()))


def check(data: bytes) -> None:
    """Every body is text or of a refused type; every encoding reads all bytes, soon."""
    head, _, body = data.partition(b"\n")
    content_type = head.decode("latin-1") or None
    with at_most(1):
        _assert_decoded(body, content_type)
        html_as_utf8(body)
    name = NAMES[len(body) % len(NAMES)]
    with at_most(1):
        _assert_text(decode_as(name, body), body)
    if is_multiplied(data):
        with at_most(4):
            large = multiplied(body)
            decode_as(name, large)
            _assert_decoded(large, content_type)


def _assert_decoded(body: bytes, content_type: str | None) -> None:
    try:
        kind = media_type(content_type, body)
    except UnsupportedContentType as error:
        error.envelope()
        return
    context = ReadingContext(url="", mode=ReadingMode.SRD, content_type=content_type, media_type=kind)
    is_page = kind in HTML_TYPES
    decoded = decode_html(body, charset_parameter(content_type)) if is_page else decode_text(body, context)
    assert decoded.charset in NAMES
    _assert_text(decoded.text, body)


def _assert_text(text: str, body: bytes) -> None:
    """Text that UTF-8 can say, ASCII letters kept, not longer than its bytes allow."""
    text.encode()
    assert len(text) <= 2 * len(body) + 1
    if not body:
        assert text in ("", REPLACEMENT)
