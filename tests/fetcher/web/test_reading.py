"""Bytes to Markdown in one call."""

import pytest

from fetcher.web.reading import article_markdown, srd_markdown

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


def test_links_are_absolute():
    """T-WF-EXT-02: links are resolved against the page's address."""
    assert "[次](https://example.jp/b)" in srd_markdown(PAGE.encode("shift_jis"), "https://example.jp/a/c")
