"""How the stages are composed: the cache before the web, HTTP before a browser, notes on the way."""

import asyncio
import json
import logging
from datetime import timedelta
from typing import Any

import pytest

from fetcher.codes import Note, ReadingMode, RenderingMethod, TruncationReason
from fetcher.web.browser_reader import Rendered
from fetcher.web.errors import (
    BadArguments,
    BrowserCrashed,
    BrowserUnavailable,
    ExtractionFailed,
    FetchError,
    HttpClientError,
    PortBlocked,
    RobotsDisallowed,
    SsrfBlocked,
    Timeout,
)
from fetcher.web.net.canonical import canonicalise
from fetcher.web.net.media_types import Accept
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.pool import shared_pool
from tests.engine import engine, fetch, fetch_options
from tests.fakes import answers
from tests.fetcher.web.sandbox.readers import stopped_readers

PAGE = "http://shop.example/page"
SPA = '<html><body><div id="root"></div></body></html>'


@pytest.fixture
def cached(tmp_path):
    return {"cache_dir": str(tmp_path / "cache")}


def test_a_second_fetch_is_answered_from_the_cache(internet, clock, cached):
    """T-WF-CCH-01 through the pipeline: SRD FR-WF-17a."""
    internet.page(PAGE, "<title>T</title><p>first</p>")
    first = fetch(internet, PAGE, clock=clock, **cached)
    clock.advance(timedelta(hours=1))
    second = fetch(internet, PAGE + "#elsewhere", clock=clock, **cached)
    assert second.document.markdown == first.document.markdown == "first\n"
    assert second.fetched_at == first.fetched_at
    assert (first.notes, second.notes) == (frozenset(), {Note.CACHE_HIT})
    assert second.requested_url == PAGE + "#elsewhere"
    assert internet.web.count(PAGE) == 1


def test_a_redirecting_url_hits_too(internet, cached):
    """E11: an alias leads from the requested URL to the entry of the final one."""
    internet.redirect("http://short.example/a", PAGE)
    internet.page(PAGE, "x")
    fetch(internet, "http://short.example/a", **cached)
    hit = fetch(internet, "http://short.example/a", **cached)
    assert (str(hit.final_url), hit.notes) == (PAGE, {Note.CACHE_HIT})
    assert fetch(internet, PAGE, **cached).notes == {Note.CACHE_HIT}


def test_t_wf_cch_02_no_cache_reads_the_web_and_still_fills_the_cache(internet, cached):
    """T-WF-CCH-02: `no_cache` bypasses the read and still writes (FR-WF-17)."""
    internet.page(PAGE, "<p>old</p>")
    fetch(internet, PAGE, **cached)
    internet.page(PAGE, "<p>new</p>")
    assert fetch(internet, PAGE, wanted=fetch_options(no_cache=True), **cached).document.markdown == "new\n"
    assert fetch(internet, PAGE, **cached).document.markdown == "new\n"


RESOURCE_TYPES = (
    "Document Stylesheet Image Media Font Script TextTrack XHR Fetch Prefetch EventSource WebSocket "
    "Manifest SignedExchange Ping CSPViolationReport Preflight Other"
)
"""Written out from SRD FR-WF-BLOCKRES-01."""


@pytest.mark.parametrize("written", [RESOURCE_TYPES, RESOURCE_TYPES.upper(), RESOURCE_TYPES.lower()])
def test_every_resource_type_of_the_document_can_be_blocked(internet, written):
    """FR-WF-BLOCKRES-01: these types in any case, and nothing else."""
    internet.page(PAGE, "x")
    assert fetch(internet, PAGE, browser={"block_resources": written.split()})
    for unknown in ("Pictures", "Images", ""):
        with pytest.raises(BadArguments):
            fetch(internet, PAGE, browser={"block_resources": [unknown]})


def test_a_late_declaration_out_of_form_is_heeded(internet):
    """In a reader process too, which opens no file any more when it reads a page."""
    head = "<!-- " + "-" * 2000 + " --><meta name=x content='a; charset=shift_jis'>"
    internet.page(PAGE, (head + "<p>日本語です</p>").encode("cp932"), headers={"Content-Type": "text/html"})
    assert fetch(internet, PAGE).document.markdown == "日本語です\n"


