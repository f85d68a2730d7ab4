"""Cuts style sheets into rules, and keeps those that some element of the page may fit.

Most rules of a page are for parts that it does not have: the names in their selectors tell that, without
parsing them. Everything is linear in the style sheets.
"""

import re
from functools import cached_property
from typing import NamedTuple

from fetcher.web.errors import ExtractionFailed
from fetcher.web.reading.css.declarations import Block
from fetcher.web.reading.css.elements import Elements
from fetcher.web.reading.css.media_queries import container_holds, media_hold, supports_hold
from fetcher.web.reading.css.plain_text import lowered, name, plain
from fetcher.web.reading.css.rules import Rule
from fetcher.web.reading.css.selector_parser import LONGEST, split

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
    r":(?:checked|target|hover|focus(?>-within|-visible)?+|open|popover-open|active)(?![\w-])"
    r"|\[(?:open|aria-expanded|aria-selected)[^\]]*+\]"
)
"""What holds for an element once a person touches the page."""
_SHOWING = re.compile(
    r"(?:\A|[;\s])(?:display\s*+:\s*+(?!none|var)|visibility\s*+:\s*+visible"
    r"|(?:max-)?height\s*+:\s*+(?!0(?:[a-z]++|%)?+\s*+(?:[;!]|\Z)))"
)
_LAST_FRAME = re.compile(r"(?i)(?:\A|[\s,])(?:to|100%)(?=[\s,]|\Z)")
_CONDITIONS = {"media": media_hold, "supports": supports_hold, "container": container_holds}
_ANY = ":not(._)"
_SPACES = re.compile(r"\s++")


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


class SheetReader:
    def __init__(self, texts: list[str], elements: Elements) -> None:
        self.rules: list[Rule] = []
        self.showing: list[Rule] = []
        """The rules that show elements once a person touches the page, without this condition."""
        self._last_frames: dict[str, list[str]] = {}
        self._elements = elements
        self._names = frozenset(elements.by_name)
        self._tags = frozenset(elements.tree.tags)
        self.registered: dict[str, Registered] = {}
        """The variables that `@property` gives an initial value."""
        self._blocks: dict[str, Block] = {}
        self._layers: dict[str, int] = {}
        self._conditions: dict[tuple[str, str], bool] = {}
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
                is_idle = not (around.holds or around.animation or broken or "@" in prelude)
                if is_idle or len(open_) >= _DEEPEST:
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
        bare, keys = prelude, None
        if "(" in prelude or "[" in prelude:
            bare = _ATTRIBUTE.sub("[]", _IN_BRACKETS.sub("", _IN_BRACKETS.sub("", prelude)))
        if "(" not in bare:
            keys = [self._key(one) for one in bare.split(",")] if "," in bare else [self._key(bare)]
            if keys.count(None) == len(keys):
                return
        small, folds = lowered(css), self._elements.folds
        if (":" in prelude or "[" in prelude) and _TOUCHED.search(prelude) and _SHOWING.search(small):
            touched = ",".join(_TOUCHED.sub(_ANY, one) for one in split(prelude) if _TOUCHED.search(one))
            self.showing.append(Rule(touched, css, small, strings, 0, 0, folds, None, self._blocks))
        if keys is None or any(keys):
            place = len(self.rules)
            self.rules.append(Rule(prelude, css, small, strings, layer, place, folds, keys, self._blocks))

    def _key(self, selector: str) -> str | None:
        """A class, an id or a tag that an element must have to fit a selector without its arguments.

        None where the page has no element with one of its names; empty where no element can fit for another
        reason, and `?` where the selector must be parsed to know.
        """
        names = _NAME.findall(selector)
        if names:
            if not selector.isascii():
                names = [
                    each if each.isascii() else f"{each[0]}{self._elements.folded(name(each[1:]))}"
                    for each in names
                ]
            if not self._names.issuperset(names):
                return None
        if ":" in selector and _NEVER.search(selector):
            return ""
        if not _IS_SIMPLE.fullmatch(selector):
            return "?"
        last = _COMBINATOR.split(selector.strip())[-1]
        if "." in last or "#" in last:
            return names[-1] if names else "?"
        if last.startswith(":root"):
            return "html"
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
            selectors = prelude
            if outer.selectors:
                inside = f":is({_SPACES.sub(' ', outer.selectors.strip())})"
                selectors = ",".join(
                    part.replace("&", inside) if "&" in part else f"{inside} {part.strip()}"
                    for part in prelude.split(",")
                )
                selectors = selectors if len(selectors) <= LONGEST else ""
            return outer._replace(selectors=selectors, holds=outer.holds and bool(selectors))
        name, rest = at_rule[1].lower(), at_rule[2].lower()
        if name == "layer":
            return outer._replace(layer=self._layer(at_rule[2].strip() or f" {len(self._layers)}"))
        if name in ("keyframes", "-webkit-keyframes") and outer.holds and rest.strip():
            self._last_frames.setdefault(rest.strip(), []).append("")
            return outer._replace(holds=False, animation=rest.strip())
        holds = self._conditions.get((name, rest))
        if holds is None:
            holds = self._conditions[name, rest] = name in _CONDITIONS and _CONDITIONS[name](rest)
        return outer._replace(holds=outer.holds and holds)

    def _layer(self, name: str) -> int:
        return self._layers.setdefault(name, len(self._layers))
