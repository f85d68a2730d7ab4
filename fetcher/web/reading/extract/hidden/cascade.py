"""What all styles together declare for an element: rules by their strength, then its own style."""

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cached_property

from fetcher.web.reading.css.animations import final_frame
from fetcher.web.reading.css.declarations import Block, Declarations, read_block, resolved
from fetcher.web.reading.css.elements import Elements
from fetcher.web.reading.css.hiding_pattern import may_hide
from fetcher.web.reading.css.plain_text import lowered, plain
from fetcher.web.reading.css.property_groups import COLOUR, GROUPS_BY_PROPERTY, PropertyGroups
from fetcher.web.reading.css.rules import Rule
from fetcher.web.reading.css.sheets import Ranked, Sheets
from fetcher.web.reading.css.values.colours import legacy_colour
from fetcher.web.reading.css.values.valid_values import WIDE
from fetcher.web.reading.extract.hidden.concealment import groups_concealing
from fetcher.web.reading.extract.page import Page

_STANDARD = re.compile(
    rb"(?i)<!doctype\s++html\s*+(?:>|system|public[^>]*+xhtml 1|public[^>]*+4\.01[^>]*+http:)"
)
_SPECIAL = re.compile(r"[\"'\\/(\[]")
_VARIABLE = re.compile(r"var\(\s*+(--[^\s,()]++)", re.IGNORECASE)
_ALIAS = re.compile(r"\s*+var\(\s*+(--[^\s,()]++)\s*+\)\s*+", re.IGNORECASE)
_MOST_VALUES = 20
"""Values of a variable that are tried; with more, a rule is taken to hide."""
_MOST_ALIASES = 100
"""Variables through which the values of one are looked for."""
_EMPTY = Block({}, {})
_SETTING = ("style", "bgcolor", "color", "text", "background")
"""The attributes that declare something."""


