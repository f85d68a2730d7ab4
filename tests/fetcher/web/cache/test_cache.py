"""The page cache, seen through its lookups and stores: the rows of SRD §6.4, articles and aliases."""

import json
import os
import re
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from fetcher.codes import Note, ReadingMode
from fetcher.web.net.canonical import canonicalise
from fetcher.web.values import Document, Table
from tests.fakes.clock import NOON
from tests.fetcher.web.cache.shelf import ARTICLE, BROWSER, HTTP, SRD, Shelf, url

EXAMPLE = """{
  "version": 2,
  "canonical_url": "https://example.com/page",
  "rendering_method": "http",
  "fetched_at": "2026-01-10T12:00:00Z",
  "expires_at": "2026-01-17T12:00:00Z",
  "last_accessed_at": "2026-01-10T14:30:00Z",
  "extracted": {
    "markdown": "# Page Title\\n\\nContent here...",
    "title": "Page Title",
    "language": "en"
  }
}"""
"""The entry that SRD FR-WF-16c shows."""


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "cache")


def test_t_wf_cch_01_a_hit_returns_the_page_with_its_own_fetched_at(shelf: Shelf) -> None:
    """T-WF-CCH-01: a hit is the page as it was fetched, with the time of that fetch (FR-WF-17a)."""
    document = Document(markdown="# 題\n\n本文", title="題", language="ja")
    fetched_at = NOON - timedelta(hours=3, microseconds=5)
    shelf.cache.store(
        requested=url("a"), final=url("a"), method=HTTP, fetched_at=fetched_at, document=document
    )
    shelf.clock.advance(timedelta(days=1))
    page = shelf.get("a")
    assert page is not None
    assert (page.final_url, page.rendering_method) == (url("a"), HTTP)
    assert (page.fetched_at, page.document) == (fetched_at, document)


@pytest.mark.parametrize(("late", "hit"), [(0, True), (1, False)])
def test_t_wf_cch_03_an_entry_is_missed_once_it_has_expired(shelf: Shelf, late: int, hit: bool) -> None:
    """T-WF-CCH-03: `expires_at < now` is a miss, `expires_at == now` is not (FR-WF-16d)."""
    shelf.put("a")
    shelf.clock.set(NOON + timedelta(days=7, microseconds=late))
    assert (shelf.get("a") is not None) is hit


def test_t_wf_cch_04_each_rendering_method_has_its_own_entry(shelf: Shelf) -> None:
    """T-WF-CCH-04: http and browser renderings of one URL do not meet (FR-WF-16)."""
    shelf.put("a", "plain", method=HTTP)
    shelf.put("a", "rendered", method=BROWSER)
    assert shelf.text("a", method=HTTP) == "plain"
    assert shelf.text("a", method=BROWSER) == "rendered"


def test_t_wf_cch_05_paths_hold_nothing_but_hashes(shelf: Shelf) -> None:
    """T-WF-CCH-05: no part of a URL becomes part of a path (FR-WF-16a, FR-WF-16b)."""
    shelf.put("..%2f..%2fetc/passwd?q=secret", requested="other")
    shelf.put("..%2f..%2fetc/passwd?q=secret", mode=ARTICLE)
    files = [path.relative_to(shelf.directory).as_posix() for path in shelf.directory.glob("*/*")]
    assert len(files) == 3
    assert all(
        re.fullmatch(r"([0-9a-f]{2})/\1[0-9a-f]{62}(\.json|\.article\.json|\.alias)", f) for f in files
    )


def test_t_wf_cch_06_the_least_recently_used_entry_goes_first(tmp_path: Path) -> None:
    """T-WF-CCH-06: a write at the limit evicts the entry that was used longest ago (FR-WF-16e)."""
    shelf = Shelf(tmp_path, entries=3)
    for name in "abc":
        shelf.put(name)
    shelf.get("a")
    shelf.put("d")
    assert shelf.kept("abcd") == "acd"


def test_t_wf_cch_07_the_document_is_kept_whole(shelf: Shelf) -> None:
    """T-WF-CCH-07: the entry holds the text before chunking, so that each request cuts it its own way."""
    markdown = "\n\n".join(f"## Part {number}\n\n{'word ' * 500}" for number in range(20))
    shelf.put("a", markdown)
    assert shelf.text("a") == markdown
    assert set(json.loads(shelf.path("a").read_bytes())["extracted"]) == {"markdown", "title", "language"}


def test_t_wf_cch_08_a_hit_updates_last_accessed_at(shelf: Shelf) -> None:
    """T-WF-CCH-08: a hit moves `last_accessed_at`, and nothing else (FR-WF-CCH-LRU-01)."""
    shelf.put("a")
    before = json.loads(shelf.path("a").read_bytes())
    shelf.clock.set(NOON + timedelta(hours=2, minutes=30))
    shelf.get("a")
    after = json.loads(shelf.path("a").read_bytes())
    assert after == before | {"last_accessed_at": "2026-01-10T14:30:00Z"}


