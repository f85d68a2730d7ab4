"""Feeds as lists of dated entries."""

import json

import pytest

from tests.fetcher.web.reading.documents.reading import document

RSS = """<?xml version="1.0" encoding="{}"?><rss version="2.0"><channel><title>お知らせ</title>
<link>https://news.example/</link><description>最新の情報</description>
<item><title>古い記事</title><link>https://news.example/1</link>
<pubDate>Mon, 05 Jan 2026 09:00:00 +0900</pubDate></item>
<item><title>新しい記事 &amp; 続き</title><link>/2</link><pubDate>Tue, 6 Jan 2026 09:00:00 JST</pubDate>
<description><![CDATA[<p>本文の<b>要約</b></p>]]></description></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>お知らせ</title>
<link rel="self" href="https://news.example/feed"/>
<entry><title>古い記事</title><link href="https://news.example/1"/><updated>2026-01-05T00:00:00Z</updated></entry>
<entry><title>新しい記事 &amp; 続き</title><link rel="edit" href="https://news.example/edit"/>
<link rel="alternate" href="https://news.example/2"/><published>2026-01-06T00:00:00Z</published>
<summary type="html">&lt;p&gt;本文の要約&lt;/p&gt;</summary></entry></feed>"""
JSON_FEED = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "お知らせ",
        "items": [
            {"title": "古い記事", "url": "https://news.example/1", "date_published": "2026-01-05T00:00:00Z"},
            {
                "title": "新しい記事 & 続き",
                "url": "https://news.example/2",
                "date_published": "2026-01-06T00:00:00Z",
                "summary": "本文の要約",
            },
        ],
    }
)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (RSS.format("utf-8"), "application/rss+xml"),
        (RSS.format("utf-8"), "text/xml"),
        (RSS.format("utf-8"), "text/html"),
        (RSS.format("utf-8"), None),
        (RSS.format("shift_jis").encode("cp932"), "application/xml"),
        (ATOM, "application/atom+xml"),
        (JSON_FEED, "application/feed+json"),
        (JSON_FEED, "application/json"),
    ],
)
def test_a_feed_is_a_list_with_the_newest_first(body, content_type):
    found = document(body, content_type, url="https://news.example/feed")
    assert found.title == "お知らせ"
    assert "[新しい記事 & 続き](https://news.example/2)" in found.markdown
    assert found.markdown.index("新しい記事") < found.markdown.index("古い記事")
    assert "2026-01-06" in found.markdown
    assert "本文の要約" in found.markdown
    assert [row[1] for row in found.tables[0].rows] == ["新しい記事 & 続き", "古い記事"]


def test_a_feed_that_declares_entities_is_shown_as_it_is():
    """Feeds need none, and bombs are made of them."""
    body = '<!DOCTYPE rss [<!ENTITY a "lol">]><rss><channel><title>&a;&a;</title></channel></rss>'
    assert "<!ENTITY" in document(body, "application/rss+xml").markdown


@pytest.mark.parametrize("body", ["<rss><channel><item>", "<rss></rss>", "<feed", "", "<rss>" * 5000])
def test_a_broken_feed_is_shown_as_it_is(body):
    assert document(body, "application/rss+xml").markdown.endswith("\n")


def test_other_xml_is_text():
    assert document("<a><b/></a>", "application/xml").markdown == "<a><b/></a>\n"
