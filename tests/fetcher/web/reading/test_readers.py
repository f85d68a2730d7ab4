"""Bytes to Markdown in one call."""

import gc

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.errors import ExtractionFailed
from fetcher.web.net.media_types import Accept
from fetcher.web.reading import readers
from fetcher.web.reading.decode import decode_html
from fetcher.web.reading.extract import extract
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.readers import article_markdown, read, srd_markdown
from fetcher.web.values import ReadingContext

STORY = "<p>川のほとりの町に、古い水車小屋がありました。</p>" * 3
PAGE = f"""<meta charset="shift_jis"><title>t</title><nav>案内</nav>
<main><h1>水車</h1>{STORY}<a href="/b">次</a></main>"""


@pytest.mark.parametrize("read", [article_markdown, srd_markdown])
@pytest.mark.parametrize("charset", ["shift_jis", "utf-8", "euc-jp"])
def test_a_page_in_bytes_becomes_markdown(read, charset):
    """The charset is the page's own, and both modes keep the story and lose the menu."""
    text = read(PAGE.replace("shift_jis", charset).encode(charset), "https://example.jp/a")
    assert text.startswith("# 水車\n")
    assert "古い水車小屋" in text
    assert "案内" not in text


def test_nothing_of_a_page_outlives_its_reading():
    """No ring of objects keeps a page in memory until the collector looks for rings."""
    styled = "<style>.a { display: none } .b { color: white; background: white }</style>"
    hidden = '<p class="a">a</p><p class="b">b</p><table><tr><th>c<td>1</table><button>d</button><p>e</p>'
    page = f"{styled}{PAGE}{hidden}".encode("shift_jis")
    article_markdown(page, "https://example.jp/a")
    gc.collect()
    gc.disable()
    try:
        article_markdown(page, "https://example.jp/a")
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_links_are_absolute():
    """T-WF-EXT-02: links are resolved against the page's address."""
    assert "[次](https://example.jp/b)" in srd_markdown(PAGE.encode("shift_jis"), "https://example.jp/a/c")


UTF_8 = PAGE.replace("shift_jis", "utf-8").encode()


@pytest.mark.parametrize("mode", ReadingMode)
@pytest.mark.parametrize(
    "body",
    [
        UTF_8,
        b"\xef\xbb\xbf" + UTF_8,
        "\ufeff".encode("utf-16le") + PAGE.encode("utf-16le"),
        PAGE.encode("shift_jis"),
        STORY.encode("euc-jp"),
        UTF_8.replace("町".encode(), b"\xe7\x94<i\xff>\xed\xa0\x80</i>"),
        UTF_8.replace(b"/b", b"/\xe3\x81?\x00"),
    ],
    ids=["utf-8", "mark", "utf-16", "shift_jis", "undeclared", "broken_text", "broken_address"],
)
def test_bytes_are_read_as_the_text_that_they_decode_to(body, mode):
    """A page in UTF-8 is never decoded as a whole; the result is the same, even with broken bytes."""
    read = {ReadingMode.ARTICLE: article_markdown, ReadingMode.SRD: srd_markdown}[mode]
    text = decode_html(body, None).text
    assert read(body, "https://example.jp/a") == render(extract(text, "https://example.jp/a", mode=mode))
    assert "古い水車小屋" in text


def test_every_type_that_a_caller_takes_has_a_reader():
    """The table of readers and the table of what callers accept agree."""
    for kind in (
        "text/html",
        "application/xhtml+xml",
        "text/plain",
        "text/csv",
        "application/json",
        "a/b+xml",
    ):
        assert Accept.ALL_KINDS.takes(kind)
        context = ReadingContext(
            url="https://example.jp/a", mode=ReadingMode.SRD, accept=Accept.ALL_KINDS, content_type=kind
        )
        assert read(b"text", context).media_type == kind


def test_markdown_has_a_bound(monkeypatch):
    """A page that makes more of its source than any honest one is refused; a short one may make more."""
    context = ReadingContext(url="https://example.jp/a", mode=ReadingMode.SRD, content_type="text/html")
    page = b"<p>" + b"*" * 1000
    assert read(page, context).document.markdown == "\\*" * 1000 + "\n"
    monkeypatch.setattr(readers, "MOST_GROWTH", 1)
    assert read(page, context).document.markdown
    monkeypatch.setattr(readers, "ALWAYS_ALLOWED", 500)
    with pytest.raises(ExtractionFailed):
        read(page, context)


@pytest.mark.parametrize(("below", "unfilled"), [(0, False), (400, True)])
def test_a_page_that_waits_for_a_script_is_said_to_be_one(below, unfilled):
    """SRD FR-WF-12c: by its marks, and only where it says too little."""
    context = ReadingContext(
        url="https://example.jp/a", mode=ReadingMode.SRD, content_type="text/html", unfilled_below=below
    )
    assert read(b'<div id="root"></div>', context).unfilled is unfilled
