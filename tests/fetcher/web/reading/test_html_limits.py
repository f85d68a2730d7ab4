"""Hostile HTML is made harmless or refused, ordinary HTML is left alone."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.errors import ExtractionFailed
from fetcher.web.reading import html_limits
from fetcher.web.reading.extract import extract
from fetcher.web.reading.html_limits import limited_html
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.tree import parse

LIMIT = 5_000_000
PART = 300_000
"""So much of each hostile page is enough to be made small or refused."""


def _numbered(template: str, count: int) -> str:
    return "".join(template.format(number) for number in range(count))


HOSTILE = {
    "attributes": f"<div {_numbered('a{0}=x ', 200_000)}>text",
    "attributes_with_brackets": "<div " + _numbered('a{0}=">" ', 200_000) + ">text",
    "attributes_behind_a_vertical_tab": '<div a=\v" ' + _numbered("a{0} ", 200_000) + '">text',
    "attributes_named_like_tags": f"<div {_numbered('<a{0} ', 200_000)}>text",
    "tags_just_below_the_attribute_limit": ("<a " * 250 + ">") * 300,
    "many_attributes_on_many_tags": f"<div {_numbered('a{0} ', 250)}>text" * 3000,
    "attributes_of_the_body": _numbered("<body a{0}=1>", 100_000),
    "nested_blocks": "<div>" * 50_000 + "text",
    "nested_blocks_with_stray_ends": "<div></x>" * 50_000 + "text",
    "nested_blocks_with_ends_in_comments": "<div><!--</div>-->" * 50_000 + "text",
    "nested_blocks_with_other_white_space": "<div\u00a0x></div>" * 50_000 + "text",
    "nested_blocks_with_vertical_tabs": "<div\vx></div>" * 50_000 + "text",
    "nested_blocks_that_lower_case_renames": "<d\u0130></d\u0130>" * 50_000 + "text",
    "unclosed_links": "<a href=x>" * 100_000 + "text",
    "nested_tables": "<table><tr><td>" * 20_000 + "text",
    "tables_without_cells": "<table>" * 50_000 + "text",
    "broken_tables": "<table><tr><td>x<td></table><tr>y" * 19_000,
    "nested_lists": "<ul><li>" * 50_000 + "text",
    "nested_definitions": "<dl><dt>" * 50_000 + "text",
    "nested_selects": "<select><optgroup><option>" * 50_000 + "text",
    "options_selected_anew": "<select><button><selectedcontent></selectedcontent></button>"
    + "<option selected>x</option>" * 20_000,
    "nested_forms": "<form><div>" * 50_000 + "text",
    "nested_formatting": _numbered("<b id={0}>", 20_000) + "text",
    "formatting_opened_anew": "<p>" + _numbered("<b id={0}>", 300) + "<p>text" * 3000,
    "formatting_opened_anew_in_a_small_page": "<p>" + _numbered("<i id={0}>", 400) + "<p>x" * 550,
    "misnested_formatting": "<b><i>x</b></i>" * 330_000,
    "misnested_formatting_left_open": "<b><i>x</b>" * 39_000,
    "misnested_links_and_blocks": "<a><div>" * 20_000,
    "links_around_nested_tables": "<a href=x>text<table><td>" * 2_500,
    "links_around_nested_blocks": "<a href=x><marquee><p>text" * 2_500,
    "brackets": "<" * 2_000_000,
    "empty_elements": "<p></p>" * 700_000,
    "one_line": "word " * 1_000_000,
    "one_japanese_line": "\u3042" * 1_600_000,
    "control_characters": "".join(map(chr, range(32))) * 150_000,
    "lone_surrogates": "\ud800x\udfff" * 500_000,
    "huge_attribute": "<div title='" + "x" * LIMIT,
    "unclosed_attribute": "<a " * 250 + 'x="' + ">" * LIMIT,
    "unclosed_comment": "<p>text<!--" + "x-" * 2_000_000,
    "unclosed_script": "<p>text<script>" + "<x " * 60_000,
    "unclosed_cdata": "<p>text<svg><![CDATA[" + "]" * LIMIT,
    "entities": "&" * LIMIT,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_html_is_made_small_or_refused(name):
    """The parser's time is bounded by what it may meet; `bench/` measures it."""
    html = HOSTILE[name][:PART]
    try:
        tree = parse(limited_html(html.encode(errors="replace")))
    except ExtractionFailed:
        return
    assert max(map(len, tree.attributes)) <= html_limits.MAX_ATTRIBUTES
    assert len(tree.tags) <= len(html) + html_limits.SAFE_REOPENED
    assert len(render(extract(html, "https://example.com/", mode=ReadingMode.ARTICLE))) <= 4 * len(html)


