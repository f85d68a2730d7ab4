"""HTML becomes Markdown in which the page's structure is structure and its text is text."""

from collections.abc import Iterator
from html import escape as as_html
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown.escape import clean, squash
from fetcher.web.reading.markdown.white_space import normalise
from fetcher.web.reading.markdown.writer import render
from tests.fetcher.web.reading.articles import article, markdown

LINKS = [
    ("other.html", "https://example.com/dir/other.html"),
    ("/top?q=1&amp;r=2", "https://example.com/top?q=1&r=2"),
    ("//cdn.example/x", "https://cdn.example/x"),
    ("#part", "https://example.com/dir/page.html#part"),
    ("../up/#frag", "https://example.com/up/#frag"),
    ("a b(1).html", "https://example.com/dir/a%20b%281%29.html"),
    (" x\n y ", "https://example.com/dir/x%20y"),
    ("?q=<b>`|\\", "https://example.com/dir/page.html?q=%3Cb%3E%60%7C%5C"),
    ("日本", "https://example.com/dir/%E6%97%A5%E6%9C%AC"),
    ("HTTP://EXAMPLE.com:80/x", "http://example.com/x"),
]


@pytest.mark.parametrize(("href", "url"), LINKS)
def test_t_wf_ext_02_links_become_absolute(href: str, url: str):
    """T-WF-EXT-02: a link is resolved as browsers do it and is safe inside its brackets (FR-WF-13d)."""
    assert markdown(f"<a href='{href}'>text</a>") == f"[text]({url})"


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", "mailto:a@b.example", "tel:1", "data:text/html,x", "http://[", "h" * 9000]
)
def test_other_schemes_lose_the_link_and_keep_the_text(href: str):
    """Only http and https make links."""
    assert markdown(f"<a href='{href}'>text</a>") == "text"


BLOCKS = [
    ("<h1>One</h1><h6>Six</h6>", "# One\n\n###### Six"),
    ("<h2>C# and F #</h2>", "## C# and F \\#"),
    ("<h2>two<br>lines <p>and</p> blocks</h2>", "## two lines and blocks"),
    ("<h2> </h2><p></p><ul><li></li></ul><b></b><a href=x></a>", ""),
    ("<p>a<p>b<div>c<div>d</div>e</div>f", "a\n\nb\n\nc\n\nd\n\ne\n\nf"),
    ("a<br>b <br> c", "a\nb\nc"),
    ("a<br>\n<br>b<br><br><br>c", "a\n\nb\n\nc"),
    ("<hr>a<hr>b", "a\n\n---\n\nb"),
    ("<blockquote>a<blockquote><p>b<p>c</blockquote>d</blockquote>", "> a\n>\n> > b\n> >\n> > c\n>\n> d"),
    ("<blockquote>a</blockquote><blockquote>b</blockquote>c", "> a\n\n> b\n\nc"),
    ("<blockquote>a<br>b<pre>c\n\nd</pre></blockquote>", "> a\n> b\n>\n> ```\n> c\n>\n> d\n> ```"),
    ("<details><summary>More</summary>text</details>", "More\n\ntext"),
    ("<figure><img src=//i.x/a alt=A><figcaption>Cap</figcaption></figure>", "![A](https://i.x/a)\n\nCap"),
    ("<dl><dt>T<dd>a<dd>b<dt>U<dd><p>c<p>d</dl>", "T\n- a\n- b\n\nU\n- c\n\n  d"),
    ("<a href=x><h3>Card</h3><p>Text</p></a>", "### [Card](https://example.com/dir/x)\n\nText"),
    ("<b><p>a<p>b</b>", "**a**\n\n**b**"),
]


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5, 6])
def test_every_level_of_heading_has_its_marks(level: int):
    """SRD FR-WF-13a: `<h1>` to `<h6>` become `#` to `######`."""
    assert markdown(f"a<h{level}>Title</h{level}>b") == f"a\n\n{'#' * level} Title\n\nb"


@pytest.mark.parametrize(("html", "expected"), BLOCKS)
def test_blocks(html: str, expected: str):
    """One blank line separates blocks, for all elements that they come from."""
    assert markdown(html) == expected


