"""Token counts are those of cl100k_base, for any text."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fetcher.text import well_formed
from fetcher.web.output.tokens import count, count_up_to


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("日本語のテキストを数えます。", 13),
        ("<|endoftext|>", 7),
        (" " * 128, 1),
        (" " * 129, 2),
    ],
)
def test_counts_as_cl100k_base_does(text, tokens):
    """Known texts have their known counts, and a special token's name is ordinary text."""
    assert count(text) == tokens


@pytest.mark.parametrize("text", ["\ud800", "a\udc00b", "\udfff\ud800"])
def test_lone_surrogates_count_as_replacement_characters(text):
    """A text that UTF-8 cannot write is counted as what the response will show in its place."""
    shown = "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text)
    assert well_formed(text) == shown
    assert count(text) == count(shown)


def test_a_surrogate_pair_is_the_character_it_stands_for():
    """Two surrogates that belong together become one character."""
    assert well_formed("\ud83d\ude00!") == "😀!"
    assert count("\ud83d\ude00") == count("😀")


@given(st.text(st.characters(), max_size=40))
@settings(deadline=None, max_examples=100)
def test_all_kinds_can_be_counted_and_written(text):
    """No text raises, and a code point is never more than four tokens."""
    assert count(text) <= 4 * len(text)
    well_formed(text).encode()


def test_a_text_far_over_the_limit_is_not_counted():
    """The longest token has 128 bytes: more than that for each token allowed is surely too much."""
    assert count_up_to(3, "a b c") == 3
    assert count_up_to(3, " " * 384) == 3
    assert count_up_to(3, " " * 385) == 4


def test_threads_count_alike():
    """The tokeniser may be shared by threads from its first use on."""
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(count, ["hello world"] * 64)) == {2}
