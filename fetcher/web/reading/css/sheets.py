"""The rules of a page's own `<style>` elements, and which of them may hide something.

This is not a browser: what external style sheets say is not known. Most rules hide nothing, and most that
do are for parts that a page does not have. So all sheets are cut into rules; the declarations of each are
searched for values that may hide, and only rules with some are read. All others are read only for the
elements that one of the few fits. Everything is linear in the style sheets.
"""

from collections.abc import Collection, Iterable
from functools import cached_property
from operator import itemgetter

from fetcher.web.reading.css.elements import Elements
from fetcher.web.reading.css.property_groups import PropertyGroups
from fetcher.web.reading.css.rules import Rank, Rule
from fetcher.web.reading.css.selectors import Selector
from fetcher.web.reading.css.sheet_reader import SheetReader

Ranked = tuple[Rank, Rule]
_Candidate = tuple[Rank, Rule, Selector]
_Candidates = tuple[list[Ranked], list[_Candidate]]
"""The rules that fit all elements of one tag, one class and one id, and those that may fit some."""


class Sheets:
    """The rules of a page that some element of it may fit."""

    def __init__(self, texts: list[str], elements: Elements) -> None:
        read = SheetReader(texts, elements)
        self.rules, self.showing = read.rules, read.showing
        self.registered, self.last_frames = read.registered, read.last_frames
        self._elements = elements
        self._candidates: dict[tuple[object, ...], _Candidates] = {}
        self._groups: dict[str, PropertyGroups] = {}
        """The groups of all rules that ask for a key."""
        self._setting: dict[str, dict[str, list[_Candidate]]] = {}

    def may_fit(self, index: int, groups: PropertyGroups) -> bool:
        """Whether the names of an element are such that a rule about some groups may fit it."""
        for key in self._elements.all_keys(index):
            if (known := self._groups.get(key)) is None:
                known = 0
                for rule, _ in self._by_key.get(key, ()):
                    known |= rule.groups
                self._groups[key] = known
            if known & groups:
                return True
        return False

    def matching(self, index: int, groups: PropertyGroups) -> list[Ranked]:
        """All rules about some groups that fit an element, the weakest first."""
        elements = self._elements
        tag, here = elements.tree.tags[index], elements.tree.attributes[index]
        asked = self._attributes.intersection(here) if self._attributes else ()
        like = (tag, here.get("class"), here.get("id"), groups, *sorted(asked))
        if (candidates := self._candidates.get(like)) is None:
            keys = (*elements.keys(index), *(f"[{name}" for name in asked))
            candidates = self._candidates[like] = self._among(keys, index, groups)
        certain, possible = candidates
        if not possible:
            return certain
        elements.count_work(len(possible))
        missing = ~elements.around(index)
        fitting = [
            (rank, rule)
            for rank, rule, selector in possible
            if not selector.around & missing and selector.fits_beside_names(elements, index)
        ]
        return _strongest(certain + fitting) if fitting else certain

    def _among(self, keys: Iterable[str], index: int, groups: PropertyGroups) -> _Candidates:
        """The rules for all elements with the tag, classes and id of one, and those for some of them."""
        elements = self._elements
        certain: list[Ranked] = []
        possible: list[_Candidate] = []
        tag, classes, ids = elements.tree.tags[index], elements.classes(index), {elements.id(index)}
        for key in keys:
            rules = self._by_key.get(key, ())
            elements.count_work(len(rules))
            for rule, number in rules:
                if not rule.groups & groups:
                    continue
                selectors = rule.selectors
                selector = selectors[number] if number < len(selectors) else None
                if not selector:
                    continue
                asked = selector.compounds[0]  # this is asked so often that it stands here once more
                if asked.tag not in ("*", tag) or not asked.classes <= classes:
                    continue
                if asked.ids and asked.ids != ids:
                    continue
                rank = (rule.layer, selector.weight, rule.place)
                if len(selector.compounds) == 1 and not asked.tests:
                    certain.append((rank, rule))
                else:
                    possible.append((rank, rule, selector))
        return _strongest(certain), possible

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

    def keys_setting(self, variable: str) -> Collection[str]:
        """What an element must have for a rule to give a variable a value there."""
        if (by_key := self._setting.get(variable)) is None:
            by_key = self._setting[variable] = {}
            for rule in self._by_variable.get(variable, ()):
                self._elements.count_work(len(rule.selectors))
                for selector in filter(None, rule.selectors):
                    rank = (rule.layer, selector.weight, rule.place)
                    by_key.setdefault(selector.key, []).append((rank, rule, selector))
        return by_key.keys()

    def setting(self, variable: str, index: int) -> list[Ranked]:
        """The rules that give a variable its value at an element, the weakest first."""
        by_key = self._setting.get(variable, {})
        return _strongest(
            [
                (rank, rule)
                for key in by_key.keys() & self._elements.all_keys(index)
                for rank, rule, selector in by_key[key]
                if selector.fits(self._elements, index)
            ]
        )

    @cached_property
    def _by_variable(self) -> dict[str, list[Rule]]:
        """The rules that give each variable a value."""
        found: dict[str, list[Rule]] = {}
        for rule in self.rules:
            if "--" in rule.css:
                for name in {*rule.block.normal, *rule.block.important}:
                    if name[:2] == "--":
                        found.setdefault(name, []).append(rule)
        return found


def _strongest(fitting: list[Ranked]) -> list[Ranked]:
    """Each rule once, by its strongest selector, the weakest rule first."""
    if len(fitting) < 2:
        return fitting
    fitting = sorted(fitting, key=itemgetter(0))
    strongest = {rule: rank for rank, rule in fitting}
    if len(strongest) == len(fitting):
        return fitting
    return sorted(((rank, rule) for rule, rank in strongest.items()), key=itemgetter(0))
