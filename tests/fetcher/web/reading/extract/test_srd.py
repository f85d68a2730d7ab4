"""The reading mode `srd`: SRD §3.5.1 to the letter."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.markdown.writer import render

URL = "https://example.com/dir/page.html"

# Written out from FR-WF-13 and FR-WF-EXT-CLASS-01.
TAGS = ["script", "style", "noscript", "nav", "footer", "header", "aside"]
TOKENS = [
    "nav",
    "menu",
    "sidebar",
    "footer",
    "header",
    "advertisement",
    "ad",
    "social",
    "related",
    "comments",
]


def _read(html: str) -> str:
    return render(extract(html, URL, mode=ReadingMode.SRD)).strip()


@pytest.mark.parametrize("tag", TAGS)
def test_t_wf_ext_01_removes_boilerplate_elements(tag):
    """T-WF-EXT-01: the elements of FR-WF-13 are removed with their content."""
    assert _read(f"<body><p>kept</p><{tag}>gone</{tag}></body>") == "kept"


@pytest.mark.parametrize(
    ("attributes", "kept"),
    [
        ("hidden", False),
        ('hidden=""', False),
        ('hidden="until-found"', False),
        ('aria-hidden="true"', False),
        ('aria-hidden="TRUE"', False),
        ('aria-hidden="false"', True),
        ("aria-hidden", True),
        ('data-hidden="true"', True),
    ],
)
def test_t_wf_ext_01_removes_hidden_elements(attributes, kept):
    """T-WF-EXT-01: `hidden` and `aria-hidden="true"` remove an element, nothing like them does."""
    assert ("text" in _read(f"<p>before</p><p {attributes}>text</p>")) is kept


@pytest.mark.parametrize("tag", ["html", "body"])
def test_the_whole_page_is_not_dropped_for_its_name(tag):
    """A class of `body` says how a page is laid out."""
    attributes = {tag: ' class="sidebar" id="menu"'}
    page = "<html{}><body{}><p>text</p>".format(attributes.get("html", ""), attributes.get("body", ""))
    assert _read(page) == "text"


@pytest.mark.parametrize("token", TOKENS)
def test_t_wf_ext_01_removes_boilerplate_tokens_in_class_and_id(token):
    """T-WF-EXT-01: each token removes by class, among others, and by id, in any case."""
    for attribute in (f'class="{token}"', f'class="x\n{token.upper()} y"', f'id="{token.title()}"'):
        assert _read(f"<p>kept</p><p {attribute}>gone</p>") == "kept"


@pytest.mark.parametrize(
    "attribute",
    ['class="navigate"', 'class="site-nav"', 'class="ads"', 'id="main-menu"', 'id="nav menu"', 'name="nav"'],
)
def test_t_wf_ext_01_matches_whole_tokens_only(attribute):
    """FR-WF-EXT-CLASS-01: substring matching is forbidden."""
    assert _read(f"<p>one</p><p {attribute}>two</p>") == "one\n\ntwo"


ROOTS = [
    "<main>{0}</main>",
    "<article>{0}</article>",
    '<div role="main">{0}</div>',
    '<div id="CONTENT">{0}</div>',
    '<div class="page Content">{0}</div>',
]


@pytest.mark.parametrize("chosen", range(len(ROOTS)))
def test_root_selection_follows_the_order(chosen):
    """FR-WF-EXT-ROOT-01: the earlier kind of root wins, wherever it stands."""
    later = list(enumerate(ROOTS))[chosen:]
    page = "".join(root.format(f"<p>{number}</p>") for number, root in reversed(later))
    assert _read(f"<p>body</p>{page}") == str(chosen)


@pytest.mark.parametrize("empty", ["", "  \n ", "<nav>menu</nav>", '<img src="x">', '<img src="x" alt=" ">'])
def test_an_empty_root_falls_back_to_the_next(empty):
    """FR-WF-EXT-ROOT-01: a root that is empty after removal is passed over."""
    assert _read(f"<main>{empty}</main><article>text</article>") == "text"


@pytest.mark.parametrize("root", ROOTS)
def test_the_last_root_is_the_body(root):
    """FR-WF-EXT-ROOT-01.6: where every other root is empty, all that stands around them is read."""
    assert _read(f"<p>before</p>{root.format('<nav>menu</nav>')}<p>after</p>") == "before\n\nafter"
    assert _read("".join(empty.format("") for empty in ROOTS) + "<p>after</p>") == "after"


def test_a_picture_with_a_description_is_content():
    """A root that holds only a described picture is not empty."""
    assert (
        _read('<main><img src="x.png" alt="A chart"></main><p>text</p>')
        == "![A chart](https://example.com/dir/x.png)"
    )


def test_the_first_of_several_roots_is_taken():
    """FR-WF-EXT-ROOT-01 says "first": a second `main` is not tried."""
    assert _read("<main>one</main><main>two</main>") == "one"
    assert _read("<main></main><main>two</main><article>three</article>") == "three"


@pytest.mark.parametrize(
    "html", ["", "<html></html>", "<nav>menu</nav>", "<div id=app></div><script>x</script>"]
)
def test_an_empty_page_reads_as_nothing(html):
    """A shell that only scripts fill is no failure: the browser may still be asked (FR-WF-12c)."""
    assert _read(html) == ""


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> A \n B </title><h1>C</h1>", "A B"),
        ("<title> </title><h1> C <b>D</b></h1>", "C D"),
        ("<title>A</title><title>B</title>", "A"),
        ("<h1></h1><h1>second</h1><h1>third</h1>", "second"),
        ("<p>text</p>", None),
        ("<body><svg><title>icon</title></svg><h1>C</h1>", "C"),
        ("<title>a &amp; b</title>", "a & b"),
    ],
)
def test_t_wf_ext_04_title(html, title):
    """T-WF-EXT-04: the title is `<title>`, else the first `<h1>`, else absent."""
    assert extract(html, URL, mode=ReadingMode.SRD).title == title


@pytest.mark.parametrize(
    ("attribute", "language"),
    [('lang="ja"', "ja"), ('lang="zh-Hant-TW"', "zh-Hant-TW"), ('lang=""', None), ("", None)],
)
def test_language_is_passed_through(attribute, language):
    """FR-WF-13f: `<html lang>` as it stands, if it is not empty."""
    assert extract(f"<html {attribute}><p>x", URL, mode=ReadingMode.SRD).language == language


@pytest.mark.parametrize(
    ("href", "base"),
    [
        ("https://cdn.example.org/a/", "https://cdn.example.org/a/"),
        ("/other/", "https://example.com/other/"),
        ("//cdn.example.org/", "https://cdn.example.org/"),
        ("javascript:alert(1)", URL),
        ("data:text/html,x", URL),
        ("ftp://example.com/", URL),
        ("https://[bad", URL),
        ("https://not a host/", URL),
        ("", URL),
    ],
)
def test_base_is_honoured_when_it_is_http(href, base):
    """decision E15: `<base href>` counts when it resolves to http(s)."""
    assert extract(f'<base href="{href}"><p>x', URL, mode=ReadingMode.SRD).base == base
