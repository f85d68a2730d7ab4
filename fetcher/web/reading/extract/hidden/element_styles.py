"""How the elements of a page look by its own styles, as far as that decides whether they are seen."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from fetcher.web.reading.css.colours import WHITE, Colour, background, colour, text_colour
from fetcher.web.reading.css.declarations import Declarations
from fetcher.web.reading.css.property_groups import COLOUR, INDENT, LAYOUT, SIZE, VISIBILITY, PropertyGroups
from fetcher.web.reading.extract.hidden.cascade import Cascade
from fetcher.web.reading.extract.hidden.concealment import (
    CLOSED,
    FAINT,
    GONE,
    INDENTED,
    INHERITED,
    INVISIBLE,
    NONE,
    PAIRED,
    TINY,
    Concealment,
    concealment,
    font_size,
    opacity,
)
from fetcher.web.reading.extract.hidden.similar_colours import ColourComparison
from fetcher.web.reading.extract.page import Page

_CLOSED_BY = frozenset({"hidden", "popover"})
_COLOURED_BY = frozenset({"color", "bgcolor", "text"})
_TELLING = _CLOSED_BY | _COLOURED_BY | {"style"}
_INHERITED = {TINY: SIZE, INDENTED: INDENT, INVISIBLE: VISIBILITY}
_RELATIVE = re.compile(r"\d(?:em|%|ex|ch|lh|ic|cap)\b|larger|smaller|inherit|unset|\(")
_LEGIBLE = 5
"""Pixels of a text that is shown again inside of one without size."""
_BLACK = colour("black")
_OF_BROWSERS: dict[str, tuple[Colour | None, Colour | None]] = {
    "a": (colour("#0000ee"), None),
    "mark": (_BLACK, colour("yellow")),
    **dict.fromkeys(("button", "select"), (_BLACK, colour("#efefef"))),
    **dict.fromkeys(("textarea", "input"), (_BLACK, WHITE)),
}
"""The colours of text and of what is behind it that some elements have by themselves."""
UNSHOWN = frozenset({"datalist", "meter", "progress"})
"""Elements whose content is for browsers that do not know them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementStyle:
    """What an element's styles say about being seen."""

    concealed: Concealment = NONE
    shows: Concealment = NONE
    """What an element around it may have concealed, and it does not."""
    opacity: float = 1
    colour: Colour | None = None
    behind: Colour | None = None

    def hides(self) -> bool:
        """Whether it hides, its colours aside, alone or together with what is around it."""
        return bool(self.concealed) or self.opacity < PAIRED

    def opened(self) -> "ElementStyle":
        """The same after a click: what is closed is transparent and invisible, too, until it opens."""
        return replace(self, concealed=self.concealed & ~(CLOSED | FAINT | INVISIBLE), opacity=1)