LISTS = [
    ("<ul><li>a<li>b</ul>c", "- a\n- b\n\nc"),
    ("<ul><li>a<ul><li>b<ul><li>c</ul></ul><li>d</ul>", "- a\n  - b\n    - c\n- d"),
    ("<ol><li>a<ul><li>b</ul><li>c</ol>", "1. a\n  - b\n2. c"),
    ("<ol start=3><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n8. c"),
    ("<ol start=-1 reversed><li>a<li>b</ol><ol start=1234567890><li>c</ol>", "1. a\n2. b\n\n1. c"),
    ("<ul><li>a<ol start=2><li>b</ol></ul>", "- a\n\n  2. b"),
    ("<ul><li><p>a</p><p>b</p><li>c</ul>", "- a\n\n  b\n- c"),
    ("<ol><li><p>a</p><p>b</p></ol>", "1. a\n\n   b"),
    ("<ul><li><ul><li>a<li>b</ul><li>c</ul>", "- - a\n  - b\n- c"),
    ("<ul><ul><li>a</ul></ul>", "  - a"),
    ("<ul><li><h3>H</h3><pre>x\ny</pre></ul>", "- ### H\n\n  ```\n  x\n  y\n  ```"),
    ("<ul><li><blockquote>q<p>r</blockquote>s</ul>", "- > q\n  >\n  > r\n\n  s"),
    ("<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"),
    ("<ul><li>a<br>b</ul>", "- a\n  b"),
    ("<li>stray", "- stray"),
    ("<ul><li>1. x<li># y<li>- z</ul>", "- 1\\. x\n- \\# y\n- \\- z"),
]


@pytest.mark.parametrize(("html", "expected"), LISTS)
def test_lists_are_indented_by_two_spaces_a_level(html: str, expected: str):
    """Nesting is counted on the lists (FR-WF-EXT-LIST-01); what belongs to an item stays in it."""
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ol reversed><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n6. c"),
        ("<ol reversed start=1><li>a<li>b<li>c</ol>", "1. a\n0. b\n- -1. c"),
        ("<ol start=' +3x' type=i><li>a</ol>", "3. a"),
    ],
)
def test_an_article_numbers_items_as_a_browser_does(html: str, text: str):
    """Backwards and from where the list says; always in figures."""
    assert markdown(html, mode=ReadingMode.ARTICLE) == text


CODE = [
    ("<pre><code class='hl language-python'>a\n  b\n</code></pre>", "```python\na\n  b\n\n```"),
    ("<pre class=lang-c++>  x  \n\n\n\ny\t</pre>", "```c++\n  x  \n\n\n\ny\t\n```"),
    ("<pre>```\nx\n````</pre>", "`````\n```\nx\n````\n`````"),
    ("<pre>~~~\n# x\n<b>*y*</b><br>z</pre>", "```\n~~~\n# x\n*y*\nz\n```"),
    ("<pre> \n </pre>", ""),
    ("<pre class='language-a`b'>x</pre>", "```a\nx\n```"),
    ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"),
    ("a<code>b*c_ &lt;d&gt;</code>e", "a`b*c_ <d>`e"),
    ("<code>a`b</code> <code>`</code> <kbd>K</kbd> <samp>S</samp> <tt>T</tt>", "``a`b`` `` ` `` `K` `S` `T`"),
    ("<code> a <b>b</b>\n c </code>d<code> </code>", "`a b c` d"),
    ("<code>a</code><code>b</code>", "`a` `b`"),
    ("<code><img src=x alt=y><a href=x>z</a></code>", "`z`"),
]


@pytest.mark.parametrize(("html", "expected"), CODE)
def test_code_is_kept_exactly_and_cannot_be_closed_from_inside(html: str, expected: str):
    """Code keeps its white space, and its fence is longer than any inside (FR-WF-EXT-CODE-01)."""
    assert markdown(html) == expected


