"""The rules of a page's own `<style>` elements that may hide something.

This is not a browser. Selectors of tags, classes, ids, attributes and of elements around them are
understood, other ones never match; what external style sheets say is not known. Most rules hide nothing,
and most that do are for parts that a page does not have: first the text is searched for declarations that
hide, then the few rules with them are read, and all others about the same properties only where one of
the few fits an element. Everything is linear in the style sheets.
"""

import re
from bisect import bisect_right
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from fetcher.web.extract.colours import CLEAR, background, look_the_same, text_colour
from fetcher.web.extract.concealment import concealment
from fetcher.web.extract.styles import Block, plain, read_block, resolved
from fetcher.web.tree import Tree

MAX_CSS = 1024 * 1024
"""Characters of style sheets that are read."""
MAX_SELECTORS = 20_000
MAX_WORDS = 8
MAX_ANCESTORS = 64
"""How far up the ancestors of an element are compared with a selector."""
MAX_CANDIDATES = 200
MAX_WORK = 1_500_000
"""How often elements of a page may be compared with parts of selectors: about a second."""
"""Rules that are compared with one element."""
MAX_LIST = 2_000
"""Selectors of one rule that are read."""
MAX_RULES_ABOUT = 500
"""Rules about one class, id or tag that are read."""
_ENDS_OF_SELECTORS = frozenset({b"{", b","})
_ENDS_OF_NAMES = frozenset(bytes([byte]) for byte in b"{,.#[>:+~*")

_COMMENT = re.compile(rb"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)")
_STRING = re.compile(r"""["'][^"'\n]*+["']""")
_HIDES = re.compile(
    rb""":(?:
    0(?: (?<=acity:0) | (?<=size:0)(?!\.?[1-9]) | (?<=font:0) | (?<=eight:0) | (?<=width:0) | (?<=scale:0)
      | (?<=rgin:0)[\da-z.%]*+-\d{3} )
    | \.(?: (?<=acity:\.)0 | (?<=size:\.)[0-2] )
    | [12](?: (?<=size:[12])p | (?<=eight:1)px[;}!] | (?<=width:1)px[;}!] )
    | -(?: (?<=[tpnm]:-)\d{2} )
    | [hc](?: (?<=ility:[hc]) | (?<=path:c) )
    | n(?<=splay:n)one
    | t(?: (?<=r:t)ransparent | (?<=form:t)ranslate[^;}]{0,30}?-\d{3} )
    | r(?: (?<=clip:r)ect | (?<=color:r)gba\([\d.,%]++,0?\.?0\d?\) )
    | i(?<=path:i)nset | e(?<=path:e) | p(?<=path:p)
    | s(?<=form:s)cale[\w]*+\(0 | m(?<=form:m)atrix
    | \#(?<=color:\#)(?:[\da-f]{3}0[;}!]|[\da-f]{6}0)
    | v(?<=(?:acity|-size|ility|splay|ndent|color):v)
    )""",
    re.VERBOSE,
)
"""Declarations, in lower case and without white space, that may hide something."""
_TWO_COLOURS = (
    re.compile(rb"color:(?<=[{;]color:)[^;}]{3,40}+;(?:[^;}]{0,80}+;){0,8}?background(?:-color)?+:"),
    re.compile(rb"background(?:-color)?+:[^;}]{3,60}+;(?:[^;}]{0,80}+;){0,8}?color:(?<=;color:)"),
)
"""Text with a colour, and another behind it: they may be the same."""
_PALE = re.compile(rb"color:(?<=[{;]color:)(?:\#[ef]|white|snow|ivory|rgb|hsl|var)")
_VARIABLE = re.compile(rb"(?<![\w-])(--[\w-]++):([^;}]{1,100}+)")
_CONDITION = re.compile(rb"@(?:media|keyframes|-webkit-keyframes|font-face|page)[^{};]{0,500}+\{")