class ElementStyles:
    """Looks at the elements of a page; each style and each combination of rules is read once."""

    def __init__(self, page: Page, may_open: Callable[[int], bool]) -> None:
        self._page = page
        self._may_open = may_open
        self._tree = page.tree
        self._has_all_styles = not page.tree.links_sheets
        self._cascade = Cascade(page)
        self._groups: dict[int, PropertyGroups] = {}
        """The elements that are judged, and in which groups."""
        self._known: dict[int, ElementStyle] = {}
        self._looks: dict[tuple[tuple[str, str], ...], ElementStyle] = {}
        self.ground: Colour | None = WHITE if self._has_all_styles else None
        """The colour behind the page, where no external style sheet may set it."""
        self.ink: Colour | None = _BLACK if self._has_all_styles else None
        """The colour of text by itself."""

    def worth_judging(self) -> list[int]:
        """The elements that hide something, and what is in them where it can show again, in order."""
        tree, cascade = self._tree, self._cascade
        styled = self._page.with_any(_TELLING)
        styles = {style for at in styled if (style := tree.attributes[at].get("style"))}
        pale_styles, pale_rules = ColourComparison(cascade, has_all_styles=self._has_all_styles).compared(
            styles
        )
        concealing = {style: cascade.groups_of_style(style) for style in styles}
        groups = cascade.matched(
            [*cascade.hiding(), *((rule, COLOUR) for rule in pale_rules)], self._is_of_interest
        )
        for at in styled:
            style = tree.attributes[at].get("style") or ""
            own = concealing.get(style, 0) | (COLOUR if style in pale_styles else 0) | self._by_attributes(at)
            if own:
                groups[at] = groups.get(at, 0) | own
        for at in tree.named("dialog"):
            groups[at] = groups.get(at, 0) | LAYOUT
        for tag in UNSHOWN:
            groups |= {at: groups.get(at, 0) for at in tree.named(tag)}
        self._groups = groups
        hiding = self._hiding()
        groups = self._groups
        inherited = sum(
            {_INHERITED[how] for at in hiding for how in _INHERITED if self.of(at).concealed & how}
        )
        if inherited:
            self._look_again(
                self._insides(at for at in hiding if self.of(at).concealed & INHERITED), inherited
            )
        coloured = [at for at in groups if groups[at] & COLOUR and (self.of(at).colour or self.of(at).behind)]
        self._look_again(self._behind(coloured), COLOUR)
        return sorted(self._groups) if hiding or coloured else []

    def _hiding(self) -> list[int]:
        """The elements that hide something; those in others that are hidden as a whole are not looked at."""
        found, kept, reached = list[int](), dict[int, PropertyGroups](), 0
        root, ends = self._page.root, self._tree.ends
        for index in sorted(self._groups):
            if index < reached:
                continue
            kept[index] = self._groups[index]
            look = self.of(index)
            if look.hides():
                found.append(index)
                is_whole = look.concealed & GONE or (look.concealed & CLOSED and not self._may_open(index))
                if is_whole and not index <= root < ends[index]:
                    reached = ends[index]
        self._groups = kept
        return found

    def inside(self, colourless: list[int]) -> list[int]:
        """The elements that are worth judging once it is known whose text has no colour, in order."""
        self._look_again(self._insides(colourless), COLOUR)
        return sorted(self._groups)

    def _look_again(self, indices: Iterable[int], groups: PropertyGroups) -> None:
        """Has elements judged in more groups."""
        for index in indices:
            known = self._groups.get(index)
            if known is None or known | groups != known:
                self._groups[index] = (known or 0) | groups
                self._known.pop(index, None)

    def _by_attributes(self, index: int) -> PropertyGroups:
        here = self._tree.attributes[index]
        found = 0 if _CLOSED_BY.isdisjoint(here) else LAYOUT
        return found if _COLOURED_BY.isdisjoint(here) or not self._has_all_styles else found | COLOUR

    def _is_of_interest(self, index: int) -> bool:
        """Whether an element has text or a picture, or may speak by its name or value, as in tables."""
        end, sums = self._tree.ends[index], self._page.features.weight_sums
        if sums[end] > sums[index] or self._page.in_data[index]:
            return True
        pictures = self._pictures
        return bisect_left(pictures, index) < bisect_left(pictures, end)

    @cached_property
    def _pictures(self) -> list[int]:
        return sorted((*self._tree.named("img"), *self._tree.named("svg"), *self._tree.named("input")))

    def _insides(self, hiding: Iterable[int]) -> set[int]:
        """The elements in those whose concealment can be undone."""
        inside, reached, blocks = set[int](), 0, self._page.blocks
        for index in sorted(hiding):
            if index >= reached:
                reached = self._tree.ends[index]
                inside.update(blocks[bisect_right(blocks, index) : bisect_left(blocks, reached)])
        return inside

    def _behind(self, coloured: Iterable[int]) -> set[int]:
        """The elements around texts whose colours are compared."""
        around, parents = set[int](), self._tree.parents
        for index in coloured:
            above = parents[index]
            while above >= 0 and above not in around:
                around.add(above)
                above = parents[above]
        return around

    def of(self, index: int) -> ElementStyle:
        if (look := self._known.get(index)) is None:
            look = self._known[index] = self._look(index)
        return look

    def _look(self, index: int) -> ElementStyle:
        declared = self._cascade.declared(index, self._groups.get(index, 0))
        key = tuple(declared.items())
        if (look := self._looks.get(key)) is None:
            look = self._looks[key] = _look_of(declared)
        here, tag = self._tree.attributes[index], self._tree.tags[index]
        is_closed = not _CLOSED_BY.isdisjoint(here) or (tag == "dialog" and "open" not in here)
        if is_closed and "display" not in declared:
            look = replace(look, concealed=look.concealed | CLOSED)
        if tag in UNSHOWN:
            look = replace(look, concealed=look.concealed | GONE)
        if tag in _OF_BROWSERS and self._has_all_styles and (tag != "a" or "href" in here):
            ink, ground = _OF_BROWSERS[tag]
            look = replace(look, colour=look.colour or ink, behind=look.behind or ground)
        return look


def _look_of(declared: Declarations) -> ElementStyle:
    size = font_size(declared)
    shows = NONE
    if size is not None and size >= _LEGIBLE and not _RELATIVE.search(declared["font-size"]):
        shows |= TINY
    if "text-indent" in declared:
        shows |= INDENTED
    if declared.get("visibility") in ("visible", "initial"):
        shows |= INVISIBLE
    return ElementStyle(
        concealed=concealment(declared),
        shows=shows,
        opacity=opacity(declared),
        colour=text_colour(declared),
        behind=background(declared),
    )
