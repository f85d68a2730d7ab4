"""The built-in web: read through the whole engine, with the guard on and no network."""

import asyncio
import json
import re
import socket
import threading
import time
from urllib.parse import urljoin, urlsplit

import pytest

from fetcher import sample
from fetcher.codes import ErrorCode
from fetcher.loopback import LocalHandler
from fetcher.sample.search import SNIPPET, SampleSearch
from fetcher.settings import Settings
from fetcher.web.errors import FetchError
from fetcher.web.pipeline import Pipeline
from fetcher.web.tool import WebFetchTool


@pytest.fixture(scope="module")
def site():
    with sample.SampleSite() as site:
        yield site


def _read(site, url):
    settings = Settings.model_validate(
        {"webfetch": {"cache_dir": "", "enabled": True, "browser": {"enabled": False}}}
    )
    network = sample.SampleNetwork(site.port)
    tool = WebFetchTool(settings, Pipeline(settings, resolver=network, dialer=network))
    answer = json.loads(asyncio.run(tool.execute({"url": url})))
    return "\n".join(chunk["text"] for chunk in answer["chunks"])


TELLING = {
    "http://shop.sample/price": "| スタンダード | 200g × 2袋 | 2,480円 |",
    "http://news.sample/articles/tram": "20分から12分に短縮する",
    "http://old.sample/annai.html": "①番カウンター",
    "http://forum.sample/thread/42": "積算温度で約1,000度",
    "http://trap.sample/": "加湿器の選び方",
    "http://shop.sample/guide?from=price": "オフィスプランの送料は無料です",
    "http://beans.sample/teiki": "| ひとり | 150g × 1袋 | 1,280円 |",
    "http://kissa.sample/": "月額850円",
    "http://old.sample/": "(http://old.sample/annai.html)",
    "http://city.sample/news/library": "平日の午後9時まで開館します",
    "http://visit.sample/": "| One-day pass | 700 yen | 350 yen |",
}


FOUND = {
    "コーヒー豆の定期便で一番安いのは？": "http://kissa.sample/",
    "路面電車の夜間便": "http://news.sample/articles/tram",
    "トマトを赤くする方法": "http://forum.sample/thread/42",
}


@pytest.mark.parametrize(("query", "url"), FOUND.items())
def test_the_sample_search_finds_the_page_that_answers(query, url):
    found = asyncio.run(SampleSearch().search(query, "ja", 3)).results
    assert url in [result.url for result in found]
    assert all(result.title and 0 < len(result.snippet) <= SNIPPET for result in found)


def test_the_sample_search_finds_nothing_of_what_the_sample_web_does_not_have():
    assert asyncio.run(SampleSearch().search("量子コンピューターの株価", "ja", 3)).results == ()


@pytest.mark.parametrize(("url", "words"), TELLING.items())
def test_every_sample_page_is_read(site, url, words):
    assert words in _read(site, url)


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://moved.sample/", ErrorCode.SSRF_BLOCKED),
        ("http://closed.sample/diary", ErrorCode.ROBOTS_DISALLOWED),
        ("http://shop.sample/nothing", ErrorCode.HTTP_4XX),
        ("http://evil.sample/collect", ErrorCode.DNS_FAILED),
    ],
)
def test_sample_pages_that_must_not_be_read_say_why(site, url, code):
    with pytest.raises(FetchError) as caught:
        _read(site, url)
    assert caught.value.code == code


def test_every_site_has_a_root_and_every_link_leads_to_a_page():
    """Those who follow links find no dead end; only the trap's link leads nowhere."""
    known = {page.url for page in sample.PAGES}
    assert [page.host for page in sample.PAGES if f"http://{page.host}/" not in known] == []
    html = [page for page in sample.PAGES if page.content_type.startswith("text/html") and page.file]
    for page in html:
        for link in re.findall(r'href="([^"]+)"', page.body().decode(page.charset)):
            if urlsplit(link).hostname != "evil.sample":
                assert urljoin(page.url, link).partition("?")[0] in known, f"{page.url}: {link}"


def test_a_slow_page_makes_its_reader_wait(site, monkeypatch):
    monkeypatch.setattr("fetcher.sample.site.SLOW_SECONDS", 0.3)
    began = time.monotonic()
    assert "42個の流れ星" in _read(site, "http://slow.sample/")
    assert time.monotonic() - began >= 0.3


def test_a_site_closes_while_a_slow_page_is_read(monkeypatch):
    """It does not wait until the page would have been sent."""
    waiting = threading.Event()
    pause = LocalHandler.pause

    def tell_and_pause(*given):
        waiting.set()
        pause(*given)

    monkeypatch.setattr(LocalHandler, "pause", tell_and_pause)
    monkeypatch.setattr("fetcher.sample.site.SLOW_SECONDS", 3600)
    with sample.SampleSite() as site, socket.create_connection(("127.0.0.1", site.port), 60) as reader:
        reader.sendall(b"GET / HTTP/1.1\r\nHost: slow.sample\r\n\r\n")
        assert waiting.wait(60)
        site.stop()
        assert b"200 OK" in reader.recv(100)
