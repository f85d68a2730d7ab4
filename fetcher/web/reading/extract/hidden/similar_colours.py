"""Styles and rules of a page whose text colour is also a background on the page, or nearly."""

import re
from collections.abc import Iterable

from fetcher.web.reading.css.declarations import read_block
from fetcher.web.reading.css.plain_text import lowered
from fetcher.web.reading.css.rules import Rule
from fetcher.web.reading.css.values.colours import CLEAR, CURRENT, UNKNOWN, Colour, colour, look_the_same
from fetcher.web.reading.css.values.painted_colours import background
from fetcher.web.reading.extract.hidden.cascade import Cascade
from fetcher.web.visibility import FAINTEST, NEARLY_SAME

_COLOURS = re.compile(r"[;\s](color|-webkit-text-fill-color|background(?>-color|-image)?+)\s*+:\s*+([^;!]++)")
_VARIABLE = re.compile(r"var\(\s*+(--[^\s,()]++)", re.IGNORECASE)
_CLEAR = re.compile(r"color\s*+:\s*+(?:transparent|[a-z-]++\(|#[\da-f]{4}(?![\da-f])|#[\da-f]{8})")
_CELL = NEARLY_SAME + 1
"""The size of the cells into which colours are sorted."""
_Pair = tuple[str, str]
_Cell = tuple[int, ...]


class ColourComparison:
    """The colours of text and of backgrounds in the styles of a page."""

    def __init__(self, cascade: Cascade, *, has_all_styles: bool) -> None:
        self._cascade = cascade
        self._has_all_styles = has_all_styles
        self._backgrounds: set[_Cell] = set()
        self._text_colours: set[_Cell] = set()
        self._known: dict[_Pair, list[Colour]] = {}

    def suspected(self, styles: Iterable[str]) -> tuple[frozenset[str], list[Rule]]:
        """The styles and the rules whose text may have the colour of its background.

        Where the page has external style sheets, a rule is suspected only if it sets both colours, or a
        text colour that is transparent.
        """
        written: dict[str, list[_Pair]] = {}
        for style in styles:
            css = lowered(self._cascade.plain_style(style))
            if ("color" in css or "background" in css) and (found := _COLOURS.findall(f";{css}")):
                written[style] = found
        ruled = [
            (rule, _COLOURS.findall(f";{rule.lowered}"))
            for rule in (self._cascade.sheets.rules if self._cascade.sheets else ())
            if self._may_be_suspected(rule.lowered)
        ]
        if not (written or ruled):
            return frozenset(), []
        noted = {pair for found in written.values() for pair in found}
        if self._has_all_styles:
            noted |= {("background", "white"), ("background", "yellow"), ("color", "black")}
            noted.update(pair for _, found in ruled for pair in found)
        for pair in noted:
            self._note(pair)
        pale = frozenset(style for style, found in written.items() if self._may_be_unreadable(found))
        return pale, [rule for rule, found in ruled if self._may_be_unreadable_by_rule(found)]

    def _may_be_suspected(self, css: str) -> bool:
        if self._has_all_styles:
            return "color" in css or "background" in css
        return "color" in css and ("background" in css or _CLEAR.search(css) is not None)

    def _note(self, pair: _Pair) -> None:
        """Notes the cells of a colour and the cells around them, so that one lookup finds similar colours."""
        noted = self._backgrounds if pair[0].startswith("background") else self._text_colours
        for each in self._colours(pair):
            if each not in (UNKNOWN, CURRENT) and each[3] > FAINTEST:
                red, green, blue = _cell(each)
                near = (-1, 0, 1)
                noted |= {(red + r, green + g, blue + b) for r in near for g in near for b in near}

    def _colours(self, pair: _Pair) -> list[Colour]:
        """The colours that a declaration can have."""
        if (known := self._known.get(pair)) is None:
            name, value = pair[0], pair[1].strip()
            if "var(" in value and (found := _VARIABLE.search(value)):
                known = [UNKNOWN, *(colour(each.lower()) for each in self._cascade.final_values_of(found[1]))]
            elif name[0] == "b":
                known = [background(read_block(f"{name}:{value}").normal) or CLEAR]
            else:
                known = [colour(value)]
            self._known[pair] = known
        return known

    def _may_be_unreadable_by_rule(self, found: list[_Pair]) -> bool:
        """Where external style sheets say more, a rule is judged only by itself."""
        if self._has_all_styles or any("currentcolor" in value for _, value in found):
            return self._may_be_unreadable(found)
        backgrounds, colours = list[Colour](), list[Colour]()
        for pair in found:
            (backgrounds if pair[0][0] == "b" else colours).extend(self._colours(pair))
        behind = [each for each in backgrounds if each not in (UNKNOWN, CURRENT) and each[3] > FAINTEST]
        return any(
            one[3] <= FAINTEST or any(look_the_same(one, each, each) for each in behind) for one in colours
        )

    def _may_be_unreadable(self, found: list[_Pair]) -> bool:
        for pair in found:
            is_background = pair[0].startswith("background")
            if is_background and "currentcolor" in pair[1]:
                return True
            others = self._text_colours if is_background else self._backgrounds
            for each in self._colours(pair):
                if each in (UNKNOWN, CURRENT):
                    if "var(" in pair[1] and self._has_all_styles:
                        return True
                elif each[3] <= FAINTEST:
                    if not is_background:
                        return True
                elif each[3] < 0.5 or _cell(each) in others:
                    return True
        return False


def _cell(each: Colour) -> _Cell:
    return tuple(int(channel) // _CELL for channel in each[:3])
