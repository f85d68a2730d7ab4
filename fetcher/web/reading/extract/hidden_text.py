"""Text of a page that people cannot see: there pages can hide instructions to a machine.

This is hygiene, not a wall: a linked style sheet hides text from every reader without a browser. Five ways of
hiding count (`display`, `visibility`, `opacity`, `font-size`, a place far off-screen), by the attribute
`hidden`, by an element's own style and by the rules of `<style>`. lexbor says which elements a selector fits;
the strongest declaration wins, by `!important`, specificity and order. Rules inside `@media` and other
conditions do not count. Where there is doubt, text is visible: also what a click seems to show, and what a
script is about to show because hardly any other text is there. A browser marks what it does not show.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from math import comb
from typing import NamedTuple

from fetcher.web.reading.extract.page import PLACES, Page
from fetcher.web.reading.extract.wordlists import REVEALED_WORDS, SWITCHED_BY
from fetcher.web.visibility import MARK, HiddenMark

MAX_WORK = 4_000_000
"""How many comparisons of selectors with elements a page gets: about a second. Later rules do not count."""
LITTLE = 0.34
"""If less than this share of a page's text is visible, the visible part is not the content."""

_DISPLAY, _VISIBILITY, _OPACITY, _SIZE, _PLACE = range(5)
_AWAITED = (_DISPLAY, _VISIBILITY, _OPACITY)
"""The ways in which pages are hidden until a script shows them."""
_INHERITED = (_VISIBILITY, _SIZE)
"""What an element inside can undo."""
_ZERO = r"(?:0+(?:\.0+)?|\.0+)(?:px|r?em|pt|%)?"
_HIDES = (
    re.compile(r"none\b"),
    re.compile(r"(?:hidden|collapse)\b"),
    re.compile(rf"(?:{_ZERO}|0?\.0\d*)$"),
    re.compile(rf"{_ZERO}$"),
    re.compile(r"-(?:\d{4,}|9\d\d)(?:\.\d+)?(?:px)?$|-\d{2,}(?:\.\d+)?r?em$"),
)
"""The values that hide, by the way."""
_PLACES = ("left", "right", "top", "bottom", "text-indent", "margin-left")
_WORDS = (("display",), ("visibility",), ("opacity",), ("font",), _PLACES)
"""What a block of declarations must hold to say something about each way."""
_WAYS = {name: way for way, names in enumerate(_WORDS) for name in names} | {"font-size": _SIZE}
_DECLARED = re.compile(rf"(?:^|(?<=[;\s]))({'|'.join(_WAYS)}|position)\s*:\s*([^;!]*)(!\s*important)?")
_PLACED = ("absolute", "fixed", "relative", "sticky")
_NO_SIZE = re.compile(r"(?:^|\s)0(?:px|em)?(?:/|\s)")
_MAY_HIDE = re.compile(rf":\s*(?:none|hidden|collapse|{_ZERO}\s*(?:[;!/]|$)|0?\.0|-\d{{2}})")

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_NAME = re.compile(r"[.#](?:[\w-]|\\.|[^\x00-\x7f])+")
_ARGUMENTS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_TAG = re.compile(r"(?:^|(?<=[\s>+~]))[a-zA-Z]")
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+")
_SLOW = re.compile(r":(?!not\(\s*[\w.#\[\]=\"'-]+\s*\)|root\b|first-child\b|link\b)")
"""Pseudo-classes that lexbor matches slowly, or that say how a page is touched: all but a few."""
_TOUCH = re.compile(
    r"(?P<alone>(?:^|(?<=[\s>+~])))?:(?:hover|focus(?:-within|-visible)?|active|checked|target)\b|\[open\]"
)
_CONTROLLING = (
    *("aria-controls", "data-target", "data-bs-target", "for", "data-tab", "data-toggle"),
    *("popovertarget", "commandfor"),
)
_OWN = ("hidden", "style", "popover")
_SWITCHED = re.compile(r"data-[\w-]*(?:tab|panel|content|accordion|toggle|collapse|target)\b")
"""Attributes by whose values scripts show one of several parts."""
_STREAMED = ("S:", "B:")
"""How React calls what it sends late, hidden until a script has put it in its place."""


_Strength = tuple[object, ...]
"""Whether it is `!important`, whether it is the element's own, the specificity and the order."""


class _Rule(NamedTuple):
    prelude: str
    block: str


class _Declaration(NamedTuple):
    way: int
    hides: bool
    important: bool