def test_t_wf_cch_10_a_browser_result_fills_the_browser_entry_only(shelf: Shelf) -> None:
    """T-WF-CCH-10: what the browser rendered is found under its method and final URL alone (KEY-03)."""
    shelf.put("final", method=BROWSER, requested="start")
    page = shelf.get("start", method=BROWSER)
    assert page is not None
    assert (page.final_url, page.rendering_method) == (url("final"), BROWSER)
    assert shelf.get("start", method=HTTP) is None
    assert shelf.get("final", method=HTTP) is None


def test_t_wf_cch_11_an_oversized_entry_is_not_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """T-WF-CCH-11: an entry over `max_cache_bytes` is skipped with the SRD's words (CCH-SIZE-01)."""
    shelf = Shelf(tmp_path, size=1000)
    shelf.put("a")
    assert not shelf.put("b", "x" * 1000)
    assert caplog.messages == ["cache_write_failed: entry exceeds max_cache_bytes"]
    assert shelf.kept("ab") == "a"


def test_an_entry_of_just_the_limit_is_written(tmp_path: Path) -> None:
    """SRD FR-WF-CCH-SIZE-01: only one that exceeds `max_cache_bytes` is not."""
    ample = Shelf(tmp_path / "ample")
    ample.put("a")
    size = ample.path("a").stat().st_size
    assert Shelf(tmp_path / "just", size=size).put("a")
    assert not Shelf(tmp_path / "under", size=size - 1).put("a")


def test_what_answers_a_query_is_kept_for_hours(tmp_path: Path) -> None:
    """Just inside and just outside of the time; the URL that was asked for counts as well as the last."""
    shelf = Shelf(tmp_path, query_hours=24)
    assert [shelf.put("a?q=1"), shelf.put("b", requested="b?q=1"), shelf.put("c")] == [True] * 3
    shelf.clock.advance(timedelta(hours=24, seconds=-3))
    assert [shelf.text(name) for name in ("a?q=1", "b", "c")] == ["text"] * 3
    shelf.clock.advance(timedelta(seconds=3))
    assert [shelf.text(name) for name in ("a?q=1", "b", "c")] == [None, None, "text"]


def test_what_answers_a_query_is_not_kept_where_settings_say_so(tmp_path: Path) -> None:
    """No write has failed (SRD FR-WF-16h): none was wanted."""
    shelf = Shelf(tmp_path, query_hours=0)
    assert shelf.put("a?q=1")
    assert shelf.put("b", requested="b?q=1")
    assert shelf.entries() == []


def test_t_wf_det_01_the_same_url_has_the_same_key(tmp_path: Path) -> None:
    """T-WF-DET-01: the key is SHA-256 of the canonical URL, a newline and the method (FR-WF-16)."""
    key = sha256(b"https://example.com/page\nhttp").hexdigest()
    for name in ("one", "two"):
        shelf = Shelf(tmp_path / name)
        shelf.cache.store(
            requested=canonicalise("HTTPS://EXAMPLE.com:443/page#part"),
            final=canonicalise("https://example.com/page"),
            method=HTTP,
            fetched_at=NOON,
            document=Document(markdown=""),
        )
        assert [path.name for path in shelf.directory.glob("*/*")] == [f"{key}.json"]


def test_an_article_keeps_its_tables_beside_the_entry(shelf: Shelf) -> None:
    """The two readings of a page share a key, and neither answers for the other."""
    table = Table(caption="人口", header=("市", "人"), rows=(("札幌", "1,973,395"), ("仙台", "1,096,704")))
    document = Document(markdown="article", title="題", language="ja", tables=(table,))
    shelf.cache.store(
        requested=url("a"), final=url("a"), method=HTTP, fetched_at=NOON, document=document, mode=ARTICLE
    )
    assert shelf.get("a") is None
    page = shelf.get("a", mode=ARTICLE)
    assert page is not None
    assert page.document == document
    assert shelf.path("a", suffix=".article.json").exists()


def test_a_redirected_url_hits_the_page_it_led_to(shelf: Shelf) -> None:
    """The requested URL and the final one both hit (the alias, then the entry)."""
    shelf.put("final", requested="start")
    page = shelf.get("start")
    assert page is not None
    assert page.final_url == url("final")
    assert shelf.text("final") == "text"


def test_a_url_that_no_longer_redirects_answers_for_itself(shelf: Shelf) -> None:
    """Once a URL is a final one its own entry wins over the alias it had."""
    shelf.put("final", "old", requested="start")
    shelf.put("start", "new")
    assert shelf.text("start") == "new"


