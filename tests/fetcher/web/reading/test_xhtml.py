"""XHTML is read as browsers read it, by its media type."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading import readers
from fetcher.web.reading.readers import as_html
from fetcher.web.values import ReadingContext

PAGE = '<html><head><script src="x.js"/></head><body><a id="top"/><p>本文</p></body></html>'


@pytest.mark.parametrize("mode", ReadingMode)
@pytest.mark.parametrize(("kind", "text"), [("application/xhtml+xml", "本文\n"), ("text/html", "\n")])
def test_a_script_that_closes_itself_has_ended_in_xml_only(mode, kind, text):
    """SRD FR-WF-10f: in HTML, all that follows it is the script's."""
    context = ReadingContext(url="http://a.example/", mode=mode, content_type=f"{kind}; charset=utf-8")
    assert readers.read(PAGE.encode(), context).document.markdown == text


@pytest.mark.parametrize(
    ("xhtml", "html"),
    [
        ("<div/>", "<div></div>"),
        ("<DIV class='a/b' id=\"x>y\" />", "<DIV class='a/b' id=\"x>y\" ></DIV>"),
        ("<iframe src=/a/b/>", "<iframe src=/a/b></iframe>"),
        ("<br/><img src='x' /><HR/>", "<br/><img src='x' /><HR/>"),
        ("<p>1 / 2 > 0</p>", "<p>1 / 2 > 0</p>"),
        ("<a href='/'>x</a>", "<a href='/'>x</a>"),
        ('<a title="', '<a title="'),
    ],
)
def test_what_closes_itself_gets_an_end_tag(xhtml, html):
    """Unless it never has one."""
    assert as_html(xhtml) == html
