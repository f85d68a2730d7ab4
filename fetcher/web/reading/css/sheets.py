"""The rules of a page's own `<style>` elements, and which of them may hide something.

This is not a browser: what external style sheets say is not known. Most rules hide nothing, and most that
do are for parts that a page does not have. So all sheets are cut into rules; the declarations of each are
searched for values that may hide, and only rules with some are read. All others are read only for the
elements that one of the few fits. Everything is linear in the style sheets.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from fetcher.web.errors import ExtractionFailed
from fetcher.web.reading.css.aspects import Aspects, aspects_in
from fetcher.web.reading.css.declarations import Block, read_block
from fetcher.web.reading.css.elements import Elements
from fetcher.web.reading.css.media import container_holds, media_hold, supports_hold
from fetcher.web.reading.css.selector_parser import LONGEST, Invalid, parse
from fetcher.web.reading.css.selectors import Selector
from fetcher.web.reading.css.text import lowered, plain

MAX_CSS = 4 * 1024 * 1024
"""Characters of style sheets without their comments; no page that people read has so many."""
_OUTERMOST = 1_000_000
"""The rank of what stands in no layer."""
_DEEPEST = 30
_AT_RULE = re.compile(r"\s*+@([-\w]++)\s*+(.*)", re.DOTALL)
_IN_BRACKETS = re.compile(r"\([^()]*+\)")
_ATTRIBUTE = re.compile(r"(?<=[\w*])\[[^\[\],]*+\]")
_IS_SIMPLE = re.compile(r"[\w\s.#>+~,:*-]++", re.ASCII)
_NEVER = re.compile(r"::|:(?:hover|focus|active|visited|before|after|target)")
_SPACES = re.compile(r"\s++")


@dataclass(slots=True, eq=False)
class Rule:
    """Selectors and declarations, read when they are first asked for."""

    prelude: str
    css: str
    lowered: str
    """The declarations in lower case."""
    sheet: "list[str]"
    """The strings of its style sheet."""
    layer: int
    place: int
    folds: bool
    blocks: dict[str, Block]
    """What is read of all rules so far."""
    _selectors: list[Selector | None] | None = None
    _block: Block | None = None
    _aspects: Aspects | None = None

    @property
    def selectors(self) -> list[Selector | None]:
        """Each selector that is understood; none at all where the list is invalid."""
        if self._selectors is None:
            prelude = self.prelude.strip()
            while prelude.startswith(("<!--", "-->")):
                prelude = prelude.removeprefix("<!--").removeprefix("-->").lstrip()
            try:
                self._selectors = parse(prelude, self.sheet, folds=self.folds)
            except Invalid:
                self._selectors = []
        return self._selectors

    @property
    def aspects(self) -> Aspects:
        """The aspects that its declarations may be about."""
        if self._aspects is None:
            self._aspects = aspects_in(self.lowered)
        return self._aspects

    @property
    def block(self) -> Block:
        if self._block is None:
            if (known := self.blocks.get(self.css)) is None:
                known = self.blocks[self.css] = read_block(self.css)
            self._block = known
        return self._block

    def rank(self, elements: Elements, index: int) -> tuple[int, int, int] | None:
        """How strong it is for an element: by layer, weight and place; None if it does not fit."""
        found = [each.weight for each in self.selectors if each and each.fits(elements, index)]
        return (self.layer, max(found), self.place) if found else None


class _Around(NamedTuple):
    """What stands around a rule."""

    holds: bool
    selectors: str
    """Those of the rule in which it is nested."""
    layer: int


class Sheets:
    def __init__(self, texts: list[str], *, folds: bool) -> None:
        self.rules: list[Rule] = []
        self._folds = folds
        self._blocks: dict[str, Block] = {}
        self._layers: dict[str, int] = {}
        room = MAX_CSS
        for css in texts:
            text = plain(css)
            room -= len(text.css)
            if room < 0:
                raise ExtractionFailed(error=f"more than {MAX_CSS} characters of style sheets")
            self._read(text.css, text.strings)

    def _read(self, css: str, strings: list[str]) -> None:
        open_: list[_Around] = []
        outside = _Around(True, "", _OUTERMOST)
        broken = False
        rules, folds, blocks = self.rules, self._folds, self._blocks
        small = lowered(css)
        for segment, low in zip((small if folds else css).split("}"), small.split("}"), strict=True):
            head, brace, block = segment.rpartition("{")
            if brace and not open_ and not broken and "{" not in head and "@" not in head:
                rules.append(
                    Rule(head, block, low[len(head) + 1 :], strings, _OUTERMOST, len(rules), folds, blocks)
                )
                continue
            if not (brace or open_):  # a bracket too many is a part of what comes next
                broken = True
                continue
            *preludes, block = segment.split("{")
            for prelude in preludes:
                around = open_[-1] if open_ else outside
                before, _, own = prelude.rpartition(";") if around.selectors else ("", "", prelude)
                self._add(around, before, strings)
                opened = self._around(f"}}{own}" if broken else own, around)
                open_.append(opened if len(open_) < _DEEPEST else around._replace(holds=False))
                broken = False
            if open_:
                self._add(open_.pop(), block, strings)

    def _add(self, around: _Around, css: str, strings: list[str]) -> None:
        if around.holds and around.selectors and css:
            rule = Rule(
                around.selectors,
                css,
                lowered(css),
                strings,
                around.layer,
                len(self.rules),
                self._folds,
                self._blocks,
            )
            self.rules.append(rule)

    def _around(self, prelude: str, outer: _Around) -> _Around:
        """What a prelude stands around, in what is around itself."""
        while (at_rule := _AT_RULE.fullmatch(prelude)) and ";" in prelude and not outer.selectors:
            if at_rule[1].lower() == "layer":
                for name in at_rule[2].partition(";")[0].split(","):
                    self._layer(name.strip())
            prelude = prelude.partition(";")[2]
        if not at_rule:
            if prelude.lstrip()[:2] == "--" and ":" in prelude:  # a variable whose value is a block
                return outer._replace(holds=False)
            selectors = _nested(outer.selectors, prelude) if outer.selectors else prelude
            return outer._replace(selectors=selectors, holds=outer.holds and bool(selectors))
        name, rest = at_rule[1].lower(), at_rule[2].lower()
        if name == "layer":
            return outer._replace(layer=self._layer(at_rule[2].strip() or f" {len(self._layers)}"))
        conditions = {"media": media_hold, "supports": supports_hold, "container": container_holds}
        holds = name in conditions and conditions[name](rest)
        return outer._replace(holds=outer.holds and holds)

    def _layer(self, name: str) -> int:
        return self._layers.setdefault(name, len(self._layers))

    def matching(
        self, elements: Elements, index: int, aspects: Aspects
    ) -> list[tuple[tuple[int, int, int], Rule]]:
        """All rules about some aspects that fit an element, the weakest first."""
        named = self._by_key
        keys = ["*", elements.tree.tags[index], *(f".{name}" for name in elements.classes(index))]
        keys += (f"[{name}" for name in elements.tree.attributes[index])
        if id_ := elements.id(index):
            keys.append(f"#{id_}")
        found: dict[Rule, int] = {}
        for key in keys:
            candidates = named.get(key, ())
            elements.count_work(len(candidates))
            for rule, number in candidates:
                if not rule.aspects & aspects:
                    continue
                selectors = rule.selectors
                selector = selectors[number] if number < len(selectors) else None
                if selector and selector.weight > found.get(rule, -1) and selector.fits(elements, index):
                    found[rule] = selector.weight
        ranked = (((rule.layer, weight, rule.place), rule) for rule, weight in found.items())
        return sorted(ranked, key=itemgetter(0))

    @cached_property
    def _by_key(self) -> dict[str, list[tuple[Rule, int]]]:
        """The rules, each with the number of a selector, by a key that the element itself must have."""
        named: dict[str, list[tuple[Rule, int]]] = {}
        # Of rules that say the same of the same, the last is enough.
        for rule in {(rule.prelude, rule.css, rule.layer): rule for rule in self.rules}.values():
            prelude = rule.prelude
            if "(" in prelude:
                prelude = _IN_BRACKETS.sub("", _IN_BRACKETS.sub("", prelude))
            if "[" in prelude:
                prelude = _ATTRIBUTE.sub("", prelude)
            if _IS_SIMPLE.fullmatch(prelude):
                keys = [_last_key(selector) for selector in prelude.split(",")]
            else:
                keys = [selector.key if selector else "" for selector in rule.selectors]
            for number, key in enumerate(keys):
                if key:
                    named.setdefault(key, []).append((rule, number))
        return named

    @cached_property
    def defining(self) -> dict[str, list[Rule]]:
        """The rules that give each variable a value."""
        found: dict[str, list[Rule]] = {}
        for rule in self.rules:
            if "--" in rule.css:
                for name in (*rule.block.normal, *rule.block.important):
                    if name[:2] == "--":
                        found.setdefault(name, []).append(rule)
        return found


def _last_key(selector: str) -> str:
    """A class, an id or a tag of the last part of a selector without brackets; none if no element has it."""
    if ":" in selector and _NEVER.search(selector):
        return ""
    words = selector.split() or [""]
    word = words[-1]
    word = word[max(word.rfind(">"), word.rfind("+"), word.rfind("~")) + 1 :].partition(":")[0]
    at = max(word.rfind("."), word.rfind("#"))
    return word[at:] if at >= 0 else word.lower() or "*"


def _nested(outer: str, inner: str) -> str:
    """The selectors of a rule in another; none where they would be too long."""
    around = f":is({_SPACES.sub(' ', outer.strip())})"
    parts = [
        part.replace("&", around) if "&" in part else f"{around} {part.strip()}" for part in inner.split(",")
    ]
    made = ",".join(parts)
    return made if len(made) <= LONGEST else ""
