"""Which styles and rules of a page give text a colour that stands behind text somewhere on it."""

import re
from collections.abc import Iterable

from fetcher.web.reading.css.colours import UNKNOWN, Colour, colour, look_the_same
from fetcher.web.reading.css.declarations import read_block
from fetcher.web.reading.css.plain_text import lowered
from fetcher.web.reading.css.sheets import Rule
from fetcher.web.reading.extract.hidden.cascade import Cascade
from fetcher.web.visibility import FAINTEST, NEARLY_SAME

_COLOURS = re.compile(
    r"(?:\A|[;\s])(color|-webkit-text-fill-color|background(?:-color)?+)\s*+:\s*+([^;!]{1,300}+)"
)
_VARIABLE = re.compile(r"var\(\s*+(--[^\s,()]++)")
_CLEAR = re.compile(r"color\s*+:\s*+(?:transparent|[a-z-]++\(|#[\da-f]{4}(?![\da-f])|#[\da-f]{8})")
_SIZE = NEARLY_SAME + 1
_Pair = tuple[str, str]


class ColourComparison:
    """The colours in the styles of a page: those of text, and those behind it."""

    def __init__(self, cascade: Cascade, *, has_all_styles: bool) -> None:
        self._cascade = cascade
        self._has_all_styles = has_all_styles
        self._grounds: set[tuple[int, ...]] = set()
        self._inks: set[tuple[int, ...]] = set()
        self._noted: set[_Pair] = set()
        self._known: dict[_Pair, list[Colour]] = {}

    def compared(self, styles: Iterable[str]) -> tuple[frozenset[str], list[Rule]]:
        """The styles and the rules whose colours may not be told from others on the page.

        Where external style sheets say more, only those that set both colours, or any with a ground in
        another style, are looked at.
        """
        lower = {style: lowered(self._cascade.plain_style(style)) for style in styles}
        written = {
            style: found
            for style, css in lower.items()
            if _is_about(css) and (found := _COLOURS.findall(css))
        }
        sheets = self._cascade.sheets
        is_about = _is_about if self._has_all_styles else _may_be_lost_alone
        rules = [rule for rule in sheets.rules if is_about(rule.lowered)] if sheets else []
        ruled = [(rule, _COLOURS.findall(rule.lowered)) for rule in rules]
        if not (written or ruled):
            return frozenset(), []
        if self._has_all_styles:
            self._note([("background", "white"), ("color", "black")])
            for _, found in ruled:
                self._note(found)
        for found in written.values():
            self._note(found)
        pale = frozenset(style for style, found in written.items() if self._may_be_lost(found))
        return pale, [rule for rule, found in ruled if self._may_be_lost_by_rule(found)]

    def _colours(self, name: str, value: str) -> list[Colour]:
        """The colours that a value can have."""
        if (known := self._known.get((name, value))) is None:
            known = self._known[name, value] = self._read(name, value.strip())
        return known

    def _read(self, name: str, value: str) -> list[Colour]:
        if "var(" in value and (found := _VARIABLE.search(value)):
            return [UNKNOWN, *(colour(each.lower()) for each in self._cascade.values_of(found[1]))]
        if name == "background":
            value = read_block(f"background:{value}").normal.get("background-color", "transparent")
        return [colour(value)]

    def _note(self, found: list[_Pair]) -> None:
        """Notes colours with their neighbours, so that one look tells whether another is near."""
        for name, value in found:
            if (name, value) in self._noted:
                continue
            self._noted.add((name, value))
            into = self._grounds if name.startswith("background") else self._inks
            for each in self._colours(name, value):
                if each != UNKNOWN and each[3] > FAINTEST:
                    into |= _neighbours(each)

    def _may_be_lost_by_rule(self, found: list[_Pair]) -> bool:
        """Where external style sheets say more, a rule is looked at only by itself."""
        if self._has_all_styles or any("currentcolor" in value for _, value in found):
            return self._may_be_lost(found)
        colours = [(name[0] == "b", each) for name, value in found for each in self._colours(name, value)]
        grounds = [
            each for is_ground, each in colours if is_ground and each != UNKNOWN and each[3] > FAINTEST
        ]
        inks = [each for is_ground, each in colours if not is_ground]
        return any(
            ink[3] <= FAINTEST or any(look_the_same(ink, each, each) for each in grounds) for ink in inks
        )

    def _may_be_lost(self, found: list[_Pair]) -> bool:
        for name, value in found:
            if name.startswith("background") and "currentcolor" in value:
                return True
            others = self._inks if name.startswith("background") else self._grounds
            for each in self._colours(name, value):
                if each == UNKNOWN:
                    if "var(" in value and self._has_all_styles:
                        return True
                elif each[3] <= FAINTEST:
                    if not name.startswith("background"):
                        return True
                elif each[3] < 0.5 or _cell(each) in others:
                    return True
        return False


def _cell(each: Colour) -> tuple[int, ...]:
    return tuple(int(channel) // _SIZE for channel in each[:3])


def _neighbours(each: Colour) -> set[tuple[int, ...]]:
    red, green, blue = _cell(each)
    return {(red + r, green + g, blue + b) for r in (-1, 0, 1) for g in (-1, 0, 1) for b in (-1, 0, 1)}


def _is_about(css: str) -> bool:
    return "color" in css or "background" in css


def _may_be_lost_alone(css: str) -> bool:
    return "color" in css and ("background" in css or _CLEAR.search(css) is not None)
