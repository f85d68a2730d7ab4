"""Figures in neighbouring elements stay two figures, and the parts of one figure stay one."""

import time

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.tables.rows import tables
from tests.fetcher.web.reading.articles import article, markdown

FIGURES = [
    ("<span class=old>5000</span><span class=new>4000</span>", "5000 4000"),
    ("<span class=strike>500</span>400", "500 400"),
    ("<span class='price price--sale'>500</span>400", "500 400"),
    ("500<span class=now>400</span>", "500 400"),
    ("<span>5,000</span><span>4,000</span>", "5,000 4,000"),
    ("<span>05</span><span>20</span><span>35</span>", "05 20 35"),
    ("<em>12</em><em>34</em>", "12 34"),
    ("<strong>12</strong><span>34</span>", "12 34"),
    ("<i><b>12</b></i><i><b>34</b></i>", "12 34"),
    ("<span><span>12</span></span><span><span>34</span></span>", "12 34"),
    ("<span>$50</span><span>$40</span>", "$50 $40"),
    ("<span class=from>￥100</span><span class=to>￥200</span>", "￥100 ￥200"),
    ("<time>2024</time><time>2025</time>", "2024 2025"),
    ("<ins>12</ins><b>34</b>", "12 34"),
    ("12<small>3</small>", "12 3"),
    ("<small>12</small>345", "12 345"),
    ("<span role=cell>2024</span><span role=cell>1200</span><span role=cell>x</span>", "2024 1200 x"),
    ("<span role=columnheader>年</span><span role=columnheader>人口</span>", "年 人口"),
    ("$12<small>99</small>", "$12.99"),
    ("€19<span class=cents>99</span>", "€19.99"),
    ("<span>$</span><span class=int>12</span><span class=price-fraction>50</span>", "$12.50"),
    ("<span class=a-whole>$39<i>.</i></span><span class=a-fraction>99</span>", "$39.99"),
    ("19<small>95</small> €", "19.95 €"),
    ("<b>1</b>,200", "1,200"),
    ("<em>2</em>024", "2024"),
    ("20<span class=hit>24</span>", "2024"),
    ("<b>1</b>2<b>3</b>", "123"),
    ("<span>1</span><span>2</span><span>3</span>", "123"),
    ("<span class=digit>12</span><span class=digit>34</span>", "1234"),
    ("<span lang=EN-US>20</span><span lang=EN-US>24</span>", "2024"),
    ("<font size=5>20</font><font size=3>24</font>", "2024"),
    ("<mark>20</mark>24", "2024"),
    ("12<wbr>34", "1234"),
    ("<span class=int>12</span><span class=dec>.50</span>", "12.50"),
    ("<span>¥</span><span>1</span><span>,</span><span>980</span>", "¥1,980"),
    ("<span>9</span><span>時</span>", "9時"),
    ("<span>1,000</span><span>円</span>", "1,000円"),
    ("A<b>B</b><i>C</i>1", "ABC1"),
]


@pytest.mark.parametrize(("html", "shown"), FIGURES)
def test_figures_of_neighbouring_elements_are_set_apart(html, shown):
    """The same in the text of an article, in the cells of its tables and in what is exported of them."""
    table = f"<table><tr><th>A<th>B<tr><td>{html}<td>x</table>"
    assert _plain(markdown(f"<p>{html}</p>", mode=ReadingMode.ARTICLE)) == shown
    assert f"| {shown} | x |" in _plain(markdown(table, mode=ReadingMode.ARTICLE))
    assert tables(article(table))[0].rows[0][0] == shown


def _plain(text):
    return text.replace("*", "").replace("\\", "")


LINKS = [
    ("<a href=/1>05</a><a href=/2>20</a>", "05 20"),
    ("<a href='#'>05</a><a href='#'>20</a><a href='#'>35</a>", "05 20 35"),
    ("<a href='#m1'>1</a><a href='#m2'>2</a>", "1 2"),
    ("<a href='#m1'>1</a><a href='#m2'>2</a><a href='#m3'>3</a>", "1 2 3"),
    ("<a>12</a>34", "12 34"),
    ("567<a href='#'>1</a>", "567 1"),
    ("567<a href='#fn1'>1</a>", "567 [1]"),
    ("567<a href='#fn1'>1</a><a href='#fn2'>2</a>", "567 [1] [2]"),
]


@pytest.mark.parametrize(("html", "exported"), LINKS)
def test_links_beside_each_other_are_not_notes(html, exported):
    """Unless they lead from a figure to another place of the page."""
    table = f"<table><tr><th>A<th>B<tr><td>{html}<td>x</table>"
    assert tables(article(table))[0].rows[0][0] == exported


def test_links_with_figures_are_set_apart_in_the_text():
    shown = "[05](https://example.com/1) [20](https://example.com/2)"
    assert markdown("<p><a href=/1>05</a><a href=/2>20</a></p>", mode=ReadingMode.ARTICLE) == shown


def test_the_srds_mode_leaves_figures_as_they_stand():
    assert markdown("<p><span class=old>50</span><span>40</span> $1<small>99</small></p>") == "5040 $199"


def test_many_figures_take_no_more_time_than_their_number():
    html = "<p>" + "<b><i>12</i></b><a href='#a'>34</a>" * 8_000
    start = time.perf_counter()
    render(article(html, mode=ReadingMode.ARTICLE))
    tables(article(f"<table><tr><th>A<th>B<tr><td>{html}<td>x</table>"))
    assert time.perf_counter() - start < 5
