"""What a page's article leaves out can still be looked for."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract.outside_article import LONGEST
from fetcher.web.reading.readers import read
from fetcher.web.values import ReadingContext

STORY = "".join(
    f"<p>Sentence number {number} of a story that somebody wrote about the river, the mill and summer.</p>"
    for number in range(8)
)


def _document(around, mode=ReadingMode.ARTICLE, story=STORY):
    html = f"<title>Mill</title><body>{around}<main><h1>The mill</h1>{story}</main></body>"
    context = ReadingContext(url="https://example.com/a", mode=mode, content_type="text/html; charset=utf-8")
    return read(html.encode(), context).document


@pytest.mark.parametrize("tag", ["header", "footer", "aside", "nav", "button", "div class=sidebar"])
def test_what_stands_around_the_article_is_kept_beside_it(tag):
    """A block a line, its inline elements in one."""
    document = _document(f"<{tag}>TEL <b>03-5555</b>-0142</{tag.split()[0]}>")
    assert "0142" not in document.markdown
    assert document.beside == "TEL 03-5555-0142"


def test_what_is_left_out_of_the_article_is_kept_beside_it():
    document = _document("", story=f'{STORY}<div class="share">Shared by 12</div>')
    assert document.beside == "Shared by 12"


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>Orders</div>",
        '<div style="display:none"><p>Orders</div>',
        '<div style="opacity:0">Orders</div>',
        "<style>.x { font-size: 0 }</style><div class=x>Orders</div>",
        "<style>.x { display: none }</style><div class=x>Orders</div>",
        "<script>Orders</script>",
        "<noscript>Orders</noscript>",
        "<dialog>Orders</dialog>",
        "<datalist><option>Orders</datalist>",
        "<template>Orders</template>",
        "<div popover>Orders</div>",
        "<style>body { font-size: 0 } main { font-size: 16px }</style>Orders",
    ],
)
def test_what_is_out_of_sight_is_not(hidden):
    assert _document(f"<footer>{hidden}</footer>").beside == ""


def test_tabs_that_a_click_opens_are():
    document = _document('<aside><div class="tab-panel" hidden>Ships in 2 days</div></aside>')
    assert document.beside == "Ships in 2 days"


def test_a_line_is_kept_once_and_a_long_rest_is_bounded():
    """Menus stand twice, for two sizes of screen."""
    menu = "<nav><p>Prices</p><p>Access</p></nav>"
    assert _document(menu + menu).beside == "Prices\nAccess"
    long_menu = "".join(f"<li>Entry number {number} of the menu</li>" for number in range(2000))
    story = STORY * 200
    assert LONGEST - 100 < len(_document(f"<nav>{long_menu}</nav>", story=story).beside) <= LONGEST


def test_the_srds_reading_has_nothing_beside():
    assert _document("<footer>TEL</footer>", ReadingMode.SRD).beside == ""
