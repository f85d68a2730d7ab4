"""Plain text in the browser is plain text, and what may not be stored is not, whichever way it was read."""

from typing import Any

import pytest

from fetcher.codes import Note, ReadingMode, RenderingMethod
from fetcher.web.errors import HttpClientError, UnsupportedContentType
from tests.engine import fetch, fetch_options
from tests.fetcher.web.browser.ground import FORCED, JSON, PAGE, SHOP, show, that_shows

TEXT = "# not a heading?\r\n\r\n\r\n\r\n\r\n<b>&amp;</b> *as it is*  \r\n\tindented 「日本語」\r\n```\nopen"
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}


@pytest.mark.parametrize("mode", ReadingMode)
@pytest.mark.parametrize("headers", [PLAIN, {"Content-Type": "Text/Plain;charset=UTF-8"}])
def test_plain_text_is_passed_through_the_browser_too(internet, headers, mode):
    """SRD FR-WF-13c: white space is normalised, and nothing is fenced, escaped or taken for markup."""
    internet.page(PAGE, TEXT, headers=headers)
    shown = show(internet, wanted=fetch_options(force_browser=True, mode=mode, timeout_seconds=20))
    plain = fetch(internet, PAGE, wanted=fetch_options(mode=mode))
    assert shown.document.markdown == plain.document.markdown
    assert shown.document.markdown.startswith("# not a heading?\n\n\n<b>&amp;</b> *as it is*\n\tindented")
    assert shown.rendering_method is RenderingMethod.BROWSER


@pytest.mark.parametrize("declared", [None, "nonsense"])
@pytest.mark.parametrize("text", ["<p>no sign of HTML that the SRD knows</p>", "just words", ""])
def test_text_of_no_declared_type_is_what_plain_http_takes_it_for(internet, declared, text):
    """SRD FR-WF-10h."""
    internet.page(PAGE, text, headers={"Content-Type": declared})
    assert show(internet).document.markdown == fetch(internet, PAGE).document.markdown


def test_bytes_of_no_declared_type_are_refused_as_over_plain_http(internet):
    internet.page(PAGE, b"%PDF-1.7 and so on", headers={"Content-Type": None})
    with pytest.raises(UnsupportedContentType):
        show(internet)


def test_text_that_a_page_goes_on_to_is_text(internet):
    """The document that is shown in the end counts."""
    internet.page(f"{SHOP}/text", "*words*", headers=PLAIN)
    page = show(internet, "<p>soon</p><script>location = '/text'</script>")
    assert (str(page.final_url), page.document.markdown) == (f"{SHOP}/text", "*words*\n")


def test_a_page_with_a_pre_is_no_text(internet):
    page = show(internet, "<p>before</p><pre>*code*</pre>")
    assert page.document.markdown == "before\n\n```\n*code*\n```\n"


@pytest.mark.parametrize(
    ("page", "data", "kept"),
    [
        ({}, {}, True),
        ({"Cache-Control": "no-store"}, {}, False),
        ({}, {"Cache-Control": "private"}, False),
    ],
)
def test_what_may_not_be_stored_is_not_stored_from_the_browser(internet, tmp_path, page, data, kept):
    """E30: neither a document nor what its scripts show of others' data."""
    cached: Any = {"cache_dir": str(tmp_path / "cache")}
    internet.page(f"{SHOP}/data", '{"a": 1}', headers={**JSON, **data})
    internet.page(PAGE, that_shows("/data"), headers=page)
    assert "a" in show(internet, wanted=FORCED, **cached).document.markdown
    again = fetch(internet, PAGE, **cached)
    assert (Note.CACHE_HIT in again.notes) is kept


def test_what_a_site_refuses_to_the_browser_is_not_served_from_the_cache(internet, tmp_path):
    """E30: whoever learns it."""
    cached: Any = {"cache_dir": str(tmp_path / "cache"), "cache_forget_withdrawn": True}
    internet.page(PAGE, "<p>x</p>")
    fetch(internet, PAGE, **cached)
    show(internet, **cached)
    internet.page(PAGE, "no", status=403)
    again = fetch_options(force_browser=True, no_cache=True, timeout_seconds=20)
    for reader, options in ((show, {"wanted": again}), (show, {}), (fetch, {"url": PAGE})):
        with pytest.raises(HttpClientError):
            reader(internet, **options, **cached)