def test_an_expired_page_is_fetched_again(internet, clock, cached):
    """T-WF-CCH-03 through the pipeline."""
    internet.page(PAGE, "x")
    fetch(internet, PAGE, clock=clock, cache_ttl_days=1, **cached)
    clock.advance(timedelta(days=1, seconds=1))
    assert fetch(internet, PAGE, clock=clock, cache_ttl_days=1, **cached).notes == frozenset()


def test_each_reading_mode_has_its_own_text(internet, cached):
    """E11: the article's text and tables stand beside the SRD's entry."""
    internet.page(PAGE, "<main><p>text</p><table><tr><th>a<th>b<tr><td>1<td>2</table></main>")
    fetch(internet, PAGE, **cached)
    article = fetch_options(mode=ReadingMode.ARTICLE)
    assert fetch(internet, PAGE, wanted=article, **cached).notes == frozenset()
    hit = fetch(internet, PAGE, wanted=article, **cached)
    assert hit.notes == {Note.CACHE_HIT}
    assert hit.document.tables[0].rows == (("1", "2"),)


def test_a_cut_page_is_not_cached(internet, cached):
    internet.page(PAGE, "<p>" + "long " * 1000)
    cut = fetch_options(max_bytes=100, cut=True)
    assert fetch(internet, PAGE, wanted=cut, **cached).cut
    assert fetch(internet, PAGE, wanted=cut, **cached).notes == frozenset()


def test_an_error_is_not_cached(internet, cached):
    internet.page(PAGE, "no", status=404)
    with pytest.raises(HttpClientError):
        fetch(internet, PAGE, **cached)
    internet.page(PAGE, "<p>here now</p>")
    assert fetch(internet, PAGE, **cached).document.markdown == "here now\n"


def test_todays_policy_holds_for_a_cached_page(internet, cached):
    """E11: what may not be fetched any more is not served either."""
    internet.page("http://shop.example:8080/", "x")
    internet.page("http://93.184.216.200/", "x")
    ports = {"allowed_ports": [80, 443, 8080]}
    fetch(internet, "http://shop.example:8080/", security=ports, **cached)
    fetch(internet, "http://93.184.216.200/", **cached)
    with pytest.raises(PortBlocked):
        fetch(internet, "http://shop.example:8080/", **cached)
    closed = {"additional_blocked_cidrs": ["93.184.216.200/32"]}
    with pytest.raises(SsrfBlocked):
        fetch(internet, "http://93.184.216.200/", security=closed, **cached)


def test_a_cache_that_cannot_be_written_costs_a_note_only(internet, cached, monkeypatch):
    """SRD FR-WF-16h, 19a."""
    internet.page(PAGE, "<p>x</p>")
    monkeypatch.setattr("os.replace", _disk_full)
    page = fetch(internet, PAGE, **cached)
    assert (page.document.markdown, page.notes) == ("x\n", {Note.CACHE_WRITE_FAILED})


def _disk_full(*_):
    raise OSError(28, "No space left on device")


class Browser:
    """A renderer that answers with a page, or an error, made up beforehand."""

    def __init__(self, html="<p>rendered</p>", *, url=PAGE, notes=(), truncation=(), error=None):
        self.calls = 0
        self._error = error
        self._rendered = Rendered(
            final_url=canonicalise(url),
            html=html,
            notes=frozenset(notes),
            truncation=frozenset(truncation),
        )

    async def render(self, url, require_permission, *, guard, document, whole, mode, record_response):
        self.calls += 1
        self.seconds = whole.remaining
        await require_permission(url)
        if self._error:
            raise self._error
        return self._rendered


def test_a_forced_browser_skips_http(internet):
    """SRD FR-WF-12a."""
    internet.page(PAGE, "<p>plain</p>")
    page = fetch(internet, PAGE, renderer=Browser(), wanted=fetch_options(force_browser=True))
    assert page.document.markdown == "rendered\n"
    assert page.rendering_method is RenderingMethod.BROWSER
    assert internet.web.count(PAGE) == 0


def test_it_wf_br_02_a_forced_browser_that_is_missing_is_an_error(internet):
    """IT-WF-BR-02: SRD FR-WF-11a."""
    internet.page(PAGE, "<p>plain</p>")
    with pytest.raises(BrowserUnavailable):
        fetch(internet, PAGE, wanted=fetch_options(force_browser=True))
    with pytest.raises(BrowserUnavailable):
        fetch(
            internet,
            PAGE,
            renderer=Browser(),
            browser={"enabled": False},
            wanted=fetch_options(force_browser=True),
        )


