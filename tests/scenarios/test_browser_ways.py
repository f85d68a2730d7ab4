"""Where a page in a real Chromium leads its reader: redirects, navigation, and what they end in."""

import pytest

from fetcher.codes import Note
from fetcher.web.errors import (
    HttpClientError,
    InvalidScheme,
    InvalidUrl,
    NetworkFailed,
    RedirectLimit,
    ResponseTooLarge,
    RobotsDisallowed,
    SsrfBlocked,
    UnsupportedContentType,
)
from tests.engine import fetch_options
from tests.fakes import answers, misbehaviour
from tests.fetcher.web.browser.ground import (
    JAVASCRIPT,
    PAGE,
    SHOP,
    show,
    show_all,
    show_together,
    text_of,
    that_shows,
)


def test_a_form_that_posts_leaves_the_page_where_it_is(internet):
    """SRD FR-WF-BROWSER-METHOD-01, for the page's own frame."""
    html = "<p>the form</p><form method=post action=/send></form><script>document.forms[0].submit()</script>"
    page = show(internet, html)
    assert (text_of(page), page.notes) == ("the form\n", {Note.BROWSER_BLOCKED_NON_GET})
    assert internet.web.count(f"{SHOP}/send") == 0


def test_robots_txt_is_asked_for_the_top_document_only(internet):
    """SRD FR-WF-ROBOTS-SCOPE-01: scripts, data and frames are free, the page's redirects are not."""
    internet.robots(SHOP, "User-agent: *\nDisallow: /private")
    internet.page(f"{SHOP}/private/data", "text", headers={"Content-Type": "text/plain"})
    internet.redirect(f"{SHOP}/redirected", "/private/page")
    rows = {path: {"url": SHOP + path} for path in ("/private/page", "/redirected", "/gone-on", "/page")}
    rows["/gone-on"]["html"] = "<script>location = '/private/page'</script>"
    rows["/page"]["html"] = that_shows("/private/data")
    shown = show_together(internet, rows)
    assert text_of(shown.pop("/page")) == "text\n"
    assert {path: type(error) for path, error in shown.items()} == dict.fromkeys(shown, RobotsDisallowed)


def test_redirects_are_followed_and_counted_for_the_top_document_only(internet):
    """SRD FR-WF-11c, BREDIR-01."""
    internet.redirect(f"{SHOP}/0", "/1", status=301)
    internet.redirect(f"{SHOP}/1", "/page", status=307)
    for number in range(4):
        internet.redirect(f"{SHOP}/data{number}", f"/data{number + 1}")
    internet.page(f"{SHOP}/data4", "arrived", headers={"Content-Type": "text/plain"})
    internet.page(PAGE, that_shows("/data0"))
    rows = {str(most): {"url": f"{SHOP}/0", "max_redirects": most} for most in (2, 1)}
    page, refused = show_together(internet, rows).values()
    assert (text_of(page), str(page.final_url)) == ("arrived\n", PAGE)
    assert isinstance(refused, RedirectLimit)
    assert refused.details == {"count": 2, "max": 1}


ONWARD = {
    "a script's location": "<script>location = '/next#part'</script>",
    "a replacement": "<script>setTimeout(() => location.replace('/next'), 50)</script>",
    "a refresh": "<meta http-equiv=refresh content='0; url=/next'>",
    "a form": "<form action=/next></form><script>document.forms[0].submit()</script>",
    "a link": "<a href=/next>x</a><script>document.links[0].click()</script>",
}


NOWHERE = {
    "a file": "location = 'file:///etc/passwd'",
    "data": "location = 'data:text/html,<p>data</p>'",
    "another scheme": "location = 'ftp://127.0.0.1/'",
    "another program": "location = 'mailto:a@b.example'",
    "the browser itself": "location = 'chrome://version'",
    "an archive": "location = '/file.zip'",
    "the end": "window.close()",
    "a file in a frame": "document.body.innerHTML += '<iframe src=\"file:///etc/passwd\"></iframe>'",
    "a download": (
        "document.body.innerHTML += '<a href=/file.zip download>x</a>'; document.links[0].click()"
    ),
}


def _beyond(internet):
    internet.page(f"{SHOP}/next", "<p>the next page</p>")
    internet.page(f"{SHOP}/file.zip", "PK", headers={"Content-Type": "application/zip"})


@pytest.fixture(scope="module")
def shown(running_web):
    """Pages that send their reader elsewhere, each in a browser of its own."""
    pages = {name: f"<p>the first page</p>{way}" for name, way in ONWARD.items()}
    pages |= {name: f"<p>the first page</p><script>{way}</script>" for name, way in NOWHERE.items()}
    return show_all(running_web, pages, _beyond)


@pytest.mark.parametrize("way", ONWARD)
def test_client_side_navigation_leads_to_the_page_that_is_read(shown, way):
    """SRD FR-WF-RESP-METHOD-01: the text and the address are those of the last document."""
    final = str(shown[way].final_url).partition("?")[0]
    assert (text_of(shown[way]), final) == ("the next page\n", f"{SHOP}/next")


@pytest.mark.parametrize("way", NOWHERE)
def test_a_page_cannot_leave_for_what_is_no_page(shown, way):
    """Other schemes and downloads leave the page standing."""
    assert text_of(shown[way]).startswith("the first page\n")
    assert "root:" not in text_of(shown[way])


def test_a_page_that_is_left_is_not_waited_for(internet):
    """Neither for what it had on its way, nor for where else it was going."""
    internet.page(f"{SHOP}/next", "<p>the next page</p>")
    for path in ("/stall", "/slow.js"):
        internet.route(SHOP + path, misbehaviour.stall())
    html = "<script>fetch('/slow.js'); location = '/stall'; setTimeout(() => location = '/next', 50)</script>"
    page = show(internet, html)
    assert (text_of(page), str(page.final_url), page.notes) == (
        "the next page\n",
        f"{SHOP}/next",
        frozenset(),
    )