INLINE = [
    ("a<b> x </b>b", "a **x** b"),
    ("<em>a</em> <i>b</i> <strong>c</strong>", "*a* *b* **c**"),
    ("<b><i> x</i></b>", "***x***"),
    ("<b>a<b>b</b></b><b>c</b>", "**abc**"),
    ("<b>a<br></b>b", "**a**\nb"),
    ("a<b></b><i> </i>b", "a b"),
    ("<del>a</del> <s>b</s>", "~~a~~ ~~b~~"),
    ("<del>~a</del>", "~~\\~a~~"),
    ("<q>a</q> x<sup>2</sup> H<sub>2</sub>O", '"a" x2 H2O'),
    ("<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>", "漢字(かんじ)"),
    ("<ruby>漢 <rt>かん</rt>字<rt></rt></ruby>", "漢(かん)字"),
    (
        "<img src=a.png alt=''><img src=b.png><img src=c.png alt=' [C] '>",
        "![\\[C\\]](https://example.com/dir/c.png)",
    ),
    ("<img src='data:image/png;base64,AA' alt='# Alt'>", "\\# Alt"),
    (
        "<a href=x><img src=i.png alt=A></a>",
        "[![A](https://example.com/dir/i.png)](https://example.com/dir/x)",
    ),
    ("Wow!<a href=x>y</a>", "Wow\\![y](https://example.com/dir/x)"),
    ("<a href=x> a] </a>b", "[a\\]](https://example.com/dir/x) b"),
    ("<button>b</button><select><option>o<option selected>p</select>x", "b p x"),
    ("<textarea>t</textarea><meter value=1>m</meter><progress>7%</progress><input value=i>x", "t m 7% x"),
    (
        "<svg><text>s</text></svg><iframe>f</iframe><video>v</video><canvas>c</canvas><object>o</object>x",
        "o x",
    ),
    ("<p><script>s</script><style>s</style><template>t</template><noscript>n</noscript>x", "x"),
    ("<math><mi>x</mi><mo>=</mo><mn>1</mn><annotation>tex</annotation></math>", "x=1"),
]


@pytest.mark.parametrize(("html", "expected"), INLINE)
def test_inline_elements(html: str, expected: str):
    """Marks stand close to what they mark, and empty elements leave none."""
    assert markdown(html) == expected


@pytest.mark.parametrize("mode", ReadingMode)
def test_a_button_in_a_heading_is_its_text(mode: ReadingMode):
    """The questions of an accordion are such headings (FR-WF-13 removes no controls)."""
    html = "<h3><button>返品できますか？</button></h3><p>できます。</p>"
    assert markdown(html, mode=mode) == "### 返品できますか？\n\nできます。"


def test_a_button_in_code_is_no_code():
    assert markdown("<pre><button>Copy</button>x = 1</pre>") == "```\nx = 1\n```"


WHITE_SPACE = [
    ("a \n\t b&nbsp;&nbsp;c", "a b c"),
    ("<p>日本\n  語と\nEnglish\nの文", "日本語と English の文"),
    ("<p>한국\n어", "한국 어"),
    ("<p>　字下げ　あり　", "字下げ　あり"),
    ("so&shy;ft a&#8203;b &#xFEFF;c&#x202E;d &#xE0041;e", "soft ab cd e"),
    ("👩&zwj;💻", "👩\u200d💻"),
    ("a&#1;&#2;b&#28;c", "abc"),
    ("<span>a</span> <span>b</span>\n<span>c</span>", "a b c"),
]


@pytest.mark.parametrize(("html", "expected"), WHITE_SPACE)
def test_white_space_is_what_a_browser_shows(html: str, expected: str):
    """Runs collapse, line ends between CJK characters vanish, invisible characters go."""
    assert markdown(html) == expected


