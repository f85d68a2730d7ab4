"""References are resolved as the URL Standard says, with or without asking its parser."""

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.web.markdown.links import Links

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
