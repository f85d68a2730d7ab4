"""The styles of the elements of a page, as far as they decide whether people see an element."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from fetcher.web.reading.css.declarations import Declarations
from fetcher.web.reading.css.property_groups import COLOUR, INDENT, LAYOUT, SIZE, VISIBILITY, PropertyGroups
from fetcher.web.reading.css.values.colours import UNKNOWN, WHITE, Colour, colour
from fetcher.web.reading.css.values.painted_colours import background, text_colour
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
from fetcher.web.visibility import MARK

_CLOSED_BY = frozenset({"hidden", "popover"})
_COLOURED_BY = frozenset({"color", "bgcolor", "text", "background"})
_STYLED_BY = _CLOSED_BY | _COLOURED_BY | {"style"}
_INHERITED = {TINY: SIZE, INDENTED: INDENT, INVISIBLE: VISIBILITY}
_OFFSETS = frozenset({"left", "right", "top", "bottom"})
_OF_POSITIONED = _OFFSETS | {"clip"}
"""Properties that move or cut an element only where its position is set."""
_RELATIVE = re.compile(r"\d(?:em|%|ex|ch|lh|ic|cap)\b|larger|smaller|inherit|unset|\(")
_LEGIBLE = 5
"""Pixels of a text that is shown again inside of one without size."""
_BLACK = colour("black")
_DEFAULT_COLOURS: dict[str, tuple[Colour | None, Colour | None]] = {
    "a": (colour("#0000ee"), None),
    "mark": (_BLACK, colour("yellow")),
    **dict.fromkeys(("button", "select"), (_BLACK, colour("#efefef"))),
    **dict.fromkeys(("textarea", "input"), (_BLACK, WHITE)),
}
"""The colours of text and background that browsers give to some elements."""
UNSHOWN = frozenset({"datalist"})
"""Elements whose content is for browsers that do not know them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementStyle:
    """What the styles of an element say about being seen."""

    concealed: Concealment = NONE
    shows: Concealment = NONE
    """The ways of concealing by an element around it that this element undoes."""
    opacity: float = 1
    colour: Colour | None = None
    background: Colour | None = None

    def hides(self) -> bool:
        """Whether it hides, without regard to colours, alone or together with elements around it."""
        return bool(self.concealed) or self.opacity < PAIRED

    def opened(self) -> "ElementStyle":
        """The style after a click. Closed parts are often transparent and invisible too until they open."""
        return replace(self, concealed=self.concealed & ~(CLOSED | FAINT | INVISIBLE), opacity=1)