PLAIN = [
    "snake_case and a__b", "5 * 3 = 15", "a - b, -5, --x", "$1,000 (net)!", "C:\\path", "Q&A, R&D",
    "a < b > c", "10~20", "#hashtag", "2024.5", "3.5%", "x | y", "a: b", "=x", "+81", "I <3 you",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_harmless_text_is_not_escaped(text: str):
    """What cannot be taken for structure stays readable."""
    assert markdown(f"<p>{as_html(text)}") == text


ESCAPED = [
    ("# a", "\\# a"), ("####### a", "####### a"), ("> a", "\\> a"), ("- a", "\\- a"), ("+ a", "\\+ a"),
    ("* a", "\\* a"), ("1. a", "1\\. a"), ("12) a", "12\\) a"), ("| a", "\\| a"), ("===", "\\==="),
    ("---", "\\---"), (":--|--", "\\:--|--"), ("```", "\\`\\`\\`"), ("~~~", "\\~\\~\\~"), ("*a*", "\\*a\\*"),
    ("_a_", "\\_a\\_"), ("[a](b)", "\\[a\\](b)"), ("![a](b)", "!\\[a\\](b)"), ("<script>", "\\<script>"),
    ("<https://a.b>", "\\<https://a.b>"), ("</b>", "\\</b>"), ("<!-- a", "\\<!-- a"), ("&lt;", "\\&lt;"),
    ("&#60;", "\\&#60;"), ("a\\", "a\\\\"), ("\\*", "\\\\\\*"), ("`a`", "\\`a\\`"), ("[a]: b", "\\[a\\]: b"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ESCAPED)
def test_text_that_looks_like_markdown_is_escaped(text: str, expected: str):
    """Page text never becomes structure, at the beginning of a paragraph or of a later line."""
    assert markdown(f"<p>{as_html(text)}") == expected
    assert markdown(f"<p>x<br>{as_html(text)}") == f"x\n{expected}"


def test_no_raw_html_comes_out():
    """NFR-WF-SEC-03: neither a page's tags nor tags in its text are tags in the Markdown."""
    text = markdown("<p onclick=x>&lt;img src=x onerror=y><custom-tag>z</custom-tag><p>&amp;lt;b&amp;gt;")
    assert text == "\\<img src=x onerror=y>z\n\n\\&lt;b\\&gt;"


def test_skipped_nodes_are_left_out():
    """What extraction marks is left out with all that is in it."""
    page = article("<p>a<aside>b<p>c</p></aside><p>d", skip="aside")
    assert render(page) == "a\n\nd\n"


def test_an_empty_page_is_a_newline():
    """A page without content gives white space only."""
    assert render(article("")) == "\n"


PLAIN_TEXT = [
    ("a\r\nb\rc", "a\nb\nc\n"),
    ("a\n\n\nb", "a\n\n\nb\n"),
    ("a\n\n\n\nb\n \n\t\n\n\n", "a\n\n\nb\n"),
    ("a  \t\n  b\u3000\n", "a\n  b\n"),
    ("", "\n"),
    ("# a *b* <c>", "# a *b* <c>\n"),
    ("```\na  \n\n\n\n\nb\r\n```  \nc  ", "```\na  \n\n\n\n\nb\n```  \nc\n"),
    ("````\n```  \n\n\n\n````\n\n\n\n\nx", "````\n```  \n\n\n\n````\n\n\nx\n"),
]


@pytest.mark.parametrize(("text", "expected"), PLAIN_TEXT)
def test_t_wf_ext_03_white_space_is_normalised(text: str, expected: str):
    """T-WF-EXT-03: line ends, blank lines and trailing space, except in fences (FR-WF-13b, EXT-WS-01)."""
    assert normalise(text) == expected


HOSTILE = {
    "nested elements": "<div>" * 5_000 + "x",
    "nested emphasis": "<b><i>" * 400 + "x" * 100_000,
    "empty elements": "<i></i><p></p>" * 20_000,
    "unclosed links": "<a href=x>t" * 20_000,
    "one link around many blocks": f"<a href=/{'y' * 8000}>" + "<p>x</p><div> </div>" * 10_000,
    "nested lists": "<ul><li>x" * 2_000,
    "nested list shells": "<ol>" * 2_000 + "<li>x",
    "nested quotes": "<blockquote>x" * 2_000,
    "nested both": "<blockquote><ul><li>x" * 700,
    "nested tables": "<table><tr><th>x<td>y" * 700,
    "one wide row and many short": "<table><tr>" + "<td>x" * 10_000 + "<tr><td>y" * 10_000,
    "spaces": "<p>" + " \u3000" * 200_000 + "<b>" + "\u3000 " * 200_000 + "</b>x",
    "marks": "<p>" + "*_`~[&amp;\\&lt;" * 20_000,
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pages_grow_no_faster_than_their_source(html: str):
    """Depth, repetition and emptiness cost neither recursion nor more than a few dozen bytes a node."""
    assert len(render(article(html))) <= 50 * len(html)


def test_indentation_has_a_limit():
    """Beyond twenty levels a list or quote is indented no further."""
    lines = (markdown("<blockquote><ul><li>x" * 300)).split("\n")
    assert max(map(len, lines)) < 60


FRAGMENTS = [
    "#", " ", "\t", "- ", "+ ", "* ", "1. ", "1) ", "> ", "|", "---", "===", "```", "~~~", "~", "`",
    "*", "**", "_", "__", "a", "b ", "snake_case", "[x](http://e.x)", "![x](y)", "[a]: http://x", "[",
    "]", "(", ")", "<b>", "</p>", "<!--", "<http://x.y>", "<?", "&lt;", "&amp;", "&#35;", "&", "\\",
    "!", ":--", "| - |", "あ", "。", "\u3000", "\n", "    code", "=", "-", ":", "\u200b",
]  # fmt: skip
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=12).map("".join)


def tokens(text: str) -> Iterator[Any]:
    """Everything a CommonMark parser with tables and strikethrough finds."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    found = parser.parse(text)
    while found:
        token = found.pop(0)
        yield token
        found = (token.children or []) + found


@settings(max_examples=300, deadline=None)
@given(texts)
def test_text_comes_back_from_its_markdown(text: str):
    """Any text in a paragraph is read by a Markdown parser as that text and nothing else."""
    shown = squash(clean(text.replace("\r\n", "\n").replace("\r", "\n")))
    found = list(tokens(markdown(f"<p>{as_html(text)}</p>")))
    assert {token.type for token in found} <= {"paragraph_open", "inline", "paragraph_close", "text"}
    assert "".join(token.content for token in found if token.type == "text") == shown


def element(tag: str, children: list[str]) -> str:
    href = " href='/x y(1)|`?a=\\)'" if tag == "a" else ""
    return f"<{tag}{href}>{''.join(children)}</{tag}>"


leaves = texts.map(as_html) | texts.map(lambda alt: f'<img src=i.png alt="{as_html(alt)}">') | st.just("<br>")
TAGS = [
    "a", "b", "i", "s", "q", "code", "p", "div", "ul", "ol", "li", "blockquote", "h2", "pre", "dl", "dt",
    "dd", "table", "tr", "td", "th", "caption", "ruby", "rt", "sup", "sub", "math", "mfrac", "select",
    "option",
]  # fmt: skip
pages = st.recursive(
    leaves,
    lambda inner: st.builds(element, st.sampled_from(TAGS), st.lists(inner, max_size=4)),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(pages, st.sampled_from(ReadingMode))
@example("<code>[x](http://e.x)`</code><code>#</code>", ReadingMode.SRD)
@example("<del>~x</del>", ReadingMode.SRD)
@example("<ol><li>a<ol><li>b<ol><li>c<pre>&lt;b></pre></ol></ol></ol>", ReadingMode.SRD)
@example("<table><tr><th>a<td><i title='[x](http://e.x)|<b>'></i></table>", ReadingMode.ARTICLE)
@example("<table><tr><th>#<br>#</table>", ReadingMode.ARTICLE)
def test_only_the_page_s_own_elements_become_structure(html: str, mode: ReadingMode):
    """However elements nest, links and images are those of the page; no HTML but a cell's lines comes out."""
    text = markdown(html, mode=mode)
    found = list(tokens(text))
    assert {token.content for token in found if token.type.startswith("html")} <= {"<br>"}
    hrefs = {token.attrs["href"] for token in found if token.type == "link_open"}
    assert hrefs <= {"https://example.com/x%20y%281%29%7C%60?a=%5C%29"}
    sources = {token.attrs["src"] for token in found if token.type == "image"}
    assert sources <= {"https://example.com/dir/i.png"}
    assert not any(character < " " and character not in "\n\t" for character in text)