def test_a_js_heavy_domain_goes_straight_to_the_browser(internet):
    """SRD FR-WF-12b."""
    internet.page(PAGE, "<p>plain</p>")
    heavy: Any = {"rendering": {"js_heavy_domains": ["shop.example"]}}
    assert fetch(internet, PAGE, renderer=Browser(), **heavy).document.markdown == "rendered\n"
    assert internet.web.count(PAGE) == 0


def test_a_page_that_a_script_fills_is_rendered(internet):
    """SRD FR-WF-12c."""
    internet.page(PAGE, SPA)
    page = fetch(internet, PAGE, renderer=Browser())
    assert (page.document.markdown, page.rendering_method) == ("rendered\n", RenderingMethod.BROWSER)


@pytest.mark.parametrize("rendering", [{}, {"js_heavy_domains": ["shop.example"]}])
def test_without_a_browser_http_has_to_do_with_a_note(internet, rendering):
    """SRD FR-WF-12d."""
    internet.page(PAGE, SPA + "<p>please enable scripts</p>")
    page = fetch(internet, PAGE, rendering=rendering)
    assert page.document.markdown == "please enable scripts\n"
    assert page.rendering_method is RenderingMethod.HTTP
    assert page.notes == {Note.BROWSER_UNAVAILABLE_USED_HTTP}


CRASHED = BrowserCrashed(error="the page's process ended")
LATE = Timeout(timeout_ms=1000, phase="rendering")
BLOCKED = SsrfBlocked("blocked", blocked_ip="10.0.0.1", cidr="10.0.0.0/8", toggle="block_private_ips")


@pytest.mark.parametrize("error", [CRASHED, LATE])
def test_a_browser_that_breaks_down_unasked_leaves_the_page_that_is_at_hand(internet, error, caplog):
    """SRD FR-WF-12d for one that is found and does not last: the note for the caller, the code in the log."""
    internet.page(PAGE, SPA + "<p>please enable scripts</p>")
    page = fetch(internet, PAGE, renderer=Browser(error=error))
    assert page.document.markdown == "please enable scripts\n"
    assert page.rendering_method is RenderingMethod.HTTP
    assert page.notes == {Note.BROWSER_UNAVAILABLE_USED_HTTP}
    [said] = [record for record in caplog.records if record.msg == "browser_unavailable"]
    assert said.__dict__["fields"]["error_code"] == error.code


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"wanted": fetch_options(force_browser=True)}, CRASHED),
        ({"wanted": fetch_options(force_browser=True)}, LATE),
        ({"rendering": {"js_heavy_domains": ["shop.example"]}}, CRASHED),
        ({"rendering": {"js_heavy_domains": ["shop.example"]}}, LATE),
        ({}, BLOCKED),
    ],
)
def test_a_browser_that_was_asked_for_and_what_a_page_may_not_do_are_errors(internet, asked, error):
    """A breakdown where a browser was wanted, and a refusal wherever."""
    internet.page(PAGE, SPA)
    with pytest.raises(type(error)):
        fetch(internet, PAGE, renderer=Browser(error=error), **asked)


@pytest.mark.parametrize("error", [CRASHED, LATE])
def test_what_had_to_do_for_now_is_not_cached(internet, cached, error):
    """A browser that is well again is asked."""
    internet.page(PAGE, SPA)
    fetch(internet, PAGE, renderer=Browser(error=error), **cached)
    page = fetch(internet, PAGE, renderer=Browser(), **cached)
    assert page.document.markdown == "rendered\n"


def test_a_page_without_the_time_for_a_browser_is_not_cached(internet, cached):
    internet.page(PAGE, SPA)
    brief = fetch_options(timeout_seconds=2, render_seconds=0)
    assert fetch(internet, PAGE, renderer=Browser(), wanted=brief, **cached).notes == {
        Note.BROWSER_UNAVAILABLE_USED_HTTP
    }
    assert fetch(internet, PAGE, renderer=Browser(), **cached).document.markdown == "rendered\n"