class ElementStyles:
    """Judges the elements of a page; each style and each combination of rules is read once."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._tree = page.tree
        self._has_all_styles = not page.tree.links_sheets
        self._cascade = Cascade(page)
        self._groups: dict[int, PropertyGroups] = {}
        """The elements that are judged, and by which groups of properties."""
        self._fades_page = False
        """Whether the page as a whole is transparent: then any element in it that is judged is so too."""
        self._by_element: dict[int, ElementStyle] = {}
        self._by_declarations: dict[tuple[tuple[str, str], ...], ElementStyle] = {}
        self.background: Colour | None = WHITE if self._has_all_styles else None
        """The background of the page; None where an external style sheet may set it."""
        self.colour: Colour | None = _BLACK if self._has_all_styles else None
        """The colour of text without a style."""

    def shown_by_touch(self) -> dict[int, PropertyGroups]:
        """The elements that a rule shows once a user points at, ticks or opens something."""
        sheets = self._cascade.sheets
        rules = [(rule, LAYOUT) for rule in sheets.showing] if sheets else []
        return self._cascade.matched(rules, self._has_content)

    def is_closed(self, index: int) -> bool:
        here = self._tree.attributes[index]
        return MARK in here or (bool(self._groups) and bool(self.of(index).concealed & CLOSED))

    def find_judged(self, may_open: Callable[[int], bool]) -> list[int]:
        """The elements that hide something, and the elements in them that may show again, in order."""
        self._groups = groups = self._groups_at_first()
        hiding = self._find_hiding(may_open)
        groups, root, ends = self._groups, self._page.root, self._tree.ends
        around_root = [self.of(at) for at in groups if at <= root < ends[at]]
        self._fades_page = any(style.opacity < 1 or style.concealed & FAINT for style in around_root)
        inherited = sum(
            {_INHERITED[how] for at in hiding for how in _INHERITED if self.of(at).concealed & how}
        )
        if inherited:
            concealing = (at for at in hiding if self.of(at).concealed & INHERITED)
            self._add_groups(self._inside_of(concealing), inherited)
        coloured = [
            at for at in groups if groups[at] & COLOUR and (self.of(at).colour or self.of(at).background)
        ]
        around, parents = set[int](), self._tree.parents
        for index in coloured:
            above = parents[index]
            while above >= 0 and above not in around:
                around.add(above)
                above = parents[above]
        self._add_groups(around, COLOUR)
        return sorted(self._groups) if hiding or coloured else []

    def _groups_at_first(self) -> dict[int, PropertyGroups]:
        """The elements that a rule, a style or an attribute may hide, and by which groups of properties."""
        tree, cascade = self._tree, self._cascade
        styled = self._page.with_any(_STYLED_BY)
        styles = {style for at in styled if (style := tree.attributes[at].get("style"))}
        comparison = ColourComparison(cascade, has_all_styles=self._has_all_styles)
        pale_styles, pale_rules = comparison.suspected(styles)
        concealing = {style: cascade.groups_of_style(style) for style in styles}
        rules = [*cascade.hiding(), *((rule, COLOUR) for rule in pale_rules)]
        groups = cascade.matched(rules, self._has_content)
        for at in styled:
            here = tree.attributes[at]
            style = here.get("style") or ""
            own = concealing.get(style, 0) | (COLOUR if style in pale_styles else 0)
            own |= 0 if _CLOSED_BY.isdisjoint(here) else LAYOUT
            own |= COLOUR if self._has_all_styles and not _COLOURED_BY.isdisjoint(here) else 0
            if own:
                groups[at] = groups.get(at, 0) | own
        for at in tree.named("dialog"):
            groups[at] = groups.get(at, 0) | LAYOUT
        for tag in UNSHOWN:
            groups |= {at: groups.get(at, 0) for at in tree.named(tag)}
        return groups

    def _find_hiding(self, may_open: Callable[[int], bool]) -> list[int]:
        """The elements that hide something. Forgets the elements in others that are hidden as a whole."""
        found, kept, reached = list[int](), dict[int, PropertyGroups](), 0
        root, ends = self._page.root, self._tree.ends
        for index in sorted(self._groups):
            if index < reached:
                continue
            kept[index] = self._groups[index]
            style = self.of(index)
            if style.hides():
                found.append(index)
                is_whole = style.concealed & GONE or (style.concealed & CLOSED and not may_open(index))
                if is_whole and not index <= root < ends[index]:
                    reached = ends[index]
        self._groups = kept
        return found

    def find_judged_inside(self, colourless: list[int]) -> list[int]:
        """All judged elements, with those in elements whose text has no colour, in order."""
        self._add_groups(self._inside_of(colourless), COLOUR)
        return sorted(self._groups)

    def _add_groups(self, indices: Iterable[int], groups: PropertyGroups) -> None:
        """Has elements judged by more groups of properties."""
        for index in indices:
            known = self._groups.get(index)
            if known is None and not self._fades_page and not self._may_declare(index, groups):
                continue
            if known is None or known | groups != known:
                self._groups[index] = (known or 0) | groups
                self._by_element.pop(index, None)

    def _may_declare(self, index: int, groups: PropertyGroups) -> bool:
        """Whether anything may be declared for an element about some groups: else it is like its parent."""
        if not _STYLED_BY.isdisjoint(self._tree.attributes[index]):
            return True
        if self._has_all_styles and self._tree.tags[index] in _DEFAULT_COLOURS:
            return True
        sheets = self._cascade.sheets
        return sheets is not None and sheets.may_fit(index, groups)

    def _has_content(self, index: int) -> bool:
        """Whether an element has text or a picture, or a name or value that is read, as in tables."""
        end, sums = self._tree.ends[index], self._page.features.weight_sums
        if sums[end] > sums[index] or self._page.in_data[index]:
            return True
        pictures = self._pictures
        return bisect_left(pictures, index) < bisect_left(pictures, end)

    @cached_property
    def _pictures(self) -> list[int]:
        return sorted((*self._tree.named("img"), *self._tree.named("svg"), *self._tree.named("input")))

    def _inside_of(self, elements: Iterable[int]) -> set[int]:
        inside, reached, blocks = set[int](), 0, self._page.blocks
        for index in sorted(elements):
            if index >= reached:
                reached = self._tree.ends[index]
                inside.update(blocks[bisect_right(blocks, index) : bisect_left(blocks, reached)])
        return inside

    def of(self, index: int) -> ElementStyle:
        if (known := self._by_element.get(index)) is not None:
            return known
        declared = self._cascade.declared(index, self._groups.get(index, 0))
        if self._has_all_styles:
            declared = _without_idle(declared)
        key = tuple(declared.items())
        if (style := self._by_declarations.get(key)) is None:
            style = self._by_declarations[key] = _style_of(declared)
        if declared.get("background-clip") == "text" and not self._has_all_styles:
            style = replace(style, colour=UNKNOWN)  # an external sheet may draw something in the letters
        here, tag = self._tree.attributes[index], self._tree.tags[index]
        is_closed = not _CLOSED_BY.isdisjoint(here) or (tag == "dialog" and "open" not in here)
        if is_closed and "display" not in declared:
            style = replace(style, concealed=style.concealed | CLOSED)
        if tag in UNSHOWN:
            style = replace(style, concealed=style.concealed | GONE)
        if tag in _DEFAULT_COLOURS and self._has_all_styles and (tag != "a" or "href" in here):
            ink, ground = _DEFAULT_COLOURS[tag]
            style = replace(style, colour=style.colour or ink, background=style.background or ground)
        self._by_element[index] = style
        return style


def _without_idle(declared: Declarations) -> Declarations:
    """Declarations without those that say nothing of an element in its place: offsets and `clip`."""
    position = declared.get("position", "static")
    if position in ("absolute", "fixed") or declared.keys().isdisjoint(_OF_POSITIONED):
        return declared
    idle = _OF_POSITIONED if position in ("static", "initial") else _OF_POSITIONED - _OFFSETS
    return {name: value for name, value in declared.items() if name not in idle}


def _style_of(declared: Declarations) -> ElementStyle:
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
        background=background(declared),
    )