def test_redirects_written_in_japanese_are_followed(internet):
    """Servers send them unescaped."""
    internet.redirect(PAGE, "/商品".encode())
    internet.page(f"{SHOP}/商品", "<p>りんご</p>")
    assert text_of(show(internet)) == "りんご\n"


def test_redirects_that_lead_nowhere_have_their_code(internet):
    """Another scheme, no URL, nothing at all."""
    targets = {"ftp://x.example/": InvalidScheme, "http://a b/": InvalidUrl, "": InvalidUrl}
    rows = {target: {"url": f"{SHOP}/{number}"} for number, target in enumerate(targets)}
    for target, row in rows.items():
        internet.redirect(row["url"], target)
    assert {target: type(error) for target, error in show_together(internet, rows).items()} == targets


ENDS = {
    "a redirect inside": (answers.redirect("http://10.0.0.1/"), SsrfBlocked),
    "a redirect to this machine": (answers.redirect("http://[::1]/"), SsrfBlocked),
    "a script's way inside": (
        answers.answer("<script>location = 'http://169.254.169.254/latest/'</script>"),
        SsrfBlocked,
    ),
    "a refresh to this machine": (
        answers.answer("<meta http-equiv=refresh content='0; url=http://127.0.0.1/'>"),
        SsrfBlocked,
    ),
    "a way with a user name": (
        answers.answer("<script>location = 'http://u:p@shop.example/'</script>"),
        InvalidUrl,
    ),
    "no page": (answers.answer("no", status=404), HttpClientError),
    "a PDF": (answers.answer("%PDF", headers={"Content-Type": "application/pdf"}), UnsupportedContentType),
    "too much": (answers.answer("x" * 200_000), ResponseTooLarge),
    "no answer": (misbehaviour.close_before_answer(), NetworkFailed),
    "a page that loads itself for ever": (
        answers.answer("<script>location.reload()</script>"),
        RedirectLimit,
    ),
    "a page that goes on for ever": (
        answers.answer("<script>location = '?' + Math.random()</script>"),
        RedirectLimit,
    ),
}


def test_the_top_documents_errors_are_those_of_plain_http(internet):
    """The same answer has the same code, whoever asked for it."""
    rows = {name: {"url": f"{SHOP}/{n}", "max_download_bytes": 100_000} for n, name in enumerate(ENDS)}
    for name, (first, _) in ENDS.items():
        internet.route(rows[name]["url"], first)
    shown = show_together(internet, rows)
    assert {name: type(error) for name, error in shown.items()} == {name: ENDS[name][1] for name in ENDS}


def test_every_url_of_the_top_document_is_permitted_first(internet):
    """Redirects and client-side navigation are permitted URL by URL; what a page loads has its own rule."""
    internet.page("http://cdn.example/x.js", "location = 'http://end.example/'", headers=JAVASCRIPT)
    internet.redirect("http://start.example/", PAGE)
    internet.page(PAGE, "<script src=http://cdn.example/x.js></script>")
    internet.page("http://end.example/", "<p>end</p>")
    asked: list[str] = []
    wanted = fetch_options(force_browser=True, permit=lambda url: asked.append(url.host))
    assert text_of(show(internet, url="http://start.example/", wanted=wanted)) == "end\n"
    assert asked == ["start.example", "shop.example", "end.example"]


class Forbidden(Exception):
    """Whatever a caller raises."""


def test_what_a_permission_raises_is_what_the_caller_gets(internet):
    internet.page("http://end.example/", "<p>end</p>")

    def permit(url):
        if url.host == "end.example":
            raise Forbidden(url.host)

    with pytest.raises(Forbidden, match=r"end\.example"):
        show(
            internet,
            "<script>location = 'http://end.example/'</script>",
            wanted=fetch_options(force_browser=True, permit=permit),
        )
    assert "end.example" not in internet.resolver.asked


def test_a_page_that_isolates_itself_is_read(internet):
    """Its process changes under way; the page remains the page."""
    headers = {
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Content-Security-Policy": "default-src 'none'; require-trusted-types-for 'script'",
        "Content-Disposition": "attachment; filename=x.html",
    }
    html = "<p>here</p><x-a><template shadowrootmode=open><p>inside</p></template></x-a>"
    internet.page(PAGE, html, headers={"Content-Type": "text/html", **headers})
    internet.redirect("http://start.example/", PAGE)
    assert text_of(show(internet, url="http://start.example/")) == "here\n\ninside\n"


def test_a_page_that_only_asks_for_another_keeps_its_own_address(internet):
    """SRD FR-WF-RESP-URL-01: Chromium takes the other for a download, and shows what it showed before."""
    binary = {"Content-Type": "text/plain"}
    internet.page("http://bank.example/", b"\x00\x01\x02 \xff", headers=binary)
    page = show(internet, "<p>not the bank</p><script>location = 'http://bank.example/'</script>")
    assert internet.web.count("http://bank.example/") == 1
    assert (text_of(page), str(page.final_url)) == ("not the bank\n", PAGE)


def test_an_address_that_a_script_only_shows_is_not_the_pages(internet):
    """SRD FR-WF-RESP-URL-01: `final_url` is the last URL that was fetched."""
    page = show(internet, "<p>here</p><script>history.pushState({}, '', '/elsewhere')</script>")
    assert (text_of(page), str(page.final_url)) == ("here\n", PAGE)
