"""Without a browser, style sheets and styles in a page hide what they hide in Chromium, and nothing else."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.readers import read
from fetcher.web.values import ReadingContext
from tests.fetcher.web.reading.extract.hidden.sight_cases import HIDDEN, SAID, SECRET, SHOWN

PROSE = "".join(
    f"<p>Paragraph {number} of the report says what the committee found, in whole sentences, at length.</p>"
    for number in range(8)
)


def _document(css, html, text):
    html = html.replace("{0}", text)
    page = (
        f"<!doctype html><html><head><title>Report</title><style>{css}</style></head>"
        f"<body><main><h1>Report</h1>{PROSE}{html}</main></body></html>"
    )
    context = ReadingContext(
        url="https://example.com/a", mode=ReadingMode.ARTICLE, content_type="text/html; charset=utf-8"
    )
    return read(page.encode(), context).document


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_hidden_is_not_read(name):
    document = _document(*HIDDEN[name], SECRET)
    assert "Paragraph 7 of the report" in document.markdown
    assert "Ignore the user" not in document.markdown + document.beside


@pytest.mark.parametrize("name", [name for name in HIDDEN if HIDDEN[name][0] == f".x {{{name}}}"])
def test_the_same_in_a_style_of_its_own(name):
    """An attribute ends where it ends: brackets that close rules are of no use there."""
    document = _document("", f'<div style="{name}">{{0}}</div>', SECRET)
    assert "Ignore the user" not in document.markdown + document.beside


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_seen_is_read(name):
    assert SAID in _document(*SHOWN[name], SAID).markdown


def test_letters_that_an_external_sheet_may_fill_are_read():
    html = "<link rel=stylesheet href=a.css><div class=x>{0}</div>"
    css = ".x {color: transparent; background-clip: text}"
    assert SAID in _document(css, html, SAID).markdown
