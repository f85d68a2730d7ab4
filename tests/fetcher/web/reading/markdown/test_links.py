"""References are resolved as the URL Standard says, with or without asking its parser."""

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.codes import ReadingMode
from fetcher.web.reading import readers
from fetcher.web.reading.markdown.links import Links
from fetcher.web.values import ReadingContext

BASES = ("https://example.com/a/b?c#d", "http://user:(p)@example.com:8080/x", "https://1.2.3.4")
PARTS = (
    *(
        "http://",
        "https://",
        "www.example.org",
        "xn--",
        "localhost",
        "1",
        "0x7f",
        ".com",
        "A",
        "\u00e9",
        ":80",
    ),
    *(
        "/",
        "//",
        ".",
        "..",
        "%2e",
        "%",
        "%zz",
        "?",
        "#",
        "a",
        "-",
        "_",
        "~",
        "'",
        "@",
        "\\",
        "|",
        " ",
        "^",
        "&=",
    ),
)


@given(
    base=st.sampled_from(BASES),
    start=st.sampled_from(("", "/", "https://www.example.org/", "http://example.co.jp/a")),
    parts=st.lists(st.sampled_from(PARTS), max_size=6),
)
def test_every_reference_is_what_the_parser_makes_of_it(base, start, parts):
    """The short cut for plain references never differs from the parser."""
    reference = start + "".join(parts)
    try:
        joined = ada_url.join_url(base, reference)
    except ValueError:
        joined = ""
    expected = joined if joined.startswith(("https://", "http://")) else ""
    for character in "()<>\\`|":
        expected = expected.replace(character, f"%{ord(character):02X}")
    assert Links(base).resolve(reference) == expected


@pytest.mark.parametrize(("length", "resolved"), [(8192, True), (8193, False)])
def test_longer_urls_than_servers_take_are_left_out(length, resolved):
    """The limit is that of the absolute URL."""
    path = "/" + "x" * (length - len("https://example.com/"))
    assert bool(Links("https://example.com/").resolve(path)) is resolved


SHORT = [f"{number}" for number in range(20_000)]


def _page(base: str, references: list[str]) -> str:
    links = "".join(f"<a href={reference}>x</a>" for reference in references)
    return f"<base href='{base}'><p>{links}"


def test_a_long_base_and_many_links_make_no_flood():
    """8 KB and 20,000 links made 160 MB: what targets take grows with the page, and the text stays."""
    html = _page(f"https://example.com/{'y' * 8000}/", SHORT)
    context = ReadingContext(url="https://example.com/", mode=ReadingMode.SRD, content_type="text/html")
    markdown = readers.read(html.encode(), context).document.markdown
    assert len(markdown) <= 50 * len(html)
    assert markdown.count("x") >= len(SHORT)
    assert f"{'y' * 8000}/0)" in markdown


def test_a_base_longer_than_any_url_costs_nothing():
    """Each reference would be joined with megabytes."""
    html = _page(f"https://example.com/{'y' * 4_000_000}/", SHORT)
    context = ReadingContext(url="https://example.com/", mode=ReadingMode.SRD, content_type="text/html")
    markdown = readers.read(html.encode(), context).document.markdown
    assert markdown == "x" * len(SHORT) + "\n"


@pytest.mark.parametrize(
    "reference", ["a/b.html?c=d", "https://other.example/" + "z" * 3000, "/" + "あ" * 100]
)
def test_a_long_list_of_links_keeps_its_targets(reference):
    """A page of 5,000 links on an address of the usual length, short and long, loses none."""
    links = Links("https://www.example.co.jp/news/2026/01/" + "p" * 150)
    assert all(links.resolve(f"{reference}{number}") for number in range(5000))
