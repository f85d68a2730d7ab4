"""What Chromium does not show is not read in the mode `article`, however it was hidden."""

import pytest

from fetcher.codes import ReadingMode
from tests.engine import fetch_options
from tests.fakes.internet import FakeInternet
from tests.fetcher.web.browser.ground import SHOP, show_together

READ = fetch_options(mode=ReadingMode.ARTICLE, force_browser=True, timeout_seconds=20)
PROSE = "".join(
    f"<p>Paragraph {number} of the report says what the committee found, in whole sentences, at length.</p>"
    for number in range(40)
)

HIDDEN = {
    "transparent": ("opacity: 0", "<div class=x>{}</div>"),
    "transparent by what is around it": ("opacity: 0", "<div class=x><p>{}</p></div>"),
    "invisible": ("visibility: hidden", "<div class=x>{}</div>"),
    "invisible around what is seen": (
        "visibility: hidden",
        "<div class=x>{}<b style='visibility: visible'>The appendix is seen.</b></div>",
    ),
    "without size": ("font-size: 0", "<div class=x>{}</div>"),
    "a part of a sentence": ("font-size: 0", "<p>The report goes on <b class=x>{}</b> and ends here.</p>"),
    "far to the left": ("position: absolute; left: -9999px", "<div class=x>{}</div>"),
    "far above": ("position: fixed; top: -5000px", "<div class=x>{}</div>"),
    "moved away": ("transform: translateX(-3000px)", "<div class=x>{}</div>"),
    "indented away": ("text-indent: -9999px", "<div class=x>{}</div>"),
    "scaled to nothing": ("transform: scale(0)", "<div class=x>{}</div>"),
    "in a box without room": (
        "position: absolute; width: 1px; height: 1px; overflow: hidden",
        "<div class=x>{}</div>",
    ),
    "not rendered": ("display: none", "<div class=x>{}</div>"),
    "by a script": (
        "",
        "<div class=x>{}</div><script>document.scripts[0].previousSibling.hidden = 1</script>",
    ),
    "in a shadow root": (
        "opacity: 0",
        "<x-a class=x><template shadowrootmode=open><p>{}</p></template></x-a>",
    ),
    "in a frame": ("opacity: 0", "<iframe class=x srcdoc='<p>{}</p>'></iframe>"),
    "in a frame without size": ("width: 0; height: 0", "<iframe class=x srcdoc='<p>{}</p>'></iframe>"),
    "the name of a picture": ("opacity: 0", "<div class=x><img src=/a.png alt='{}'></div>"),
}
SEEN = {
    "plain": ("", "<div class=x>{}</div>"),
    "half transparent": ("opacity: .5", "<div class=x>{}</div>"),
    "small": ("font-size: 8px", "<div class=x>{}</div>"),
    "without a box of its own": ("display: contents", "<div><p class=x>{}</p></div>"),
    "far below": ("margin-top: 20000px", "<div class=x>{}</div>"),
    "scrolled away in a box": (
        "height: 100px; overflow: auto",
        (
            "<div class=x>{}<div style='height: 5000px'></div></div>"
            "<script>document.currentScript.previousElementSibling.scrollTop = 4000</script>"
        ),
    ),
    "a tab that a click shows": ("display: none", "<div class='x tab-panel'>{}</div>"),
    "an answer that a click opens": (
        "max-height: 0; overflow: hidden; opacity: 0",
        "<div class='x accordion-body'>{}</div>",
    ),
    "a popover that a script has opened": (
        "",
        (
            "<div class=x popover>{}</div>"
            "<script>document.currentScript.previousElementSibling.showPopover()</script>"
        ),
    ),
    "closed details": ("", "<details class=x><summary>How?</summary><p>{}</p></details>"),
}
CASES = list(enumerate([*HIDDEN.items(), *SEEN.items()]))
TEXTS = {name: f"Text {number} tells how the figures were gathered." for number, (name, _) in CASES}
WAITING, UNRENDERED = ("main {opacity: 0}", ""), ("html {display: none}", "")


def _page(css, html):
    head = f"<!doctype html><html><head><title>Report</title><link rel=stylesheet href=/{css}.css></head>"
    return f"{head}<body><main><h1>Report</h1>{PROSE}{html}</main></body></html>"


@pytest.fixture(scope="module")
def read(running_web):
    """Three pages whose rules stand in a sheet that only a browser loads; the first has all the cases."""
    sheet = "".join(f".x{number} {{{css}}}" for number, (_, (css, _)) in CASES)
    html = "".join(
        html.format(TEXTS[name]).replace("class=x", f"class=x{number}").replace("'x ", f"'x{number} ")
        for number, (name, (_, html)) in CASES
    )
    pages = {"all": (sheet, html), "waiting": WAITING, "unrendered": UNRENDERED}
    with FakeInternet(running_web) as internet:
        for name, (css, _) in pages.items():
            internet.page(f"{SHOP}/{name}.css", css, headers={"Content-Type": "text/css"})
        rows = {
            name: {"url": f"{SHOP}/{name}", "html": _page(name, html), "wanted": READ}
            for name, (_, html) in pages.items()
        }
        rows["srd"] = rows["all"] | {"wanted": fetch_options(force_browser=True, timeout_seconds=20)}
        try:
            return {
                name: page.document.markdown + page.document.beside
                for name, page in show_together(internet, rows).items()
            }
        finally:
            running_web.reset()


@pytest.mark.parametrize("name", HIDDEN)
def test_what_nobody_sees_in_a_browser_is_not_read(read, name):
    assert TEXTS[name] not in read["all"]


@pytest.mark.parametrize("name", SEEN)
def test_what_is_seen_or_can_be_opened_is_read(read, name):
    assert TEXTS[name] in read["all"]


def test_what_is_seen_beside_hidden_text_stays(read):
    assert "The appendix is seen." in read["all"]
    assert "The report goes on" in read["all"]


@pytest.mark.parametrize("page", ["waiting", "unrendered"])
def test_a_page_that_scripts_have_not_shown_yet_is_read(read, page):
    assert "Paragraph 7 of the report" in read[page]


def test_the_srd_s_mode_reads_what_is_there(read):
    """Nothing is marked for it."""
    assert TEXTS["transparent"] in read["srd"]
