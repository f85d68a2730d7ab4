"""A response's bytes as text, for all kinds of declarations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.codes import ReadingMode
from fetcher.web.net.media_types import HTML_TYPES, charset_parameter, media_type
from fetcher.web.reading.decode import decode_html, decode_text
from fetcher.web.values import ReadingContext

PAGE = "<p>日本語のページ</p>"


def web(body: bytes, content_type: str | None):
    kind = media_type(content_type, body)
    if kind in HTML_TYPES:
        return decode_html(body, charset_parameter(content_type))
    context = ReadingContext(url="", mode=ReadingMode.SRD, content_type=content_type, media_type=kind)
    return decode_text(body, context)


def test_it_wf_http_05_latin_1_is_read():
    """IT-WF-HTTP-05: ISO-8859-1 from the header is decoded, as windows-1252 like in browsers."""
    decoded = web(b"<p>caf\xe9 \x80", "text/html; charset=ISO-8859-1")
    assert (decoded.text, decoded.charset, decoded.fallback) == ("<p>café €", "windows-1252", False)


def test_it_wf_http_06_header_beats_meta():
    """IT-WF-HTTP-06: the header's charset is stronger than the page's."""
    body = b'<meta charset="utf-8">' + PAGE.encode("euc_jp")
    assert web(body, "text/html; charset=EUC-JP").text.endswith(PAGE)


def test_the_header_says_the_charset_of_plain_text():
    """FR-WF-10i: nothing else can."""
    text = "日本語の文書"
    assert web(text.encode("euc_jp"), "text/plain; charset=EUC-JP").text == text


def test_a_byte_order_mark_beats_everything_and_goes():
    """A byte order mark decides before header and page, and is not part of the text."""
    for mark, codec in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        body = mark + f'<meta charset="euc-jp">{PAGE}'.encode(codec)
        decoded = web(body, "text/html; charset=shift_jis")
        assert decoded.text.startswith("<meta")
        assert decoded.text.endswith(PAGE)
        assert not decoded.fallback


@pytest.mark.parametrize(
    "head",
    [
        '<meta charset="{}">',
        "<META CHARSET={}>",
        "<meta name=viewport content='width=1'><meta\ncharset = '{}' />",
        '<meta http-equiv="Content-Type" content="text/html; charset={}">',
        "<meta content='text/html;charset={}' http-equiv=content-type>",
        "<meta http-equiv=Content-Type content=text/html; charset={}>",
        '<?xml version="1.0" encoding="{}"?>\n<html>',
        "<!-- <meta charset=utf-8> --><meta charset={}>",
        "<script>'<meta charset=utf-8>'</script><meta charset={}>",
        '<meta name=description content="set charset=utf-8"><meta charset={}>',
        "<title>" + "x" * 2000 + "</title><meta charset={}>",
        '<meta content="text/html; charset={}">',
    ],
)
@pytest.mark.parametrize(("label", "codec"), [("Shift_JIS", "cp932"), ("x-euc-jp", "euc_jp")])
def test_the_pages_own_declaration_is_found(head, label, codec):
    """FR-WF-CHARSET-02: without a charset in the header the page's own is taken, wherever it is written."""
    decoded = web((head.format(label) + PAGE).encode(codec), "text/html")
    assert decoded.text.endswith(PAGE)
    assert not decoded.fallback


@pytest.mark.parametrize("label", ["utf-16", "utf-16be", "utf-16le", "unicode", "unicodefffe"])
def test_a_page_cannot_declare_itself_utf_16(label):
    """A declaration that is readable as ASCII means UTF-8 when it says UTF-16."""
    decoded = decode_html(f"<meta charset={label}>{PAGE}".encode(), None)
    assert (decoded.text.endswith(PAGE), decoded.charset, decoded.fallback) == (True, "utf-8", False)


def test_a_page_cannot_declare_itself_user_defined():
    """E3, as in browsers: it means windows-1252; a header may say so."""
    body = b"<meta charset=x-user-defined><p>\x80"
    assert (decode_html(body, None).text[-1], decode_html(body, None).fallback) == ("€", False)
    assert decode_html(body, "x-user-defined").text[-1] == "\uf780"


@pytest.mark.parametrize(
    ("body", "header"),
    [(PAGE.encode(), "text/html; charset=klingon"), (b"<meta charset=klingon>" + PAGE.encode(), "text/html")],
)
def test_an_unknown_label_means_utf_8_and_a_note(body, header):
    """FR-WF-CHARSET-01: an unknown charset falls back to UTF-8 and says so."""
    decoded = web(body + b"\xff", header)
    assert decoded.text.endswith(PAGE + "\ufffd")
    assert (decoded.charset, decoded.fallback) == ("utf-8", True)


@pytest.mark.parametrize("header", ["text/html", "text/plain", None])
@pytest.mark.parametrize(
    ("codec", "charset"), [("cp932", "shift_jis"), ("euc_jp", "euc-jp"), ("iso2022_jp", "iso-2022-jp")]
)
def test_undeclared_japanese_is_detected_with_a_note(header, codec, charset):
    """FR-WF-10i: text that declares nothing and is not UTF-8 is detected, and the note says so."""
    decoded = web(PAGE.encode(codec), header)
    assert (decoded.text, decoded.charset, decoded.fallback) == (PAGE, charset, True)


def test_undeclared_utf_8_needs_no_note():
    """FR-WF-10i: UTF-8 is the default."""
    decoded = web(PAGE.encode(), "text/html")
    assert (decoded.text, decoded.charset, decoded.fallback) == (PAGE, "utf-8", False)


def test_xml_is_read_by_its_own_declaration():
    feed = '<?xml version="1.0" encoding="Shift_JIS"?><rss>日本</rss>'
    assert web(feed.encode("cp932"), "application/rss+xml").text == feed
    wrong = '<?xml version="1.0" encoding="UTF-16"?><rss>日本</rss>'
    assert web(wrong.encode(), "text/xml").text == wrong


def test_nul_is_no_text():
    """U+0000 becomes U+FFFD in plain text; the HTML parser has its own rule for it."""
    assert web(b"a\x00b", "text/plain").text == "a\ufffdb"
    assert web(b"a\x00b", "text/html").text == "a\x00b"


@given(
    body=st.binary(max_size=200), header=st.sampled_from(["text/html", "text/plain; charset=x", "text/html;"])
)
def test_no_body_raises(body, header):
    """Any bytes of a supported type give valid text."""
    web(body, header).text.encode("utf-8")
