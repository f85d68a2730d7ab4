"""The model's Markdown links only to pages that were read, and has no mentions.

The properties are checked with a reader of Markdown that is not ours, and for Slack, whose own marks are
looked for in the raw text, code included.
"""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fetcher.agent.safety.allowed_links import only_links
from fetcher.web.errors import FetchError
from fetcher.web.net.canonical import canonicalise
from tests.markdown_readers import found

READ = ("https://read.example/", "https://read.example/a_(b)")
EVERYBODY = re.compile(r"[@＠](?:channel|here|everyone)(?![A-Za-z0-9_])", re.IGNORECASE)


class Read:
    def __contains__(self, url):
        return is_read(url)


def is_read(url):
    try:
        return str(canonicalise(url)) in READ
    except FetchError:
        return False


def written(markdown):
    return only_links(markdown, Read())


@pytest.mark.parametrize(
    ("markdown", "result"),
    [
        ("[label](https://evil.example/)", "label (`https://evil.example/`)"),
        ("[label](<https://evil.example/> 'title')", "label (`https://evil.example/`)"),
        ("[https://evil.example/](https://evil.example/)", "`https://evil.example/`"),
        ("[](https://evil.example/)", "`https://evil.example/`"),
        ("[label]()", "label"),
        ("[a](javascript:alert(1))", "a (`javascript:alert(1)`)"),
        ("[a](/relative)", "a (`/relative`)"),
        ("<https://evil.example/>", "`https://evil.example/`"),
        ("see https://evil.example/。", "see `https://evil.example/`。"),
        ("https://evil.example/の料金", "`https://evil.example/`の料金"),
        ("(www.evil.example) ftp://evil.example/", "(`www.evil.example`) `ftp://evil.example/`"),
        ("![alt](https://evil.example/i.png)", "alt"),
        ("[![alt](https://evil.example/i.png)](https://evil.example/)", "alt (`https://evil.example/`)"),
        ("![alt](https://read.example/) x", "alt x"),
        ("[a][1]\n\n[1]: https://evil.example/", "[a][1]\n\n[1] : `https://evil.example/`"),
        (r"https:\//evil.example/ www\.evil.example", "`https://evil.example/` `www.evil.example`"),
        ("&#104;ttps&colon;//evil.example/", "`https://evil.example/`"),
        ("[a](\nhttps://evil.example/)", "a (`https://evil.example/`)"),
    ],
)
def test_what_was_not_read_is_text(markdown, result):
    """Links, autolinks, bare URLs and references to unread pages become text, images their description."""
    assert written(markdown) == result


@pytest.mark.parametrize(
    "markdown",
    [
        "[label](https://read.example/)",
        "[label](https://read.example/a_(b))",
        "[https://read.example/](https://read.example/)",
        "**[太字](https://read.example/)**です",
        "see https://read.example/ and https://read.example/a_(b)",
        "<https://read.example/>",
    ],
)
def test_what_was_read_stays_a_link(markdown):
    assert written(markdown) == markdown


@pytest.mark.parametrize(
    ("markdown", "result"),
    [
        ("https://read.example/。", "<https://read.example/>。"),
        ("https://read.example/の料金", "<https://read.example/>の料金"),
        ("[a](https://read.example/ 'title')", "[a](https://read.example/)"),
        ("[a](https://read.example/#of-the-thread)", "a (`https://read.example/#of-the-thread`)"),
        ("[a](https://read&#46;example/)", "[a](https://read.example/)"),
        (r"[a](https://read.example/a\_(b))", "[a](https://read.example/a_(b))"),
        (
            "[`https://evil.example/`](https://read.example/)",
            "[`https://evil.example/`](https://read.example/)",
        ),
    ],
)
def test_links_are_written_so_that_every_reader_agrees(markdown, result):
    """A bare URL that touches other text gets brackets, titles go, escapes are undone."""
    assert written(markdown) == result


