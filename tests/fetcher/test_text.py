"""Every text leaves the process as UTF-8."""

import pytest

from fetcher.text import strict_json, well_formed


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


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "[1e999]", '{"a": -Infinity}', "", "{"])
def test_json_is_only_what_every_reader_of_json_takes(text):
    with pytest.raises(ValueError, match=r"of JSON|Expecting"):
        strict_json(text)
    assert strict_json('{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}