def test_a_url_that_came_to_redirect_leads_to_the_new_page(shelf: Shelf) -> None:
    """A fresh redirect wins over the entry that the URL had of its own."""
    shelf.put("start", "old")
    shelf.put("final", "new", requested="start")
    assert shelf.text("start") == "new"


def test_an_alias_to_a_missing_entry_is_a_miss(shelf: Shelf) -> None:
    """An entry deleted by hand leaves its aliases harmless."""
    shelf.put("final", requested="start")
    shelf.path("final").unlink()
    assert shelf.get("start") is None


def test_a_hit_does_not_bring_back_an_older_page(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is stored between a hit's read and its rewrite stays."""
    shelf.put("a", "old")
    honest = Path.read_bytes

    def read_then_refresh(path: Path) -> bytes:
        content = honest(path)
        monkeypatch.setattr(Path, "read_bytes", honest)
        shelf.put("a", "new")
        return content

    monkeypatch.setattr(Path, "read_bytes", read_then_refresh)
    assert shelf.text("a") == "old"
    assert shelf.text("a") == "new"


def test_the_srds_own_example_is_a_hit_and_what_is_written(shelf: Shelf) -> None:
    """SRD FR-WF-16c, CCH-VER-01: the entry's version is 2, and our own entry is the example's JSON."""
    path = shelf.path("page")
    path.parent.mkdir()
    path.write_text(EXAMPLE)
    page = shelf.get("page")
    assert page is not None
    assert page.document == Document(
        markdown="# Page Title\n\nContent here...", title="Page Title", language="en"
    )
    table = Table(caption="left out", header=("a",), rows=())
    shelf.put("page", document=replace(page.document, tables=(table,)))
    written = json.loads(path.read_bytes())
    example = json.loads(EXAMPLE) | {"last_accessed_at": "2026-01-10T12:00:00Z"}
    assert list(written.items()) == list(example.items())


@pytest.mark.parametrize("mode", [SRD, ARTICLE])
@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_t_wf_cch_09_another_version_is_a_miss(shelf: Shelf, mode: ReadingMode, version: int) -> None:
    """T-WF-CCH-09: an article's file has a version of its own; no version is an error."""
    shelf.put("a", mode=mode)
    path = shelf.path("a", suffix=".json" if mode is SRD else ".article.json")
    own = json.loads(path.read_bytes())["version"]
    assert own == (2 if mode is SRD else 3)
    path.write_text(path.read_text().replace(f'"version":{own}', f'"version":{version}'))
    assert (shelf.get("a", mode=mode) is not None) is (version == own)
    if version != own:
        path.write_text(json.dumps({"version": version, "response": {"chunks": []}}))
        assert shelf.get("a", mode=mode) is None
    assert path.exists()
    assert shelf.put("a", "new", mode=mode)
    assert shelf.text("a", mode=mode) == "new"


@pytest.mark.parametrize("mode", [SRD, ARTICLE])
def test_a_hit_keeps_the_notes_on_its_text(shelf: Shelf, mode: ReadingMode) -> None:
    """What the text was decoded with and rendered by holds for every reader; a fetch's own notes do not."""
    about_the_text = {Note.CHARSET_FALLBACK, Note.BROWSER_UNAVAILABLE_USED_HTTP}
    shelf.put("a", mode=mode, notes=frozenset({*about_the_text, Note.ROBOTS_UNAVAILABLE_FAIL_OPEN}))
    page = shelf.get("a", mode=mode)
    assert page is not None
    assert page.notes == about_the_text


def test_a_page_that_is_forgotten_is_missed_in_every_reading(shelf: Shelf) -> None:
    """E30: the entry and the article, and what leads there."""
    for mode in (SRD, ARTICLE):
        shelf.put("final", requested="start", mode=mode)
    shelf.put("other")
    shelf.cache.forget([url("final")])
    found = [shelf.text(name, mode=mode) for name in ("start", "final") for mode in (SRD, ARTICLE)]
    assert found == [None] * 4
    assert shelf.text("other") == "text"


def test_a_lookup_reads_two_files_and_lists_no_directory(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hit opens the alias and the entry, whatever else there is (NFR-WF-PERF-03)."""
    shelf.put("final", requested="start")
    opened: list[Path] = []
    honest = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        opened.append(path)
        return honest(path)

    def refuse(path: Path) -> list[str]:
        raise AssertionError(f"{path} was listed")

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    monkeypatch.setattr(os, "listdir", refuse)
    monkeypatch.setattr(os, "scandir", refuse)
    page = shelf.cache.lookup(url("start"), HTTP)
    assert page is not None
    assert opened == [shelf.path("start", suffix=".alias"), shelf.path("final")]
