"""Every text leaves the process as UTF-8."""

import pytest

from fetcher.text import well_formed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a", "a"),
        ("\ud800", "?"),
        ("a\ud800", "a?"),
        ("\udfff\ud800", "??"),
        ("\ud83d\ude00!", "😀!"),
        ("\ufffd\ud800", "\ufffd?"),
    ],
)
def test_a_lone_surrogate_is_replaced_and_a_pair_is_joined(text, shown):
    assert well_formed(text, "?") == shown
    assert well_formed(text) == shown.replace("?", "\ufffd")
