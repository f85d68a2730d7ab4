"""The answer's sources are what the API cited and what was really read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.agent.safety.citations import compose
from fetcher.agent.values import Source

A, B, C = "https://a.example/", "https://b.example/x?y=1", "https://c.example/"
PAGES = {A: "Page A", B: "Page B", C: ""}
UNREAD = "https://unread.example/"


def text(words, *sources):
    citations = [
        {"type": "search_result_location", "source": source, "title": "cited title", "cited_text": "…"}
        for source in sources
    ]
    return {"type": "text", "text": words, "citations": citations or None}


def answer(*blocks):
    return compose(blocks, PAGES)[0]


def test_sources_are_numbered_in_the_order_of_their_first_citation():
    """Each page is listed once, by its final URL, with the title that it was read under."""
    words, sources = compose([text("x", B), text(" y", A), text(" z", B)], PAGES)
    assert words == "x [1] y [2] z [1]"
    assert sources == (
        Source(number=1, title="Page B", url=B),
        Source(number=2, title="Page A", url=A),
    )


def test_an_answer_without_citations_has_no_sources():
    assert compose([text("plain")], PAGES) == ("plain", ())
    assert compose([], PAGES) == ("", ())


def test_fragments_and_spelling_do_not_make_another_source():
    words, sources = compose([text("x", A + "#one"), text("y", "HTTPS://A.example:443/#two")], PAGES)
    assert words == "xy [1]"
    assert [source.url for source in sources] == [A]


@pytest.mark.parametrize(
    ("pages", "cited", "title"),
    [
        ({A: "Read"}, "cited", "Read"),
        ({A: ""}, "cited", "cited"),
        ({A: ""}, None, A),
        ({A: "two\nlines \u202e"}, "cited", "two lines"),
        ({A: "x" * 300}, "cited", "x" * 199 + "…"),
    ],
)
def test_titles(pages, cited, title):
    """A title is the page's own, else the citation's, else the URL, as one plain line."""
    citation = {"type": "search_result_location", "source": A, "title": cited}
    _, sources = compose([{"type": "text", "text": "x", "citations": [citation]}], pages)
    assert [source.title for source in sources] == [title]


def test_what_was_never_read_is_not_cited():
    """Nor is a citation without a URL; numbers have no gaps."""
    odd = {"type": "text", "text": " z", "citations": [{"type": "char_location", "document_title": "d"}]}
    words, sources = compose([text("x", UNREAD), text(" y", UNREAD, A), odd], PAGES)
    assert words == "x y [1] z"
    assert [(source.number, source.url) for source in sources] == [(1, A)]


def test_a_run_of_blocks_with_the_same_sources_is_marked_once():
    """White space between them does not end the run; other words do."""
    assert answer(text("a", A), text(" b", A), text("\n"), text("c", A)) == "a b\nc [1]"
    assert answer(text("a", A), text(" but "), text("b", A)) == "a [1] but b [1]"
    assert answer(text("a", A, B), text(" b", B, A)) == "a b [1][2]"
    assert answer(text("a", A), text(" b", A, B)) == "a [1] b [1][2]"


@pytest.mark.parametrize(
    ("blocks", "marked"),
    [
        ([text("a\n\n", A), text("b")], "a [1]\n\nb"),
        ([text("100円", A), text("(税込)")], "100円 [1] (税込)"),
        ([text("a", A), text(": b")], "a [1] : b"),
        ([text("a", A), text("[b]")], "a [1] [b]"),
        ([text("a", A), text("。")], "a [1]。"),
        ([text("| a | b |\n", A), text("| c | d |", B)], "| a | b [1] |\n| c | d [2] |"),
        ([text("```\ncode\n```\n", A), text("b")], "```\ncode\n```\n\n[1]\nb"),
        ([text("```\nco", A), text("de\n```")], "```\ncode\n```\n\n[1]"),
        ([text("  \n", A), text("a", B)], "a [1]"),
    ],
)
def test_where_marks_stand(blocks, marked):
    """A mark follows the last word, never makes a link or a fence of its neighbours, and is not code."""
    assert answer(*blocks) == marked


def test_other_blocks_are_ignored():
    blocks = [
        {"type": "tool_use", "name": "x"},
        text("a"),
        {"type": "thinking", "thinking": "b"},
        {"type": "text"},
    ]
    assert answer(*blocks) == "a"


def test_links_stay_for_pages_that_were_read_only():
    """This holds for a link that spans two blocks too."""
    assert answer(text(f"[a]({A}) [b]({UNREAD})")) == f"[a]({A}) b (`{UNREAD}`)"
    assert answer(text("[b]("), text(f"{UNREAD})")) == f"b (`{UNREAD}`)"


def test_hidden_characters_and_mentions_go():
    assert answer(text("@chan\u200bnel <!every"), text("one>\x0e1\x0f")) == "channel everyone1"


CITED = st.lists(st.sampled_from([A, A + "#f", B, C, UNREAD, "no url"]), max_size=3)
WORDS = st.sampled_from(["a", "b\n", "\n", "", "| c |", "```\n", "(d)", "[e](", UNREAD, "<!channel>"])


@given(st.lists(st.builds(lambda words, cited: text(words, *cited), WORDS, CITED), max_size=12))
def test_numbers_are_contiguous_and_all_are_used(blocks):
    """The marks in the text are the sources' numbers, from one on, in the order in which they come up."""
    words, sources = compose(blocks, PAGES)
    marks = [int(number) for number in re.findall(r"\[(\d+)\]", words)]
    assert [source.number for source in sources] == list(range(1, len(sources) + 1))
    assert set(marks) == {source.number for source in sources}
    assert {source.url for source in sources} <= PAGES.keys()
    assert "<!channel" not in words