@pytest.mark.parametrize("rendering", [{}, {"js_heavy_domains": ["shop.example"]}])
@pytest.mark.parametrize("no_cache", [False, True])
def test_without_a_browser_the_page_is_cached_as_what_it_is(internet, cached, rendering, no_cache):
    """SRD FR-WF-17.2, FR-WF-RESP-METHOD-01: a fresh result is written, under the method that produced it."""
    internet.page(PAGE, SPA + "<p>please enable scripts</p>")
    fetch(internet, PAGE, rendering=rendering, wanted=fetch_options(no_cache=no_cache), **cached)
    hit = fetch(internet, PAGE, rendering=rendering, **cached)
    notes = {Note.CACHE_HIT, Note.BROWSER_UNAVAILABLE_USED_HTTP}
    assert (hit.rendering_method, hit.notes) == (RenderingMethod.HTTP, notes)
    forced = fetch(internet, PAGE, renderer=Browser(), wanted=fetch_options(force_browser=True), **cached)
    assert forced.document.markdown == "rendered\n"


def test_a_rendered_page_carries_no_note_of_the_plain_ones_charset(internet):
    """SRD FR-WF-RESP-METHOD-01: notes are of the page that is given; the browser had its own charset."""
    internet.page(PAGE, SPA, headers={"Content-Type": "text/html; charset=nonsense"})
    assert fetch(internet, PAGE).notes == {Note.BROWSER_UNAVAILABLE_USED_HTTP, Note.CHARSET_FALLBACK}
    assert fetch(internet, PAGE, renderer=Browser()).notes == frozenset()


def test_a_rendering_has_the_time_that_the_srd_adds(internet):
    """SRD FR-WF-TIMEOUT-01: 10 s, 3 s for the network and 5 s for the page; 4 s of these are for reading."""
    internet.page(PAGE, "<p>plain</p>")
    browser = Browser()
    asked = fetch_options(timeout_seconds=10, force_browser=True)
    fetch(internet, PAGE, renderer=browser, wanted=asked, browser={"network_idle_ms": 3000})
    assert 13 < browser.seconds <= 14


def test_an_http_error_is_not_retried_in_the_browser(internet):
    """SRD FR-WF-12f."""
    internet.page(PAGE, SPA, status=404)
    browser = Browser()
    with pytest.raises(HttpClientError):
        fetch(internet, PAGE, renderer=browser)
    assert browser.calls == 0


def test_robots_txt_is_asked_for_the_browsers_page_too(internet):
    """SRD FR-WF-ROBOTS-SCOPE-01."""
    internet.robots("http://shop.example", "User-agent: *\nDisallow: /")
    with pytest.raises(RobotsDisallowed):
        fetch(internet, PAGE, renderer=Browser(), wanted=fetch_options(force_browser=True))


def test_t_wf_cch_10_a_fallback_caches_the_browsers_result_only(internet, cached):
    """T-WF-CCH-10: SRD FR-WF-CCH-KEY-03; the next fetch finds it without being asked for a browser."""
    internet.page(PAGE, SPA)
    browser = Browser()
    fetch(internet, PAGE, renderer=browser, **cached)
    hit = fetch(internet, PAGE, renderer=browser, **cached)
    assert hit.rendering_method is RenderingMethod.BROWSER
    assert (hit.notes, browser.calls) == ({Note.CACHE_HIT}, 1)


def test_t_wf_cch_04_a_forced_browser_does_not_take_the_http_entry(internet, cached):
    """T-WF-CCH-04 through the pipeline."""
    internet.page(PAGE, "<p>plain</p>")
    fetch(internet, PAGE, **cached)
    page = fetch(internet, PAGE, renderer=Browser(), wanted=fetch_options(force_browser=True), **cached)
    assert page.document.markdown == "rendered\n"


def test_a_cut_rendering_gives_no_torn_row(internet):
    """Where the document was cut, the last row may be half of one."""
    html = "<table><tr><th>Name<th>Price<tr><td>A<td>10<tr><td>B<td>20<tr><td>C<td>1"
    reason = TruncationReason.BROWSER_DOM_TRUNCATED
    browser = Browser(html, notes=[Note.BROWSER_DOM_TRUNCATED], truncation=[reason])
    internet.host("shop.example")
    page = fetch(internet, PAGE, renderer=browser, wanted=fetch_options(force_browser=True))
    (table,) = page.document.tables
    assert table.rows == (("A", "10"), ("B", "20"))
    assert table.cut