ORDINARY = b"""<!doctype html><html lang="ja"><head><title>a &lt; b</title>
<script>if (a < b && c > d) document.write("</div><p>" + x);</script><!-- <div> -- > <p> --></head>
<body><p title="x > y <b>">one <b>two</b> 1 < 2 <3 <img alt="a>b" src=x><br>
<textarea><p>three</textarea><ul><li>four<li>five</ul>
<table><tr><td>six<td>seven</table></p><svg><path d="M0"/></svg><p>eight</body></html>"""


def test_an_ordinary_page_is_returned_as_it_is():
    """What could not hurt is not touched."""
    assert limited_html(ORDINARY) is ORDINARY


SCRIPT = "<script>for(var i=0;i<n;i++){" + "call ( one , two ) ; " * 300 + "}</script>"
ICONS = _numbered('<li><i class="icon-{0}"></i><b id="b{0}">text</b></li>', 500)


@pytest.mark.parametrize(
    "html", [SCRIPT.encode(), ICONS.encode()], ids=["comparison_in_a_script", "closed_formatting"]
)
def test_what_only_looks_hostile_is_returned_as_it_is(html):
    """A comparison is not a tag with many attributes; formatting that is closed at once is not reopened."""
    assert limited_html(html) is html


def test_a_script_does_not_hide_a_tag_with_many_attributes():
    """What looks like a tag in a script is not taken for the end of the tag behind it."""
    hidden = "<script>a<b " + "c " * 300 + "d='</script><div e=\"'>\" " + _numbered("a{0} ", 20_000) + ">text"
    html = hidden.encode()
    assert limited_html(html) is not html


def test_a_page_written_anew_reads_the_same(monkeypatch):
    """Scripts, comments, brackets in attributes and implied ends survive the rewriting."""
    monkeypatch.setattr(html_limits, "SAFE_TAGS", 0)
    rewritten = limited_html(ORDINARY)
    assert rewritten != ORDINARY
    before, after = parse(ORDINARY), parse(rewritten)
    # A `</p>` that closes nothing makes an empty paragraph, which says nothing.
    assert [text.split() for text in before.texts if text.split()] == [
        text.split() for text in after.texts if text.split()
    ]
    assert [tag for tag in before.tags if tag not in ("", "p")] == [
        tag for tag in after.tags if tag not in ("", "p")
    ]


def test_depth_is_capped_and_the_text_is_kept():
    """What is nested too deeply is read without its nesting."""
    tree = parse(limited_html(b"<div>" * 20_000 + b"deep" + b"</div>" * 20_000 + b"<p>after</p>"))
    assert tree.tags.count("div") == html_limits.MAX_DEPTH
    assert "".join(tree.texts) == "deepafter"


def test_the_first_attributes_of_a_tag_are_kept():
    """A tag with too many attributes keeps those that come first."""
    tree = parse(limited_html(f"<p class=lead {_numbered('a{0} ', 5_000)}>text".encode()))
    attributes = tree.attributes[tree.tags.index("p")]
    assert len(attributes) == html_limits.MAX_ATTRIBUTES
    assert attributes["class"] == "lead"


def test_an_end_tag_does_not_reach_out_of_a_table_cell(monkeypatch):
    """A stray `</div>` in a cell leaves the table standing, as in browsers."""
    monkeypatch.setattr(html_limits, "SAFE_TAGS", 0)
    tree = parse(limited_html(b"<div><table><tr><td>a</div>b<td>c</table>d</div>e"))
    assert tree.tags.count("td") == 2


def test_too_many_tags_are_refused():
    """More tags than can be read in the time are `extraction_failed`."""
    with pytest.raises(ExtractionFailed):
        limited_html(b"<p>" * (html_limits.MAX_TAGS + 1))
    limited_html(b"<" * (html_limits.MAX_TAGS + 1))