def drop_hidden_text(page: Page) -> None:
    """Takes out what is hidden by attributes, styles and rules, or was found hidden by a browser.

    It judges the whole page, also the parts that are left out already: other readers look there too.
    """
    styles = _Styles(page)
    hidden = [*_marked(page, styles), *styles.hidden()]
    waits = _shows_little_without(page, [at for at, way in hidden if way in _AWAITED])
    for index, way in hidden:
        is_root = index <= page.root < page.tree.ends[index]
        if not is_root and not (waits and way in _AWAITED):
            end = page.tree.ends[index]
            page.tree.texts[index:end] = [""] * (end - index)
            page.skip(index)
            page.closed.append(index)
    page.closed.sort()


def _shows_little_without(page: Page, hidden: list[int]) -> bool:
    """Whether most text of a page, links aside, waits for a script to show it."""
    features, reached, waiting = page.features, 0, 0
    if not hidden:
        return False
    for index in sorted(hidden):
        if index >= reached and page.root <= index < page.tree.ends[page.root]:
            reached = page.tree.ends[index]
            waiting += features.text_in(index) - features.linked_in(index)
    whole = features.text_in(page.root) - features.linked_in(page.root)
    return whole - waiting < LITTLE * whole


def _marked(page: Page, styles: "_Styles") -> Iterator[tuple[int, int]]:
    """What a browser has marked as hidden; what is closed only if no click opens it."""
    tree = page.tree
    for index in page.with_any((MARK,)):
        mark = tree.attributes[index][MARK]
        if mark == HiddenMark.FAINT_TEXT:
            yield from ((child, _OPACITY) for child in tree.children(index) if not tree.tags[child])
        elif mark in (HiddenMark.GONE, HiddenMark.FAINT):
            yield index, _PLACE if mark == HiddenMark.GONE else _OPACITY
        elif mark == HiddenMark.CLOSED and not styles.may_open(index):
            yield index, _DISPLAY