def test_a_partial_rendering_is_not_cached(internet, cached):
    browser = Browser(
        notes=[Note.BROWSER_TIMEOUT_DOM_PARTIAL], truncation=[TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL]
    )
    forced = fetch_options(force_browser=True)
    internet.host("shop.example")
    page = fetch(internet, PAGE, renderer=browser, wanted=forced, **cached)
    assert page.notes == {Note.BROWSER_TIMEOUT_DOM_PARTIAL}
    fetch(internet, PAGE, renderer=browser, wanted=forced, **cached)
    assert browser.calls == 2


def test_reading_has_no_more_time_than_is_left(internet):
    """E21: what cannot be read in time is `extraction_failed`, and the next page finds a reader."""
    internet.page(PAGE, "x")
    with stopped_readers(), pytest.raises(ExtractionFailed):
        fetch(internet, PAGE, wanted=fetch_options(timeout_seconds=0.5))
    assert fetch(internet, PAGE).document.markdown == "x\n"


def test_readers_start_while_the_first_page_is_on_its_way(internet):
    """Not before, and not after: a page is sent here once both run."""
    limits = ReaderLimits(memory_mb=401)  # whose pool no other test has
    pool = shared_pool(limits)

    async def once_they_run(request):
        while len(pool.pids) < limits.processes:  # noqa: ASYNC110 - they start in threads
            await asyncio.sleep(0.01)
        async for piece in answers.answer("x", headers={"Content-Type": "text/plain"})(request):
            yield piece

    internet.route(PAGE, once_they_run)
    pipeline = engine(internet, reader={"memory_mb": limits.memory_mb})
    assert pool.pids == []
    try:
        assert asyncio.run(pipeline.fetch(PAGE, fetch_options())).document.markdown == "x\n"
    finally:
        pool.close()


def test_t_wf_err_03_query_strings_never_reach_the_log(internet, caplog):
    """T-WF-ERR-03: SRD FR-WF-19b, whatever happens to the fetch."""
    internet.redirect("http://shop.example/a?token=s3cret", "/b?token=s3cret")
    internet.page("http://shop.example/b?token=s3cret", "x")
    with caplog.at_level(logging.DEBUG, "fetcher"):
        fetch(internet, "http://shop.example/a?token=s3cret")
        for url in ("http://user:s3cret@shop.example/", "http://127.0.0.1/?s3cret", "http://[s3cret/"):
            with pytest.raises(FetchError):
                fetch(internet, url)
    assert caplog.records
    assert "s3cret" not in json.dumps([vars(record) for record in caplog.records], default=str)


def test_logs_carry_the_srds_fields(internet, caplog):
    """SRD FR-WF-19c."""
    internet.page(PAGE, "x")
    with caplog.at_level(logging.INFO, "fetcher"):
        fetch(internet, PAGE + "?q=1")
        with pytest.raises(SsrfBlocked):
            fetch(internet, "http://127.0.0.1/")
    seen = [(record.getMessage(), getattr(record, "fields", {})) for record in caplog.records]
    assert [event for event, _ in seen] == ["fetch_start", "fetch_complete", "fetch_start", "ssrf_blocked"]
    assert seen[1][1] == {
        "requested_host": "shop.example",
        "url": PAGE,
        "rendering_method": "http",
        "cache_hit": False,
    }
    blocked = seen[3][1]
    assert (blocked["error_code"], blocked["blocked_ip"]) == ("ssrf_blocked", "127.0.0.1")


def test_switched_off_protection_is_said_at_start(internet, caplog):
    """SRD FR-WF-05b."""
    security = {"block_loopback": False, "block_reserved": False, "allow_insecure_overrides": True}
    with caplog.at_level(logging.WARNING, "fetcher"):
        engine(internet, security=security)
    assert "SSRF protection disabled for: block_loopback, block_reserved" in caplog.messages


def test_the_quick_reads_taste_is_wider(internet):
    """E2: JSON is refused by web_fetch and read by fetch_url; neither caches it for the other."""
    internet.route(PAGE, answers.answer('{"a": 1}', headers={"Content-Type": "application/json"}))
    page = fetch(internet, PAGE, wanted=fetch_options(accept=Accept.ALL_KINDS))
    assert page.document.markdown == "- **a**: 1\n"
