"""What is code in Markdown: the same to us as to a reader of CommonMark that is not ours."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fetcher.markdown_syntax.code_spans import code_spans, outside_code

COMMONMARK = MarkdownIt("commonmark")
PIECES = [
    *("`", "``", "```", "`" * 21, "\\", "a", " ", "\n", "<", ">", "=", "/", "'", '"', "]", "@"),
    *(
        "<a b='",
        "<b ",
        "</b",
        "<http://x",
        "<x@y.z",
        "<!--",
        "--",
        "-->",
        "<?",
        "?>",
        "<!X",
        "<![CDATA[",
        "]]>",
    ),
]


def read_by_another(text):
    """The code spans that a reader of CommonMark finds in a paragraph."""
    [block] = COMMONMARK.parseInline(text)
    return [token.content for token in block.children or () if token.type == "code_inline"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("`a`", ["a"]),
        ("``a`b``", ["a`b"]),
        ("`` ` ``", ["`"]),
        ("`  `", ["  "]),
        ("` a`", [" a"]),
        ("`a\nb`", ["a b"]),
        ("`a``", []),
        ("``a`b`", ["b"]),
        (r"\`a`", []),
        (r"\`a` b`", [" b"]),
        (r"`a\`b`", ["a\\"]),
        ("<a href='`'>`", []),
        ("<http://a.example/`>`", []),
        ("`<a href='`'>`", ["<a href='"]),
        ("<!-- ` --> `a`", ["a"]),
        ("<!-- `a`", ["a"]),
        ("`" * 21 + "a" + "`" * 21, ["a"]),
        ("`" * 21 + "a" + "`" * 20, []),
    ],
)
def test_code_spans_are_those_of_commonmark(text, code):
    """The longest run counts as any other; what is escaped, or inside a tag, begins none."""
    assert [span.text for span in code_spans(text)] == code
    assert read_by_another(text) == code


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("`" * 21 + "http://a.example/" + "`" * 21)
@example("<a b='`'> `")
def test_another_reader_finds_the_same_spans(text):
    text = f"x{text}".replace("<!---", "<!-- -")  # of these the other reader has a rule of its own
    assert [span.text for span in code_spans(text)] == read_by_another(text)


@given(st.text(alphabet="`\\<>a '\"!-\n", max_size=60))
def test_spans_stand_where_they_say(text):
    """They do not touch each other, and begin and end with as many backticks."""
    end = 0
    for span in code_spans(text):
        assert end <= span.start < span.end <= len(text)
        whole = text[span.start : span.end]
        ticks = len(whole) - len(whole.lstrip("`"))
        assert whole.endswith("`" * ticks)
        assert span.text.strip() == whole[ticks:-ticks].replace("\n", " ").strip()
        end = span.end


def test_what_stands_in_code_is_left_alone():
    markdown = "a `a` a\n```\na\n```\na\n  ~~~\n  a\n"
    assert outside_code(markdown, str.upper) == "A `a` A\n```\na\n```\nA\n  ~~~\n  a\n"


@pytest.mark.parametrize(
    "piece",
    [
        "`",
        "``` ",
        "`a``b",
        "\\`",
        "<!--",
        "<?",
        "<![CDATA[",
        "<!X",
        "<a ",
        '<a b="',
        "<a x='",
        "<http:",
        "<a@b",
        "~~~\n",
    ],
)
def test_nothing_takes_longer_than_its_length(piece):
    """A megabyte takes a second or two. If the time grew with the square of the length, a megabyte for which
    eight seconds are too long would take more than these for a third of it."""
    text = piece * (300_000 // len(piece))
    tries: list[float] = []
    while len(tries) < 2 and not any(seconds < 0.7 for seconds in tries):  # a busy machine may be slow once
        started = time.process_time()
        code_spans(text)
        outside_code(text, str)
        tries.append(time.process_time() - started)
    assert min(tries) < 0.7