@pytest.mark.parametrize(
    ("markdown", "result"),
    [
        ("a <b>bold</b>", "a `<b>`bold`</b>`"),
        ("one<br>two<BR />three", "one  \ntwo  \nthree"),
        ("|a|\n|-|\n|b<br>c|", "| a |\n| --- |\n| b<br>c |"),
        ("one\n\n- <br/>\ntwo", "one\n\n- two"),
        ("<script src='x'>", "`<script src='x'>`"),
        ("a < b, 1 <2, x <= y, <日本", "a < b, 1 <2, x <= y, <日本"),
        ("a <b and c", "a < b and c"),
        ("one <!-- hidden --> two", "one  two"),
        ("注釈<!-- hidden -->付き http<!-- x -->s://a", "注釈付き `https://a`"),
        ("`<!-- shown -->` two", "`-- shown --` two"),
        ("<taro@mail.example> <1@a>", "`<taro@mail.example>` `<1@a>`"),
    ],
)
def test_html_is_text(markdown, result):
    assert written(markdown) == result


@pytest.mark.parametrize(
    ("markdown", "result"),
    [
        ("<!channel> <!here> <!everyone>", "channel here everyone"),
        ("<!here|@here> <!subteam^S1|@team>", "here team"),
        ("<@U123> <@U123|taro> <#C1> <#C1|general>", "U123 taro C1 general"),
        ("@channel @here @everyone @Channel", "channel here everyone Channel"),
        ("皆さん@channelへ ＠here @@everyone", "皆さんchannelへ here everyone"),
        ("&#64;channel &commat;here", "channel here"),
        (r"\<!channel> <\!here>", "channel here"),
        ("`<!channel>` `@here`", "`channel` `here`"),
        ("```\n<!channel> @here\n```", "```\nchannel here\n```"),
        ("@<!channel> <!@here <<!x>!channel>", "channel < !here < x!channel>"),
        ("@![](x)channel ＠![](x)here", "channel here"),
        ("someone@here.example @channels @hereby @taro", "someone@here.example @channels @hereby @taro"),
    ],
)
def test_nobody_is_mentioned(markdown, result):
    """Slack's marks and the names of everybody lose what makes them calls, in code too."""
    assert written(markdown) == result


@pytest.mark.parametrize(
    ("markdown", "result"),
    [
        ("`https://evil.example/` stays", "`https://evil.example/` stays"),
        ("``a`b`` [x](`y`)", "``a`b`` x (`` `y` ``)"),
        ("a ` b https://evil.example/", "a ' b `https://evil.example/`"),
        ("`a`https://evil.example/`b`", "`a` `https://evil.example/` `b`"),
        ("`a || b` | c", "`a || b` | c"),
        ("|-|-|\n| ` | https://evil.example/ ` |", "\\|-|-|\n| `| https://evil.example/` |"),
        ("|-|-|\n| `a \\| b` | `c` |", "\\|-|-|\n| `a \\| b` | `c` |"),
        ("|a|b|\n|-|-|\n| `c \\| d` | `e |", "| a | b |\n| --- | --- |\n| `c \\| d` | 'e |"),
        ("```py\nx = '[a](https://evil.example/)'\n```", "```py\nx = '[a](https://evil.example/)'\n```"),
        ("- a\n    ```\n    b\n     c\n    ```\n- d", "- a\n  ```\n  b\n   c\n  ```\n- d"),
        ("- a  \n  b\n\n  ```\n  c  \n  ```", "- a  \n  b\n\n  ```\n  c  \n  ```"),
        ("- ```\n  b\n\nhttps://evil.example/", "- ```\n  b\n\n  ```\n\n`https://evil.example/`"),
        ("    ```\n    b", "````\n```\nb\n````"),
        ("    <b>\n\n      `a`\n\nc", "```\n<b>\n\n  `a`\n```\n\nc"),
        ("-     https://evil.example/\n      a", "- ```\n  https://evil.example/\n  a\n  ```"),
        ("~~~\nhttps://evil.example/", "```\nhttps://evil.example/\n```"),
        ("> ```\n> https://evil.example/", "> ```\n> https://evil.example/\n> ```"),
        ("> ```\nhttps://evil.example/", "> ```\n> ```\n\n`https://evil.example/`"),
        ("1. > ~~~\n   > a\n   b", "1. > ```\n   > a\n   > ```\n\n   b"),
        ("a `b\nhttps://evil.example/` c", "a `b https://evil.example/` c"),
    ],
)
def test_code_is_code_for_every_reader(markdown, result):
    """Code keeps its text; what only looks like code to some readers does not count as code."""
    assert written(markdown) == result


