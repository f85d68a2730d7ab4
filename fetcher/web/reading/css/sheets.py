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
from fetcher.web.reading.css.declarations import Block, read_block
from fetcher.web.reading.css.elements import Elements
from fetcher.web.reading.css.media_queries import container_holds, media_hold, supports_hold
from fetcher.web.reading.css.plain_text import lowered, name, plain
from fetcher.web.reading.css.property_groups import PropertyGroups, groups_in
from fetcher.web.reading.css.selector_parser import LONGEST, Invalid, parse, split
from fetcher.web.reading.css.selectors import Selector

MAX_CSS = 4 * 1024 * 1024
"""Characters of style sheets without their comments; no page that people read has so many."""
_OUTERMOST = 1_000_000
"""The rank of what stands in no layer."""
_DEEPEST = 30
_PROPERTY = re.compile(r"@property\s++(--[^\s{}]++)\s*+\{([^{}]*+)\}")
_AT_RULE = re.compile(r"\s*+@([-\w]++)\s*+(.*)", re.DOTALL)
_IN_BRACKETS = re.compile(r"\([^()]*+\)")
_ATTRIBUTE = re.compile(r"\[[^\[\],]*+\]")
_OF_NAMES = r"\w\u0080-\udc7f\ue000-\U0010ffff-"
_IS_SIMPLE = re.compile(rf"[{_OF_NAMES}\s.#>+~,:*\[\]]++", re.ASCII)
_NAME = re.compile(rf"[.#][{_OF_NAMES}]++", re.ASCII)
_COMBINATOR = re.compile(r"[\s>+~]++", re.ASCII)
_NEVER = re.compile(r"::|:(?:hover|focus|active|visited|before|after|target)")
_TOUCHED = re.compile(
    r":(?:checked|target|hover|focus(?:-within|-visible)?+|open|popover-open|active)(?![\w-])"
    r"|\[(?:open|aria-expanded|aria-selected)[^\]]*+\]"
)
"""What holds for an element once somebody touches the page."""
_SHOWING = re.compile(
    r"(?:\A|[;\s])(?:display\s*+:\s*+(?!none|var)|visibility\s*+:\s*+visible"
    r"|(?:max-)?height\s*+:\s*+(?!0(?:[a-z]++|%)?+\s*+(?:[;!]|\Z)))"
)
_LAST_FRAME = re.compile(r"(?i)(?:\A|[\s,])(?:to|100%)(?=[\s,]|\Z)")
_ANY = ":not(._)"
_SPACES = re.compile(r"\s++")
_Rank = tuple[int, int, int]
"""How strong a rule is for an element: by layer, weight and place."""
_LEAST: _Rank = (-1, -1, -1)


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
    keys: list[str] | None
    """For each selector what an element must have to fit it, where that is known before parsing."""
    blocks: dict[str, Block]
    """What is read of all rules so far."""
    _selectors: list[Selector | None] | None = None
    _block: Block | None = None
    _groups: PropertyGroups | None = None

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
    def groups(self) -> PropertyGroups:
        """The groups that its declarations may be about."""
        if self._groups is None:
            self._groups = groups_in(self.lowered)
        return self._groups

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


class Registered(NamedTuple):
    """What `@property` says about a variable."""

    initial: str
    inherits: bool


class _Around(NamedTuple):
    """What stands around a rule."""

    holds: bool
    selectors: str
    """Those of the rule in which it is nested."""
    layer: int
    animation: str = ""
    """The name of the animation whose frames these are."""


Ranked = tuple[_Rank, Rule]
_Candidates = tuple[list[Ranked], list[tuple[_Rank, Rule, Selector]]]
"""The rules that fit all elements of one tag, one class and one id, and those that may fit some."""