class Cascade:
    """The styles of a page; each style and each rule is read once."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._tree = page.tree
        folds = not _STANDARD.search(page.html, 0, 2048)
        self.elements = Elements(page.tree, folds=folds)
        self.sheets = Sheets(page.tree.styles, self.elements) if page.tree.styles else None
        self._by_key: dict[str, list[int]] = {}
        self._plain: dict[str, str] = {}
        self._blocks: dict[str, Block] = {}
        self._variables: dict[str, dict[int, str | None]] = {}
        """The value of each variable at some elements."""
        self._setters: dict[str, Container[int]] = {}
        self._merged: dict[tuple[object, ...], tuple[Declarations, bool]] = {}
        """What is declared for elements of one sort, and whether there are variables in it."""

    def style_may_hide(self, style: str) -> bool:
        """Whether a style alone may hide an element, its colours aside."""
        return may_hide(lowered(self.plain_style(style)))

    def plain_style(self, style: str) -> str:
        if not _SPECIAL.search(style):
            return style
        if (known := self._plain.get(style)) is None:
            known = self._plain[style] = plain(style).css
        return known

    def groups_of_style(self, style: str) -> PropertyGroups:
        """The groups in which a style may hide an element, its colours aside."""
        if not self.style_may_hide(style):
            return 0
        block = self._read_style(style)
        return self._groups_hiding(block.normal | block.important)

    def hiding(self) -> list[tuple[Rule, PropertyGroups]]:
        """The rules that may hide an element, and in which groups, colours aside."""
        judged, known = list[tuple[Rule, PropertyGroups]](), dict[str, PropertyGroups]()
        for rule in self.sheets.rules if self.sheets else ():
            if (groups := known.get(rule.css)) is None:
                groups = 0
                if may_hide(rule.lowered):
                    groups = self._groups_hiding(rule.block.normal | rule.block.important)
                known[rule.css] = groups
            if groups:
                judged.append((rule, groups))
        return judged

    def _groups_hiding(self, declared: Declarations) -> PropertyGroups:
        """How declarations hide, with any of the values that their variables have anywhere on the page."""
        found = groups_concealing(declared)
        varying = {
            name: value
            for name, value in declared.items()
            if "var(" in value and GROUPS_BY_PROPERTY.get(name, COLOUR) != COLOUR
        }
        if not varying:
            return found
        names = {name: set(_VARIABLE.findall(value)) for name, value in varying.items()}
        values = {each: self._plain_values_of(each) for used in names.values() for each in used}
        if None in values.values():
            return found | sum({GROUPS_BY_PROPERTY[name] for name in varying})
        most = max((len(known or ()) for known in values.values()), default=0)
        if most > 1 and (most > _MOST_VALUES or any(len(used) > 1 for used in names.values())):
            return found | sum({GROUPS_BY_PROPERTY[name] for name in varying})
        for number in range(most or 1):
            given = {name: known[min(number, len(known) - 1)] for name, known in values.items() if known}
            found |= groups_concealing(resolved(declared, given.get))
        return found

    def values_of(self, name: str) -> list[str]:
        """All values that a variable has anywhere on the page."""
        return list(self._values.get(name, ()))

    def _plain_values_of(self, name: str) -> list[str | None] | None:
        """The values that a variable can have in the end, None for no value.

        It is None where they are made of more than a variable.
        """
        found, asked, waiting = dict[str | None, None](), {name}, [name]
        while waiting:
            for value in self.values_of(waiting.pop()):
                if alias := _ALIAS.fullmatch(value):
                    if alias[1] not in asked:
                        asked.add(alias[1])
                        waiting.append(alias[1])
                elif len(asked) > _MOST_ALIASES or "var(" in value.lower():
                    return None
                else:
                    found[None if value.lower() in WIDE else value] = None
        return list(found)

    def final_values_of(self, name: str) -> list[str]:
        """The same, with the values of other variables of which they are made, as far as these are alone."""
        found, asked, waiting = list[str](), {name}, [name]
        while waiting:
            for value in self.values_of(waiting.pop()):
                found.append(value)
                others = {*_VARIABLE.findall(value)} - asked if len(asked) < _MOST_VALUES else set[str]()
                asked |= others
                waiting += others
        return found

    @cached_property
    def _values(self) -> Mapping[str, dict[str, None]]:
        found: dict[str, dict[str, None]] = {}
        attributes = self._tree.attributes
        styles = {attributes[index]["style"] or "" for index in self._page.with_attribute.get("style", ())}
        blocks = [self._read_style(style) for style in styles if "--" in style]
        blocks += [rule.block for rule in self.sheets.rules if "--" in rule.css] if self.sheets else []
        for block in blocks:
            for name, value in (*block.normal.items(), *block.important.items()):
                if name[:2] == "--":
                    found.setdefault(name, {})[value] = None
        for name, registered in (self.sheets.registered if self.sheets else {}).items():
            found.setdefault(name, {})[registered.initial] = None
        return found

    def matched(
        self, rules: Iterable[tuple[Rule, PropertyGroups]], has_content: Callable[[int], bool]
    ) -> dict[int, PropertyGroups]:
        """The elements with content that some rules fit, and the groups of these rules."""
        elements, found = self.elements, dict[int, PropertyGroups]()
        for rule, groups in rules:
            for selector in filter(None, rule.selectors):
                if not all(name in elements.by_name for name in selector.names()):
                    continue
                named = self._elements_with(key := selector.key)
                elements.count_work(1 + len(named) // 16)
                is_sure = selector.asks_only(key)
                for index in named:
                    known = found.get(index, 0)
                    if known | groups == known or not has_content(index):
                        continue
                    if is_sure or selector.fits(elements, index):
                        found[index] = known | groups
        return found

    def _elements_with(self, key: str) -> Sequence[int]:
        """The elements with a class, an id, an attribute or a tag."""
        if (known := self._by_key.get(key)) is None:
            if key[0] in ".#":
                known = self.elements.named(key)
            elif key[0] == "[":
                known = self._page.with_attribute.get(key[1:], [])
            else:
                known = self._page.blocks if key == "*" else self._tree.named(key)
            self._by_key[key] = known
        return known

    def declared(self, index: int, groups: PropertyGroups) -> Declarations:
        """What holds for an element in the end, in some groups."""
        rules = self.sheets.matching(index, groups) if self.sheets else []
        here = self._tree.attributes[index]
        set_here = [here.get(name) for name in _SETTING] if here else ()
        like = (groups, *set_here, *[rule for _, rule in rules])
        if (known := self._merged.get(like)) is None:
            merged = self._merge(index, rules, groups)
            known = self._merged[like] = merged, any("var(" in value for value in merged.values())
        declared, varies = known
        return resolved(declared, lambda name: self._variable(index, name)) if varies else declared

    def _merge(self, index: int, rules: list[Ranked], groups: PropertyGroups) -> Declarations:
        """The declarations of all rules for an element and its own, the stronger instead of the weaker."""
        own, here = self._own_block(index), self._tree.attributes[index]
        declared: dict[str, str] = {}
        # Attributes are as strong as the weakest rule.
        for name, value in (("background-color", "bgcolor"), ("color", "color"), ("color", "text")):
            if name not in declared and (given := here.get(value)):
                declared[name] = legacy_colour(given)
        if here.get("background"):
            declared["background-image"] = "url()"
        important: list[Ranked] = []
        for ranked in rules:
            declared |= ranked[1].block.normal
            if ranked[1].block.important:
                important.append(ranked)
        declared |= own.normal
        if self.sheets and self.sheets.last_frames:
            every = {name: value for _, rule in important for name, value in rule.block.important.items()}
            declared |= final_frame(declared | every | own.important, self.sheets.last_frames)
        if len(important) > 1:  # those of earlier layers are stronger than those of later ones
            important.sort(key=lambda each: (-each[0][0], *each[0][1:]))
        for _, rule in important:
            declared |= rule.block.important
        declared |= own.important
        return {name: value for name, value in declared.items() if GROUPS_BY_PROPERTY.get(name, 0) & groups}

    def _own_block(self, index: int) -> Block:
        style = self._tree.attributes[index].get("style")
        return self._read_style(style) if style else _EMPTY

    def _read_style(self, style: str) -> Block:
        if (known := self._blocks.get(style)) is None:
            known = self._blocks[style] = read_block(self.plain_style(style))
        return known

    def _variable(self, index: int, name: str) -> str | None:
        """The value of a variable at an element: its own, or that of the nearest one around it."""
        known = self._variables.setdefault(name, {})
        if index in known:
            return known[index]
        at, found, setting = index, None, self._may_set(name)
        passed: list[int] = []
        registered = self.sheets.registered.get(name) if self.sheets else None
        inherits = registered is None or registered.inherits
        while at >= 0:
            if at in known:
                found = known[at]
                break
            passed.append(at)
            found = self._own_variable(at, name) if at in setting else None
            word = found.strip().lower() if found else "inherit"
            if word == "initial":
                found = None
            if word not in WIDE or word == "initial" or (found is None and not inherits):
                break
            found, at = None, self._tree.parents[at]
        self.elements.count_work(len(passed))
        if found is None and registered:
            found = registered.initial
        known |= dict.fromkeys(passed, found)
        return found

    def _may_set(self, name: str) -> Container[int]:
        """The elements at which a rule or their own style may give a variable a value."""
        if (known := self._setters.get(name)) is None:
            keys = self.sheets.keys_setting(name) if self.sheets else ()
            if "*" in keys:
                known = range(len(self._tree.tags))
            else:
                known = set(self._styled_with_variable.get(name, ())).union(*map(self._elements_with, keys))
                self.elements.count_work(len(known) // 16)
            self._setters[name] = known
        return known

    @cached_property
    def _styled_with_variable(self) -> Mapping[str, list[int]]:
        """The elements whose own style gives a variable a value, by its name."""
        found = defaultdict[str, list[int]](list)
        for index in self._page.with_attribute.get("style", ()):
            if "--" in (self._tree.attributes[index]["style"] or ""):
                own = self._own_block(index)
                for name in {*own.normal, *own.important}:
                    found[name].append(index)
        return found

    def _own_variable(self, index: int, name: str) -> str | None:
        own = self._own_block(index)
        if name in own.important:
            return own.important[name]
        rules = self.sheets.setting(name, index) if self.sheets else []
        found = own.normal.get(name)
        if name not in own.normal:
            for _, rule in rules:
                found = rule.block.normal.get(name, found)
        for _, rule in rules:
            found = rule.block.important.get(name, found)
        return found
