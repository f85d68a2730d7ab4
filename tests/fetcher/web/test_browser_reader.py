"""When a page needs a browser."""

import pytest

from fetcher.settings import BrowserSettings, RenderingSettings
from fetcher.web.browser_reader import blocked_kinds, is_js_heavy, unfilled_below
from fetcher.web.net.canonical import canonicalise
from fetcher.web.reading.readers import looks_unfilled

USUAL = unfilled_below(RenderingSettings())


@pytest.mark.parametrize(
    ("entry", "host", "heavy"),
    [
        ("example.com", "example.com", True),
        ("example.com", "a.example.com", False),
        ("example.com", "notexample.com", False),
        (".example.com", "a.example.com", True),
        (".example.com", "a.b.example.com", True),
        (".example.com", "example.com", False),
        (".example.com", "badexample.com", False),
        ("EXAMPLE.com", "example.com", True),
        ("日本語.jp", "xn--wgv71a119e.jp", True),
        (".日本語.jp", "www.日本語.jp", True),
        ("not a host", "example.com", False),
        ("", "example.com", False),
    ],
)
def test_t_wf_ren_01_domains_match_exactly_or_by_suffix(entry, host, heavy):
    """T-WF-REN-01: SRD FR-WF-RENDER-JS-01."""
    settings = RenderingSettings(js_heavy_domains=(entry,))
    assert is_js_heavy(canonicalise(f"http://{host}/"), settings) is heavy


@pytest.mark.parametrize(
    "mark",
    [
        '<script type="module">',
        '<SCRIPT TYPE="module">',
        '<div id="__next">',
        '<div id="app">',
        '<div id="root">',
        "window.__NUXT__=1",
        "window.__INITIAL_STATE__ = {}",
    ],
)
def test_little_text_and_a_mark_of_a_script_mean_a_browser(mark):
    """SRD FR-WF-12c, just inside and just outside the length."""
    assert looks_unfilled(f"<html>{mark}".encode(), "x" * 399, USUAL)
    assert not looks_unfilled(f"<html>{mark}".encode(), "x" * 400, USUAL)


@pytest.mark.parametrize("html", ["<p>short</p>", '<div class="app">', "window.nuxt"])
def test_a_short_page_without_a_mark_is_just_short(html):
    assert not looks_unfilled(html.encode(), "", USUAL)


@pytest.mark.parametrize(
    ("blocked", "kinds"),
    [
        (("Image", "FONT"), {"image", "font"}),
        (("XHR",), {"xhr", "fetch"}),
        (("fetch", "media"), {"xhr", "fetch", "media"}),
        ((), set()),
    ],
)
def test_what_scripts_load_is_one_kind_by_two_names(blocked, kinds):
    """SRD FR-WF-BLOCKRES-01: in any case; Chromium reports what `fetch()` loads as XHR."""
    assert blocked_kinds(BrowserSettings(block_resources=blocked)) == kinds


def test_the_heuristic_can_be_switched_off():
    """SRD FR-WF-12e."""
    settings = RenderingSettings(spa_fallback_enabled=False)
    assert not looks_unfilled(b'<div id="root">', "", unfilled_below(settings))
