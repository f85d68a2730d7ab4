"""Hosts without a scheme, and text that has none."""

from hypothesis import example, given
from hypothesis import strategies as st

from fetcher.agent.safety.links import find_links
from fetcher.markdown_syntax.bare_hosts import without_links

PIECES = st.sampled_from(
    [*"abz019.-_/:@ \n（）資", "evil", ".com", ".ai", ".co.jp", "https://", "www.", "xn--"]
)


@given(st.lists(PIECES, max_size=20).map("".join))
@example("logo.ai, 資料script.pl, a.b.c.example/x")
def test_no_link_is_found_in_what_comes_out(text):
    plain = without_links(text)
    assert find_links(plain, hosts=True) == ()
    assert "".join(plain.split()) == "".join(text.split())
