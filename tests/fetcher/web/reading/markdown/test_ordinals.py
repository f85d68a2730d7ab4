"""The reading mode `article` numbers the items of a list as a browser does."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown.writer import render
from tests.fetcher.web.reading.articles import article, markdown


def _items(count):
    return "".join(f"<li>{letter}" for letter in "abcdefghijkl"[:count])


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<ol reversed>{_items(3)}</ol>", "3. a\n2. b\n1. c"),
        (f"<ol reversed start=10>{_items(3)}</ol>", "10. a\n9. b\n8. c"),
        ("<ol reversed><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n6. c"),
        ("<ol reversed><li>a<ol><li>x<li>y</ol><li>b</ol>", "2. a\n  1. x\n  2. y\n1. b"),
        (f"<ol reversed start=1>{_items(3)}</ol>", "1. a\n0. b\n- -1. c"),
        (f"<ol start=-1>{_items(3)}</ol>", "- -1. a\n0. b\n1. c"),
        ("<ol start=' +3x'><li>a</ol>", "3. a"),
        ("<ol start=x reversed><li>a<li>b</ol>", "2. a\n1. b"),
        (f"<ol type=a>{_items(2)}</ol>", "- a. a\n- b. b"),
        ("<ol type=A start=26><li>a<li>b</ol>", "- Z. a\n- AA. b"),
        ("<ol type=i start=4><li>a<li value=1999>b</ol>", "- iv. a\n- mcmxcix. b"),
        ("<ol type=I start=4000><li>a</ol>", "4000. a"),
        ("<ol type=a start=0><li>a<li>b</ol>", "0. a\n- a. b"),
        ("<ol reversed type=a><li>x<li>y</ol>", "- b. x\n- a. y"),
        ("<ol><li type=a>x<li>y</ol>", "- a. x\n2. y"),
        ("<ol type=a><li><p>one</p><p>two</p></ol>", "- a. one\n\n  two"),
        ("<ol type=a><li><pre>code</pre></ol>", "1. ```\n   code\n   ```"),
        ("<ul type=a><li>x</ul>", "- x"),
    ],
)
def test_an_item_has_its_number(html, text):
    """Backwards, from where the list says, in letters: what Markdown cannot count stands behind a bullet."""
    assert markdown(html, mode=ReadingMode.ARTICLE) == text


def test_an_item_that_is_not_read_is_not_counted():
    """Backwards a list ends with 1."""
    found = article("<ol reversed><li>a<li><nav></nav>b</ol>", mode=ReadingMode.ARTICLE)
    item = found.tree.tags.index("li")
    found.skipped[item : found.tree.ends[item]] = b"\1" * (found.tree.ends[item] - item)
    assert render(found) == "1. b\n"


@pytest.mark.parametrize("html", [f"<ol reversed>{_items(3)}</ol>", f"<ol type=i>{_items(3)}</ol>"])
def test_the_fixed_rules_count_upwards(html):
    """The SRD says nothing else."""
    assert markdown(html, mode=ReadingMode.SRD) == "1. a\n2. b\n3. c"


def test_many_lists_are_counted_in_linear_time():
    """Lists in lists, each of which counts its items first."""
    deep = "<ol reversed type=a><li>" * 300 + "x"
    wide = "<ol reversed>" + "<li><b><i>" * 10_000 + "</ol>"
    nested = "<ol>" + "<li><div>" * 300 + "<b></b>" * 20_000
    assert markdown(deep + wide + nested, mode=ReadingMode.ARTICLE)