PIECES = [
    *"[]()<>!`~|*_\\\"'#-:@/& \n",
    *("![", "](", "]:", "](<", "```", "~~~", "\n\n", "\n- ", "\n> ", "\n    ", "\n|-|-|\n", "\n\t"),
    *("- ", "\n2)   ", "> ", "\n  ", "\n   ", "\n  ```\n", "\n> ```\n", "\n```", "<!--", "-->", "\n<br>"),
    *(
        "a",
        "b",
        "東京",
        "の",
        "here",
        "channel",
        "<!",
        "<@",
        "&#64;",
        "&lt;",
        "&#58;",
        "&sol;",
        "https",
        "www.",
        "<br>",
        "//",
        "://",
        "ftp",
    ),
    *(
        "http://",
        "https:",
        "https://evil.example/",
        "https://read.example/",
        "[1]: ",
        "evil.example",
        "\x0e1\x0f",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@example("https:[//evil.example](x)")
@example("![https:](x)//evil.example")
@example("- a\n  ```\nhttps://evil.example/")
@example("<![a](b)>")
@example("\\https://evil.example/")
@example("`|`https://evil.example/\n-|-")
@example("`|`https://evil.example/\n-|![](a)-")
@example("`<!a` |b> `https://evil.example/`")
@example("[a](https://read.example/&#47;x)")
@example("<br>~~~\n~~~\nhttps://evil.example/\n~~~")
@example("![](x)~~~\n~~~\nhttps://evil.example/\n~~~")
@example("`" * 21 + "https://evil.example/" + "`" * 21)
@example(r"[a\[b](https://read.example/)?q=x")
def test_no_link_leads_to_what_was_not_read(text):
    """For a reader of Markdown no link, image or tag is left, and for Slack no mention."""
    result = written(text).replace("\x0e1\x0f", " [1] ")
    assert [url for url in found(result) if not is_read(url)] == []
    assert EVERYBODY.findall(re.sub(r"\w@here\.\w", "", result)) == []
    assert not re.search(r"<\\*[!@#]", result)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("-ftp://evil.example/x", "-`ftp://evil.example/x`"),
        (".ftp://evil.example +x://evil.example", ".`ftp://evil.example` +`x://evil.example`"),
        ("1_slack://evil", "1_`slack://evil`"),
        (f"{'a' * 30}://evil 9://evil", f"`{'a' * 30}://evil` 9`://evil`"),
        ("**http**://evil.example", "**http**`://evil.example`"),
        ("https\u200b://evil.example", "https\u200b`://evil.example`"),
        ("ht\u200btps://evil.example", "ht\u200b`tps://evil.example`"),
        ("http:evil.example http:/evil.example", "`http:evil.example` `http:/evil.example`"),
        (r"http:\\evil.example", r"`http:\\evil.example`"),
        ("http：／／evil.example x:／/evil.example", "`http：／／evil.example` `x:／/evil.example`"),
        ("mailto:a@evil.example?body=x", "`mailto:a@evil.example?body=x`"),
        ("//evil.example/x", "`//evil.example/x`"),
        ("x:\u200b//evil.example", "x:\u200b`//evil.example`"),
        ("www。evil.example awww.evil.example", "`www。evil.example` a`www.evil.example`"),
        ("xhttps://read.example/", "`xhttps://read.example/`"),
        ("1.https://read.example/", "1.https://read.example/"),
        ("TEL:03-0000-0000 10:30 // c std::x km//h", "TEL:03-0000-0000 10:30 // c std::x km//h"),
    ],
)
def test_whatever_looks_like_a_url_is_code(text, result):
    """With any text before it, any scheme, full-width signs, and without an authority."""
    assert written(text) == result


@given(
    st.lists(st.sampled_from([*"aé、。（）「」!?,;'\"", "東京", "の", " ", "**", "[1]", "&", "%"])).map(
        "".join
    )
)
def test_plain_words_stay_as_they_are(text):
    """Behind a word: a line of stars alone is a rule."""
    assert written(f"文{text}") == f"文{text}".strip()
