"""The page's own files: they load nothing from elsewhere, are readable, and speak two languages."""

import re
from pathlib import Path

import pytest

import slackapp.playground

PAGE = Path(slackapp.playground.__file__).parent / "page" / "static"
FORBIDDEN = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "srcdoc",
)


@pytest.mark.parametrize("path", sorted(PAGE.iterdir()), ids=lambda path: path.name)
def test_nothing_is_ever_parsed_as_html_or_loaded_from_elsewhere(path):
    """Text is set as text, and every address is ours; XML's own names load nothing."""
    text = path.read_text("utf-8")
    assert [word for word in FORBIDDEN if word in text] == []
    loaded = re.findall(r"""(?:src|href|from|import|url\()\s*[=(]?\s*["']?(https?:[^"')\s]*)""", text)
    assert loaded == []


def _ratio(one, other):
    """WCAG's contrast of two colours."""
    return (max(_luminance(one), _luminance(other)) + 0.05) / (min(_luminance(one), _luminance(other)) + 0.05)


def _luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


COLOURS = {
    name: shades
    for name, *shades in re.findall(
        r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", (PAGE / "style.css").read_text("utf-8")
    )
}


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_its_ground(theme):
    """WCAG AA, in both themes."""
    grounds = ["ground", "sheet", "rail", "raised", "tint", "mark"]
    inks = ["ink", "soft", "accent", "good", "bad", "busy"]
    assert [
        (ink, ground)
        for ink in inks
        for ground in grounds
        if _ratio(COLOURS[ink][theme], COLOURS[ground][theme]) < 4.5
    ] == []


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_borders_of_controls_stand_out(theme):
    """WCAG asks for less of what is not text."""
    assert _ratio(COLOURS["strong-line"][theme], COLOURS["sheet"][theme]) >= 3
    assert _ratio(COLOURS["on-accent"][theme], COLOURS["accent"][theme]) >= 4.5


def _keys(language):
    words = (PAGE / "words.js").read_text("utf-8")
    start = words.index(f"  {language}: {{")
    return re.findall(r"^    (\w+):", words[start : words.index("\n  },", start)], re.MULTILINE)


def test_both_languages_say_the_same_things():
    """In the same order, so that a missing one is seen."""
    assert _keys("ja") == _keys("en")


def test_every_word_that_is_used_is_there_and_none_is_left_over():
    source = "\n".join(path.read_text("utf-8") for path in PAGE.glob("*.js") if path.name != "words.js")
    named = set(re.findall(r"""\bt\(\s*[`"'](\w+)""", source))
    either = {word for pair in re.findall(r'\bt\([^()]*\? "(\w+)" : "(\w+)"', source) for word in pair}
    assert set(_keys("ja")) == named | either | {"cutRows", "cutText"}  # these by name, in a note