_PART = re.compile(r"[.#][\w-]++|\[[^\[\]]*+\]|:root")
_SIMPLE = re.compile(r"([\w-]++|\*)?+((?:[.#][\w-]++|\[[^\[\]]*+\]|:root)*+)")
_NO_NAMES: frozenset[str] = frozenset()
_ATTRIBUTE = re.compile(r"""\[\s*+([\w-]++)\s*+(?:([~^$*|]?=)\s*+["']?([^"'\]]*+)["']?\s*+)?i?\s*+\]""")
_BRACKET = re.compile(rb"[{}]")
_NARROW = re.compile(r"\(\s*+max-(?:device-)?width\s*+:\s*+([\d.]++)(px|em|rem)")
_WIDE = re.compile(r"\(\s*+min-(?:device-)?width\s*+:\s*+([\d.]++)(px|em|rem)")
_OTHER_MEDIA = re.compile(
    r"@medianot|(?:print|speech|aural|braille|tty|portrait)|prefers-(?:reduced|contrast)[^)]*+:\s*+(?:reduce|more|less)"
    r"|prefers-color-scheme\s*+:\s*+dark|forced-colors\s*+:\s*+active|hover\s*+:\s*+none"
)
SCREEN_WIDTH = 1280


class Compound(NamedTuple):
    """A simple selector: what one element must be."""

    tag: str
    ids: frozenset[str]
    classes: frozenset[str]
    attributes: tuple[str, ...]

    @property
    def key(self) -> str:
        """The part that tells most."""
        for sign, names in (("#", self.ids), (".", self.classes)):
            if names:
                return sign + next(iter(names))
        return self.tag

    def fits(self, tree: Tree, index: int) -> bool:
        here = tree.attributes[index]
        if self.tag not in ("*", tree.tags[index]):
            return False
        if self.classes and not self.classes.issubset((here.get("class") or "").lower().split()):
            return False
        if self.ids and not self.ids.issubset(((here.get("id") or "").lower(),)):
            return False
        return all(_has_attribute(here, part) for part in self.attributes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    last: Compound
    """What an element must be itself."""
    above: tuple[tuple[Compound, bool], ...]
    """What those around it must be, from the outside, and whether each stands directly around the next."""
    block: Block
    rank: tuple[int, int]
    """Its specificity, then its place."""

    def fits(self, tree: Tree, index: int) -> tuple[bool, int]:
        """Whether an element and those around it fit, and how many had to be looked at."""
        if not self.last.fits(tree, index):
            return False, 1
        missing = len(self.above)
        for looked_at in range(1, MAX_ANCESTORS + 1):
            if not missing:
                return True, looked_at
            index = tree.parents[index]
            if index < 0:
                return False, looked_at
            compound, directly = self.above[missing - 1]
            if compound.fits(tree, index):
                missing -= 1
            elif directly:
                return False, looked_at
        return False, MAX_ANCESTORS


def _end_of_block(css: bytes, at: int) -> int:
    """Where the bracket stands that closes the block in which a place is; the end where none does."""
    depth = 1
    for bracket in _BRACKET.finditer(css, at):
        depth += 1 if bracket[0] == b"{" else -1
        if not depth:
            return bracket.start()
    return len(css)


class Sheets:
    """All `<style>` elements of a page as one text."""

    def __init__(self, texts: list[str]) -> None:
        css = "\n".join(texts)[:MAX_CSS].encode(errors="replace").lower()
        if b"/*" in css:
            css = _COMMENT.sub(b" ", css)
        if b"\\" in css:
            css = plain(css.decode()).encode()
        self._css = css
        self._compact = css.translate(None, b" \t\n\r\f")
        self._by_key: dict[str, list[Rule]] = {}
        self._by_likeness: dict[tuple[str, str | None, str | None], list[Rule]] = {}
        self._rules: dict[int, list[Rule]] = {}
        self._room = MAX_SELECTORS

    def hiding(self, names: Container[str], *, pale: bool) -> list[Rule]:
        """The rules that hide parts of a page; with `pale`, those too that make text pale.

        `names` are the classes with a dot, the ids with a `#`, the attributes with a `[` and the tags of
        what may be hidden.
        """
        places = [found.start() for found in _HIDES.finditer(self._compact)]
        for colours in (*_TWO_COLOURS, _PALE) if pale else _TWO_COLOURS:
            places += [found.start() for found in colours.finditer(self._compact)]
        compact, reached, number, rules = self._compact, 0, 0, list[Rule]()
        for place in sorted(places):
            opening = compact.rfind(b"{", reached, place)
            if opening < 0:  # in a block that has been looked at
                continue
            number += compact.count(b"}", reached, place)
            reached = place
            if _may_fit(self._selectors(number), names):
                found = self._rules_of(number)
                if found and self._hides(found[0].block, pale=pale):
                    rules += found
        return rules

    def matching(self, tree: Tree, index: int) -> list[Rule]:
        """All rules that fit an element, the weakest first."""
        here = tree.attributes[index]
        alike = (tree.tags[index], here.get("class"), here.get("id"))
        if (candidates := self._by_likeness.get(alike)) is None:
            keys = [f".{name}" for name in (alike[1] or "").lower().split()]
            keys += [f"#{alike[2].lower()}"] if alike[2] else []
            found = [rule for key in dict.fromkeys((*keys, alike[0])) for rule in self._rules_about(key)]
            candidates = self._by_likeness[alike] = sorted(found[-MAX_CANDIDATES:], key=attrgetter("rank"))
        return [rule for rule in candidates if rule.fits(tree, index)]

    def rules_for_tag(self, tag: str) -> list[Rule]:
        """The rules for all elements of a tag."""
        return [rule for rule in self._rules_about(tag) if not (rule.above or rule.last.attributes)]

    def _rules_about(self, key: str) -> list[Rule]:
        """The rules whose last compound is about a class, an id or a tag."""
        if (rules := self._by_key.get(key)) is None:
            numbers = self._segments_naming(key.encode())
            found = (rule for number in numbers for rule in self._rules_of(number))
            rules = self._by_key[key] = [rule for rule in found if rule.last.key == key]
        return rules

    def _segments_naming(self, key: bytes) -> list[int]:
        compact, found = self._compact, dict[int, None]()
        ends = _ENDS_OF_NAMES if key[:1] in b".#" else _ENDS_OF_SELECTORS
        for form in [key] if key[:1] in b".#" else [b"}" + key, b"," + key]:
            at, reached, number = compact.find(form), 0, 0
            while at >= 0 and len(found) < MAX_RULES_ABOUT:
                number += compact.count(b"}", reached, at + 1)
                reached = at + 1
                if compact[at + len(form) : at + len(form) + 1] in ends:
                    found[number] = None
                at = compact.find(form, reached)
        return list(found)

    @cached_property
    def variables(self) -> Mapping[str, str]:
        found = _VARIABLE.findall(self._compact) if b"--" in self._compact else []
        return {name.decode(): value.decode(errors="replace") for name, value in found}

    @cached_property
    def _segments(self) -> list[bytes]:
        return self._css.split(b"}")

    @cached_property
    def _idle(self) -> list[tuple[int, int]]:
        """The segments in conditions that do not hold, from the first to the one after the last."""
        compact, found, reached, number = self._compact, list[tuple[int, int]](), 0, 0
        at = 0
        while condition := _CONDITION.search(compact, at):
            at = condition.end()
            if not _holds(condition[0].decode(errors="replace")):
                end = _end_of_block(compact, at)
                number += compact.count(b"}", reached, at)
                first, reached = number, at
                number += compact.count(b"}", reached, end)
                found.append((first, number + 1))
                reached = at = end
        return found

    def _selectors(self, number: int) -> str:
        """What stands before a block."""
        segment = self._segments[number]
        end = max(segment.rfind(b"{"), 0)
        start = max(segment.rfind(b"{", 0, end), segment.rfind(b";", 0, end)) + 1
        return segment[start:end].decode(errors="replace")

    def _rules_of(self, number: int) -> list[Rule]:
        """The rules that one block makes."""
        if (rules := self._rules.get(number)) is not None:
            return rules
        rules = self._rules[number] = []
        before = bisect_right(self._idle, (number, len(self._segments)))
        if before and number < self._idle[before - 1][1]:
            return rules
        segment = self._segments[number]
        block = read_block(segment[segment.rfind(b"{") + 1 :].decode(errors="replace"))
        for selector in self._selectors(number).split(",", MAX_LIST)[: min(self._room, MAX_LIST)]:
            self._room -= 1
            if rule := _rule(selector, block, number):
                rules.append(rule)
        return rules

    def _hides(self, block: Block, *, pale: bool) -> bool:
        declared = resolved(block.normal | block.important, self.variables)
        colour = text_colour(declared)
        return bool(
            concealment(declared)
            or colour == CLEAR
            or (colour and (pale or look_the_same(colour, background(declared) or CLEAR)))
        )


def _may_fit(selectors: str, names: Container[str]) -> bool:
    """Whether one of the selectors ends with a class, an id, an attribute or a tag that the page has."""
    for selector in selectors.split(",", MAX_LIST):
        word = selector.rstrip()
        word = word[word.rfind(" ") + 1 :]
        at = max(word.rfind("."), word.rfind("#"), word.rfind("["), word.rfind(":"))
        if at < 0:
            if word.lstrip(">+~\n\t\r") in names or word == "*":
                return True
        elif word[at] == ":":
            if word.endswith(":root"):
                return True
        elif word[at] == "[":
            if (found := _ATTRIBUTE.fullmatch(word, at)) and f"[{found[1]}" in names:
                return True
        elif word[at:] in names:
            return True
    return False


def _holds(condition: str) -> bool:
    """Whether a condition holds on a large screen, as far as that is known."""
    return condition.startswith("@media") and any(map(_holds_one, condition.split(",")))


def _holds_one(query: str) -> bool:
    if _OTHER_MEDIA.search(query):
        return False
    narrow, wide = _NARROW.search(query), _WIDE.search(query)
    return not (narrow and _width(narrow) < SCREEN_WIDTH) and not (wide and _width(wide) > SCREEN_WIDTH)


def _width(found: re.Match[str]) -> float:
    try:
        return float(found[1]) * (1 if found[2] == "px" else 16)
    except ValueError:
        return 0


def _rule(selector: str, block: Block, number: int) -> Rule | None:
    """The rule that a selector makes, if it is understood."""
    words = selector.replace(">", " > ").split()
    if not 0 < len(words) <= MAX_WORDS or not (last := _compound(words[-1])):
        return None
    above, directly = list[tuple[Compound, bool]](), False
    for word in reversed(words[:-1]):
        if word == ">":
            directly = True
        elif compound := _compound(word):
            above.append((compound, directly))
            directly = False
        else:
            return None
    parts = [last, *(compound for compound, _ in above)]
    weight = sum(
        10_000 * len(part.ids) + 100 * (len(part.classes) + len(part.attributes)) + (part.tag != "*")
        for part in parts
    )
    return Rule(last=last, above=tuple(reversed(above)), block=block, rank=(weight, number))


def _compound(word: str) -> Compound | None:
    found = _SIMPLE.fullmatch(word)
    if found is None:
        return None
    tag, rest = found[1] or "*", found[2]
    if not rest:
        return Compound(tag, _NO_NAMES, _NO_NAMES, ())
    parts = _PART.findall(rest)
    return Compound(
        "html" if ":root" in parts else tag,
        frozenset(part[1:] for part in parts if part[0] == "#"),
        frozenset(part[1:] for part in parts if part[0] == "."),
        tuple(part for part in parts if part[0] == "["),
    )


def _has_attribute(attributes: Mapping[str, str | None], part: str) -> bool:
    found = _ATTRIBUTE.fullmatch(part)
    if not found or found[1] not in attributes:
        return False
    value, wanted = (attributes[found[1]] or "").lower(), found[3]
    match found[2]:
        case None:
            return True
        case "=":
            return value == wanted
        case "~=":
            return wanted in value.split()
        case "^=":
            return bool(wanted) and value.startswith(wanted)
        case "$=":
            return bool(wanted) and value.endswith(wanted)
        case "*=":
            return bool(wanted) and wanted in value
        case _:
            return value == wanted or value.startswith(f"{wanted}-")
