"""The last step before everything but Slack: no link but to what is allowed, to no reader."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fetcher.agent import Answer, Source
from fetcher.agent.files.answer_files import FilePolicy, make_file
from fetcher.agent.remote.wire import texts_of
from fetcher.agent.safety.allowed_links import AllowedLinks, links_of, only_links, only_urls
from tests.fetcher.agent.safety.test_markdown_writer import PIECES
from tests.markdown_readers import found

READ = "https://read.example/?a=1&region=jp&section=2"
EVIL = "https://evil.example/c/736563"
ALLOWED = AllowedLinks([READ, "https://read.example/", "https://read.example/%E6%9D%B1%E4%BA%AC"])


@given(
    st.lists(st.sampled_from([*PIECES[:-1], READ, EVIL, "`" * 21, "\\[", "?q=x"]), max_size=25).map("".join)
)
@example(r"[a\[b](https://read.example/)?q=736563")
@example("`" * 21 + EVIL + "`" * 21)
@example(f"\\`{EVIL}\\`")
@example("]://a")
@example("//\\[::1]/c//\\_a")
@example("\n<br>\n    [")
@example("https:```")
@example(f"<br>~~~\n~~~\n{EVIL}\n~~~")
def test_no_reader_of_markdown_finds_another_link(markdown):
    """With HTML or without, with tables or without, with bare URLs as links too."""
    written = only_links(markdown, ALLOWED)
    again = only_links(written, ALLOWED)  # an answer passes more than one way out
    assert [url for url in found(written) if url not in ALLOWED] == []
    assert [url for url in found(again) if url not in ALLOWED] == []


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        (READ, True),
        ("https://read.example", True),
        ("https://read.example/東京", True),
        ("https://read.example/%E6%9D%B1%E4%BA%AC", True),
        ("https://read.example/%e6%9d%b1%e4%ba%ac", False),
        ("https://read.example/#x", False),
        ("https://read.example//", False),
        ("https://READ.example/", False),
        ("http://read.example/", False),
        (READ.replace("&", "&amp;"), False),
        ("", False),
        ("\ud800", False),
    ],
)
def test_a_link_is_spelled_as_what_was_read(url, allowed):
    """Other spellings of the same address could tell its host something."""
    assert (url in ALLOWED) is allowed


def test_links_with_parameters_that_look_like_entities_stay():
    """`&region` and `&section` begin with names that browsers forgive a missing semicolon."""
    for markdown in (
        f"[料金]({READ})です",
        f"<{READ}>",
        f"{READ} です",
        f"[料金]({READ.replace('&', '&amp;')})です",
    ):
        assert READ in only_links(markdown, ALLOWED)
        assert READ in found(only_links(markdown, ALLOWED))
    assert f"`{EVIL}&region=jp`" in only_links(f"[a]({EVIL}&amp;region=jp)", ALLOWED)


def test_titles_and_notes_make_no_links():
    """What stands below an answer is of others' making too."""
    source = Source(number=1, title=f"[無料]({EVIL}) {EVIL}", url="https://read.example/")
    answer = Answer(
        text=f"はい。{EVIL}", sources=(source,), undone=(f"{EVIL}：時間内に読み終わりませんでした。",)
    )
    for text in texts_of(answer):
        assert set(found(text)) <= {"https://read.example/"}
    assert "https://read.example/" in links_of(answer)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (f"{READ} を読んで", None),
        (f'"{READ}", ({READ} )', None),
        (f"[a]({READ})です", None),
        (f"[a]({READ})?q=x", "[a](https: //read.example/?a=1&region=jp&section=2)?q=x"),
        (f"{READ}の料金", f"{READ.replace('://', ': //')}の料金"),
        (EVIL, "https: //evil.example/c/736563"),
        ("ftp://evil.example/ b://x ://y", "ftp: //evil.example/ b: //x : //y"),
        ("www.evil.example WWW.www.x", "www. evil.example WWW. www. x"),
        ("mailto:a@b http:evil.example", "mailto: a@b http: evil.example"),
        ("x：／／evil www。evil.example", "x: //evil www。 evil.example"),
    ],
)
def test_in_plain_text_a_url_ends_with_white_space(text, result):
    assert only_urls(text, ALLOWED) == (text if result is None else result)


@pytest.mark.parametrize(
    ("mime_type", "content"),
    [
        ("text/plain", f"{READ}\n{EVIL}"),
        ("text/csv", f"a,b\n{READ},{EVIL}\n{READ},x"),
        ("application/json", json.dumps({"a": READ, "b": [f"{READ}\n{EVIL}", {EVIL: EVIL}]})),
        ("text/markdown", f"[a]({READ}) [b]({EVIL})\n\n[c]: {EVIL}"),
    ],
)
def test_a_file_holds_no_url_of_the_models_making(mime_type, content):
    """Spreadsheets and editors make links of what looks like one; what a page links to stays."""
    policy = FilePolicy(max_bytes=10_000, types=(mime_type,))
    file = make_file("a", mime_type, content, policy, allowed=ALLOWED)
    text = file.content.decode()
    assert text.count(READ) == content.count(READ)
    if mime_type == "text/markdown":
        assert set(found(text)) == {READ}
    else:
        assert EVIL not in text
        assert "https: //evil.example/c/736563" in text
    if mime_type == "application/json":
        assert json.loads(text)["b"][0] == f"{READ}\nhttps: //evil.example/c/736563"