class _Styles:
    """What the styles of a page say about its elements."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._tree = page.tree
        self._rules = list(_read_rules(page.tree.styles))
        self._work = self._depth = 0
        self._counts = Counter[str]()
        """How many elements have each class and id."""
        self._fitted: dict[str, list[int]] = {}
        """The elements that each selector fits, once it was looked for."""
        self._opened: tuple[frozenset[str], frozenset[int]] | None = None
        self._closed: Mapping[int, bool] = {}

    def hidden(self) -> Iterator[tuple[int, int]]:
        """The nodes that are hidden with all that is in them, each with the way."""
        found = [set[int]() for _ in _HIDES]
        for index in (*self._page.with_any(_OWN), *self._tree.named("dialog")):
            for each in self._own_style(index):
                if each.hides:
                    found[each.way].add(index)
        for rule in self._rules:
            if _MAY_HIDE.search(rule.block):
                ways = {each.way for each in _declarations(rule.block) if each.hides}
                fitting = [at for selector in _split(rule.prelude) for at in self._fitting(selector)]
                for way in ways if fitting else ():
                    found[way].update(fitting)
        for way, indices in enumerate(found):
            if indices:
                yield from self._hidden_by(way, self._winners(way, indices))

    def _own_style(self, index: int) -> list[_Declaration]:
        """What an element declares for itself by its attributes; windows are closed until they are opened."""
        here = self._tree.attributes[index]
        declared = _declarations((here.get("style") or "").lower())
        is_hidden = "hidden" in here and here["hidden"] != "until-found"
        is_window = self._tree.tags[index] == "dialog" or "popover" in here
        if is_hidden or (is_window and "open" not in here):
            return [_Declaration(_DISPLAY, True, False), *declared]
        return declared

    def _winners(self, way: int, found: set[int]) -> dict[int, bool]:
        """For each element that something tries to hide, whether the strongest declaration hides it.

        For what is inherited, also for the elements inside.
        """
        tree, judged = self._tree, set(found)
        if way in _INHERITED:
            judged.update(at for index in found for at in range(index, tree.ends[index]))
        strongest: dict[int, tuple[_Strength, bool]] = {}
        for index, strength, hides in (*self._by_rules(way, judged), *self._by_own_style(way, judged)):
            if index not in strongest or strongest[index][0] <= strength:
                strongest[index] = strength, hides
        return {index: hides for index, (_, hides) in sorted(strongest.items())}

    def _by_own_style(self, way: int, judged: set[int]) -> Iterator[tuple[int, _Strength, bool]]:
        for index in judged:
            for each in self._own_style(index):
                if each.way == way:
                    yield index, (each.important, True), each.hides

    def _by_rules(self, way: int, judged: set[int]) -> Iterator[tuple[int, _Strength, bool]]:
        """What rules declare for some elements, each with its strength."""
        tree, words = self._tree, _WORDS[way]
        names = {f"#{tree.attributes[index].get('id')}" for index in judged}
        for classes in {tree.attributes[index].get("class") for index in judged}:
            names.update(f".{name}" for name in (classes or "").split())
        for order, rule in enumerate(self._rules):
            if not any(word in rule.block for word in words):
                continue
            for selector in _split(rule.prelude):
                if names.issuperset(_names_in(_last(_bare(selector)))):
                    fitting = judged.intersection(self._fitting(selector))
                    for each in _declarations(rule.block) if fitting else ():
                        if each.way == way:
                            strength = (each.important, False, _specificity(selector), order)
                            yield from ((index, strength, each.hides) for index in fitting)

    def _hidden_by(self, way: int, winners: dict[int, bool]) -> Iterator[tuple[int, int]]:
        """The outermost hidden elements; for what is inherited, the texts that nothing shows again."""
        tree, reached = self._tree, 0
        shown = [index for index, hides in winners.items() if not hides]
        if way == _DISPLAY:
            self._closed = winners
        for index, hides in winners.items():
            if not hides or index < reached or (way == _DISPLAY and self.may_open(index)):
                continue
            reached = tree.ends[index]
            if way not in _INHERITED or bisect_left(shown, index) == bisect_left(shown, reached):
                yield index, way
                continue
            inside = dict[int, bool]()
            for at in range(index, reached):
                inside[at] = winners.get(at, inside.get(tree.parents[at], hides))
                if inside[at] and not tree.tags[at]:
                    yield at, way

    def _fitting(self, selector: str) -> list[int]:
        """The elements that a selector fits; none if they cannot be found quickly."""
        if (known := self._fitted.get(selector)) is None:
            known = self._fitted[selector] = self._find_fitting(selector)
        return known

    def _find_fitting(self, selector: str) -> list[int]:
        if not self._counts:
            self._count()
        bare, counts = _bare(selector), self._counts
        if not all(name in counts for name in _names_in(bare)) or (
            ":" in selector and _SLOW.search(selector)
        ):
            return []
        # lexbor tries all elements around one, and all before it: the work is a power of their number.
        total, last, signs = len(self._tree.tags), _last(bare), _COMBINATOR.findall(bare)
        names, tag = _names_in(last), last.partition(":")[0].lower()
        fitting = counts[names[-1]] if names else total if tag in ("", "*") else len(self._tree.named(tag))
        tries = fitting * comb(self._depth, min(signs.count(""), 8))
        tries *= total if "~" in signs else 1
        if self._work + total + tries > MAX_WORK:
            return []
        found = self._tree.matching(selector)
        self._work += total + tries + 10 * len(found)
        return found

    def _count(self) -> None:
        tree, depths = self._tree, [0]
        for parent in tree.parents[1:]:
            depths.append(depths[parent] + 1)
        self._depth = max(depths)
        classes = Counter(tree.attributes[index]["class"] for index in tree.with_attribute.get("class", ()))
        for names, count in classes.items():
            for name in (names or "").split():
                self._counts[f".{name}"] += count
        self._counts.update(f"#{tree.attributes[index]['id']}" for index in tree.with_attribute.get("id", ()))

    def may_open(self, index: int) -> bool:
        """Whether a click may show a closed element. Parts of data are always kept in their places."""
        tree, here = self._tree, self._tree.attributes[index]
        id_ = here.get("id") or ""
        if (self._page.in_data[index] and tree.tags[index] in PLACES) or id_.startswith(_STREAMED):
            return True
        names = f"{here.get('class')} {id_} {here.get('role')}".lower()
        if (
            REVEALED_WORDS.search(names)
            or not SWITCHED_BY.isdisjoint(here)
            or any(map(_SWITCHED.match, here))
        ):
            return True
        if self._opened is None:
            self._opened = frozenset(self._targets()), frozenset(self._shown_by_touch())
        targets, shown_by_touch = self._opened
        return id_ in targets or index in shown_by_touch or self._is_one_of_a_row(index)

    def _targets(self) -> Iterator[str]:
        """The ids to which controls and links of the page lead."""
        attributes = self._tree.attributes
        for name in _CONTROLLING:
            for index in self._page.with_attribute.get(name, ()):
                if target := (attributes[index][name] or "").removeprefix("#"):
                    yield target
        for index in self._tree.named("a"):
            href = attributes[index].get("href") or ""
            if href.startswith("#") and len(href) > 1:
                yield href[1:]

    def _shown_by_touch(self) -> Iterator[int]:
        """The elements that a rule shows once a user points at something or ticks it."""
        for rule in self._rules:
            if "display" in rule.block and _TOUCH.search(rule.prelude):
                shows = any(each.way == _DISPLAY and not each.hides for each in _declarations(rule.block))
                for selector in _split(rule.prelude) if shows else ():
                    if _TOUCH.search(selector) and ":not" not in selector:
                        yield from self._fitting(_TOUCH.sub(_untouched, selector))

    def _is_one_of_a_row(self, index: int) -> bool:
        """Whether others of its sort are shown beside it: an entry of a list waits for a click on "more"."""
        tree, sort = self._tree, self._page.sort_of(index)
        if tree.parents[index] < 0 or not (sort[0] == "li" or sort[1]):
            return False
        return any(
            at != index
            and not self._closed.get(at)
            and (self._page.sort_of(at) == sort or sort[0] == tree.tags[at] == "li")
            and self._page.features.text_in(at) > 0
            for at in tree.children(tree.parents[index])
        )


def _read_rules(sheets: list[str]) -> Iterator[_Rule]:
    """The rules of style sheets that no condition is around, in order; their blocks in lower case."""
    for sheet in sheets:
        depth, css = 0, _COMMENT.sub(" ", sheet) if "/*" in sheet else sheet
        for segment in css.split("}"):
            opened = segment.count("{")
            if depth == 0 and opened == 1:
                prelude, _, block = segment.partition("{")
                prelude = prelude.rpartition(";")[2].strip()  # what comes before is an `@import`
                if not prelude.startswith("@"):
                    yield _Rule(prelude, block.lower())
            else:
                depth = max(0, depth + opened - 1)


def _split(prelude: str) -> list[str]:
    """The selectors of a list; a comma in brackets does not part them."""
    if "(" in prelude:
        prelude = _ARGUMENTS.sub(lambda found: found[0].replace(",", "\0"), prelude)
    return [part.replace("\0", ",").strip() for part in prelude.split(",")]


def _bare(selector: str) -> str:
    """A selector without what stands in brackets."""
    return _ARGUMENTS.sub("", selector) if "(" in selector or "[" in selector else selector


def _last(bare: str) -> str:
    """What a selector says about the element itself, not about those around it."""
    return bare[max(map(bare.rfind, " >+~")) + 1 :]


def _names_in(bare: str) -> list[str]:
    """The classes and ids in a selector, as `.name` and `#name`."""
    found = _NAME.findall(bare)
    return [name.replace("\\", "") for name in found] if "\\" in bare else found


def _untouched(touch: re.Match[str]) -> str:
    return "" if touch["alone"] is None else "*"


def _specificity(selector: str) -> tuple[int, int, int]:
    names, tags = _NAME.findall(selector), _TAG.findall(_bare(selector))
    ids = sum(name.startswith("#") for name in names)
    classes = len(names) - ids + selector.count("[") + selector.count(":") - selector.count(":not(")
    return ids, classes, len(tags)


def _declarations(css: str) -> list[_Declaration]:
    """What declarations in lower case say about sight; a place counts as a whole."""
    found, places, is_placed = list[_Declaration](), list[tuple[bool, bool, bool]](), False
    for name, said, important in _DECLARED.findall(css):
        value = said.strip()
        if name == "position":
            is_placed = value.startswith(_PLACED)
        elif name in _PLACES:
            is_far = _HIDES[_PLACE].match(value) is not None
            places.append((is_far, name in ("text-indent", "margin-left"), bool(important)))
        else:
            way = _WAYS[name]
            hides = (_NO_SIZE.search(value) if name == "font" else _HIDES[way].match(value)) is not None
            found.append(_Declaration(way, hides, bool(important)))
    if places:
        hides = any(is_far and (is_placed or is_of_text) for is_far, is_of_text, _ in places)
        found.append(_Declaration(_PLACE, hides, any(important for *_, important in places)))
    return found