class Sheets:
    """The rules of a page that some element of it may fit."""

    def __init__(self, texts: list[str], elements: Elements) -> None:
        self.rules: list[Rule] = []
        self.showing: list[Rule] = []
        """The rules that show elements once somebody touches the page, without this condition."""
        self._last_frames: dict[str, list[str]] = {}
        self._elements = elements
        self._names = frozenset(elements.by_name)
        self._tags = frozenset(elements.tree.tags)
        self.registered: dict[str, Registered] = {}
        """The variables that `@property` gives an initial value."""
        self._blocks: dict[str, Block] = {}
        self._layers: dict[str, int] = {}
        self._candidates: dict[tuple[object, ...], _Candidates] = {}
        room = MAX_CSS
        for css in texts:
            text = plain(css)
            room -= len(text.css)
            if room < 0:
                raise ExtractionFailed(error=f"more than {MAX_CSS} characters of style sheets")
            self._read(text.css, text.strings)
            for found in _PROPERTY.finditer(text.css) if "@property" in text.css else ():
                given = dict(part.split(":", 1) for part in found[2].split(";") if ":" in part)
                said = {name.strip().lower(): value.strip() for name, value in given.items()}
                if "initial-value" in said:
                    inherits = said.get("inherits", "").lower() != "false"
                    self.registered[found[1]] = Registered(said["initial-value"], inherits)

    @cached_property
    def last_frames(self) -> dict[str, str]:
        """The last frame of each animation; empty where it has none, or where its definitions differ."""
        return {
            name: frames[0] if len(set(frames)) == 1 else "" for name, frames in self._last_frames.items()
        }

    def _read(self, css: str, strings: list[str]) -> None:
        open_: list[_Around] = []
        outside = _Around(True, "", _OUTERMOST)
        broken = False
        for segment in (lowered(css) if self._elements.folds else css).split("}"):
            head, brace, block = segment.rpartition("{")
            if brace and not open_ and not broken and "{" not in head and "@" not in head:
                self._add(head, block, strings, _OUTERMOST)
                continue
            if not (brace or open_):  # a bracket too many is a part of what comes next
                broken = True
                continue
            *preludes, block = segment.split("{")
            for prelude in preludes:
                around = open_[-1] if open_ else outside
                if len(open_) >= _DEEPEST:
                    open_.append(around._replace(holds=False) if around.holds else around)
                    continue
                before, _, own = prelude.rpartition(";") if around.selectors else ("", "", prelude)
                if before and around.holds:
                    self._add(around.selectors, before, strings, around.layer)
                open_.append(self._around(f"}}{own}" if broken else own, around))
                broken = False
            if open_:
                around = open_.pop()
                if around.animation and _LAST_FRAME.search(around.selectors):
                    self._last_frames[around.animation][-1] += lowered(block)
                if block and around.holds and around.selectors:
                    self._add(around.selectors, block, strings, around.layer)

    def _add(self, prelude: str, css: str, strings: list[str], layer: int) -> None:
        """Adds a rule, unless no element of the page can fit it."""
        if (":" in prelude or "[" in prelude) and _TOUCHED.search(prelude) and _SHOWING.search(lowered(css)):
            self._add_showing(prelude, css, strings)
        bare, keys = prelude, None
        if "(" in prelude or "[" in prelude:
            bare = _ATTRIBUTE.sub("[]", _IN_BRACKETS.sub("", _IN_BRACKETS.sub("", prelude)))
        if "(" not in bare:
            keys = [self._key(selector) for selector in bare.split(",")]
        if keys is None or any(keys):
            place, folds = len(self.rules), self._elements.folds
            self.rules.append(
                Rule(prelude, css, lowered(css), strings, layer, place, folds, keys, self._blocks)
            )

    def _add_showing(self, prelude: str, css: str, strings: list[str]) -> None:
        """Adds the selectors that show elements once somebody touches the page, as if that had happened."""
        touched = [_TOUCHED.sub(_ANY, one) for one in split(prelude) if _TOUCHED.search(one)]
        folds = self._elements.folds
        self.showing.append(
            Rule(",".join(touched), css, lowered(css), strings, 0, 0, folds, None, self._blocks)
        )

    def _key(self, selector: str) -> str:
        """A class, an id or a tag that an element must have to fit a selector without its arguments.

        It is empty where no element of the page can fit, and `?` where the selector must be parsed to know.
        """
        names = _NAME.findall(selector)
        if not selector.isascii():
            names = [f"{each[0]}{self._elements.folded(name(each[1:]))}" for each in names]
        if not self._names.issuperset(names) or (":" in selector and _NEVER.search(selector)):
            return ""
        if not _IS_SIMPLE.fullmatch(selector):
            return "?"
        last = _COMBINATOR.split(selector.strip())[-1]
        if "." in last or "#" in last:
            return names[-1] if names else "?"
        if tag := last.partition("[")[0].partition(":")[0].strip("*"):
            tag = name(tag).lower()
            return tag if tag in self._tags else ""
        return "?" if "[" in last else "*"

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
        if name in ("keyframes", "-webkit-keyframes") and outer.holds and rest.strip():
            self._last_frames.setdefault(rest.strip(), []).append("")
            return outer._replace(holds=False, animation=rest.strip())
        conditions = {"media": media_hold, "supports": supports_hold, "container": container_holds}
        holds = name in conditions and conditions[name](rest)
        return outer._replace(holds=outer.holds and holds)

    def _layer(self, name: str) -> int:
        return self._layers.setdefault(name, len(self._layers))

    def matching(self, index: int, groups: PropertyGroups) -> list[Ranked]:
        """All rules about some groups that fit an element, the weakest first."""
        elements = self._elements
        tag, here = elements.tree.tags[index], elements.tree.attributes[index]
        asked = self._attributes.intersection(here) if self._attributes else ()
        like = (tag, here.get("class"), here.get("id"), groups, *sorted(asked))
        if (candidates := self._candidates.get(like)) is None:
            keys = ["*", tag, *(f".{name}" for name in elements.classes(index))]
            keys += (f"[{name}" for name in asked)
            if id_ := elements.id(index):
                keys.append(f"#{id_}")
            candidates = self._candidates[like] = self._among(keys, index, groups)
        certain, possible = candidates
        if not possible:
            return certain
        elements.count_work(len(possible))
        found = {rule: rank for rank, rule in certain}
        for rank, rule, selector in possible:
            if rank > found.get(rule, _LEAST) and selector.fits(elements, index):
                found[rule] = rank
        return sorted(((rank, rule) for rule, rank in found.items()), key=itemgetter(0))

    def _among(self, keys: list[str], index: int, groups: PropertyGroups) -> _Candidates:
        """The rules for all elements with the tag, classes and id of one, and those for some of them."""
        elements, certain, possible = (
            self._elements,
            dict[Rule, _Rank](),
            list[tuple[_Rank, Rule, Selector]](),
        )
        for key in keys:
            rules = self._by_key.get(key, ())
            elements.count_work(len(rules))
            for rule, number in rules:
                selectors = rule.selectors if rule.groups & groups else ()
                selector = selectors[number] if number < len(selectors) else None
                if not selector or not selector.compounds[0].fits_by_name(elements, index):
                    continue
                rank = (rule.layer, selector.weight, rule.place)
                if len(selector.compounds) == 1 and not selector.compounds[0].tests:
                    certain[rule] = max(rank, certain.get(rule, _LEAST))
                elif self._names.issuperset(selector.names()):
                    possible.append((rank, rule, selector))
        return sorted(((rank, rule) for rule, rank in certain.items()), key=itemgetter(0)), possible

    @cached_property
    def _attributes(self) -> frozenset[str]:
        """The attributes that are keys of rules."""
        return frozenset(key[1:] for key in self._by_key if key[0] == "[")

    @cached_property
    def _by_key(self) -> dict[str, list[tuple[Rule, int]]]:
        """The rules, each with the number of a selector, by a key that the element itself must have."""
        named: dict[str, list[tuple[Rule, int]]] = {}
        # Of rules that say the same of the same, the last is enough.
        for rule in {(rule.prelude, rule.css, rule.layer): rule for rule in self.rules}.values():
            for number, key in enumerate(rule.keys or ["?"] * len(rule.selectors)):
                selector = rule.selectors[number] if key == "?" and number < len(rule.selectors) else None
                known = (selector.key if selector else "") if key == "?" else key
                if known:
                    named.setdefault(known, []).append((rule, number))
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


def _nested(outer: str, inner: str) -> str:
    """The selectors of a rule in another; none where they would be too long."""
    around = f":is({_SPACES.sub(' ', outer.strip())})"
    parts = [
        part.replace("&", around) if "&" in part else f"{around} {part.strip()}" for part in inner.split(",")
    ]
    made = ",".join(parts)
    return made if len(made) <= LONGEST else ""
