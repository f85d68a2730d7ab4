"""How the elements of a page look by their own styles, as far as that decides whether they are seen."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter

from fetcher.web.errors import ExtractionFailed
from fetcher.web.extract.colours import (
    CLEAR,
    WHITE,
    Colour,
    background,
    look_the_same,
    text_colour,
)
from fetcher.web.extract.concealment import (
    CLOSED,
    COLOURLESS,
    FAINT,
    INDENTED,
    INHERITED,
    INVISIBLE,
    NONE,
    TINY,
    Concealment,
    concealment,
    font_size,
    opacity,
)
from fetcher.web.extract.page import Page
from fetcher.web.extract.sheets import MAX_CANDIDATES, MAX_WORK, Rule, Sheets
from fetcher.web.extract.styles import Declarations, plain, read_block, resolved
from fetcher.web.extract.wordlists import REVEALED_WORDS

_OTHERS = frozenset({"hidden", "color", "bgcolor"})
_TELLING = _OTHERS | {"style"}
_MAY_HIDE = re.compile(
    r"""(?ix)
    opacity\s*+[:(]\s*+(?:0|\.[0-4]|var|calc)
    | font(?:-size)?+\s*+:\s*+(?:[\w\s]{0,30}\b[012](?![\d.])|0?\.|var|calc|0)
    | visib | none | :\s*+[^;:]{0,40}?-\d{2} | indent\s*+:\s*+\d{3} | (?:scale|matrix|rotate[xy])
    | (?:left|top|right|bottom)\s*+:\s*+(?:\d{4}|var|calc)
    | clip | transparent | overflow | content-v | \\ | /\*
    | color\s*+:\s*+(?:rgba|hsla|\#[\da-f]{8}|\#[\da-f]{4}\b|var) | -fill-
    """
)
"""What stands in declarations that hide an element for themselves, its colours aside."""
_GROUND = re.compile(r"(?i)background(?:-color)?+\s*+:\s*+(?!none|transparent|url|inherit)")
_CONTROLLING = frozenset({"aria-controls", "data-target", "data-bs-target", "for", "data-tab", "data-toggle"})
_STREAMED = ("S:", "B:")
"""How React calls what it sends late, hidden until a script has put it in its place."""
_RELATIVE = re.compile(r"\d(?:em|%|ex|ch|lh)\b|larger|smaller|inherit")
_LEGIBLE = 5
"""Pixels of a text that is shown again inside of one without size."""
_PAIRED = 0.5
"""An opacity that hides together with others around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What an element's own styles say about being seen."""

    concealed: Concealment = NONE
    shows: Concealment = NONE
    """What an element around it may have concealed, and it does not."""
    opacity: float = 1
    colour: Colour | None = None
    behind: Colour | None = None

    def hides(self) -> bool:
        """Whether it hides, its colours aside, alone or together with what is around it."""
        return bool(self.concealed) or self.opacity < _PAIRED

    def opened(self) -> "Look":
        """The same after a click: what is closed is transparent and invisible, too, until it opens."""
        return replace(self, concealed=self.concealed & ~(CLOSED | FAINT | INVISIBLE), opacity=1)


_ORDINARY = Look()


class Looks:
    """Looks at the elements of a page; each style and each combination of rules is read once."""

    def __init__(self, page: Page, sheets: Sheets | None) -> None:
        self._page = page
        self._tree = page.tree
        self._tells_all = b"stylesheet" not in page.html
        """False where external style sheets say more."""
        self._sheets = sheets
        self._known: dict[tuple[str, tuple[Rule, ...]], Look] = {}
        self._is_matched = self._reads_rules = self._is_judging = self._compares_colours = False

    def worth_judging(self) -> list[int]:
        """The elements under the root that hide something, and what is in them where it can show again."""
        matched = self._matched_by_rules()
        if self._sheets and not matched:  # inline styles alone have been looked at before
            return []
        found = self._with_own_styles() | matched
        coloured = self._hardly_coloured(found)
        hiding = {index for index, look in found.items() if look.hides()}
        kinds = COLOURLESS if coloured else NONE
        for index in hiding:
            kinds |= found[index].concealed
        if not kinds and not hiding:
            return []
        self._is_judging = True
        self._known = {key: look for key, look in self._known.items() if look is not _ORDINARY}
        self._reads_rules = self._sheets is not None and (self._is_matched or kinds & INHERITED > 0)
        if coloured:
            hiding |= {index for index, look in found.items() if look.behind}
        return sorted(hiding | coloured | self._insides(found, hiding | coloured) | self._behind(coloured))

    def _with_own_styles(self) -> dict[int, Look]:
        page, attributes = self._page, self._tree.attributes
        end, is_plain = self._tree.ends[page.root], _TELLING.isdisjoint
        if page.styled is None:
            page.styled = [index for index, here in enumerate(attributes) if here and not is_plain(here)]
        first, after = bisect_right(page.styled, page.root), bisect_left(page.styled, end)
        styled = [index for index in page.styled[first:after] if not page.skipped[index]]
        styles = {attributes[index].get("style") or "" for index in styled}
        self._compares_colours = self._tells_all or any(map(_GROUND.search, styles))
        self._known |= {(style, ()): self._judged(style, ()) for style in styles}
        ordinary = {style for style in styles if self._known[style, ()] is _ORDINARY}
        return {
            index: self._look(index, ())
            for index in styled
            if (here := attributes[index]).get("style") not in ordinary or not _OTHERS.isdisjoint(here)
        }

    def _matched_by_rules(self) -> dict[int, Look]:
        """The elements that rules of the page's own style sheets hide."""
        if self._sheets is None or not (rules := self._sheets.hiding(self._by_name, pale=self._tells_all)):
            return {}
        found, tree = dict[int, list[Rule]](), self._tree
        by_key: dict[str, list[Rule]] = {}
        for rule in rules:
            by_key.setdefault(rule.last.key, []).append(rule)
        work = 0
        for key, about in by_key.items():
            for index in filter(self._is_of_interest, self._named(key)):
                for rule in about[-MAX_CANDIDATES:]:
                    fits, looked_at = rule.fits(tree, index)
                    work += looked_at
                    if fits:
                        found.setdefault(index, []).append(rule)
                if work > MAX_WORK:
                    raise ExtractionFailed(error="its style sheets take too long to apply")
        self._is_matched = bool(found)
        by_rank = {index: tuple(sorted(rules, key=attrgetter("rank"))) for index, rules in found.items()}
        return {index: self._look(index, rules) for index, rules in by_rank.items()}

    def _is_of_interest(self, index: int) -> bool:
        """Whether an element has text or a picture, or may speak by its name or value, as in tables."""
        ends, sums = self._tree.ends, self._page.features.weight_sums
        if sums[ends[index]] > sums[index] or self._page.in_data[index]:
            return True
        return "img" in self._tree.tags[index : ends[index]]

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """The elements that are read so far by their tags, classes, ids and attributes."""
        found, classes = dict[str, list[int]](), dict[str, list[int]]()
        tags, attributes = self._tree.tags, self._tree.attributes
        for index in self._page.elements():
            found.setdefault(tags[index], []).append(index)
            for name, value in attributes[index].items():
                if name == "class":
                    classes.setdefault(value or "", []).append(index)
                else:
                    key = f"#{(value or '').lower()}" if name == "id" else f"[{name}"
                    found.setdefault(key, []).append(index)
        for class_, indices in classes.items():
            for name in class_.lower().split():
                found.setdefault(f".{name}", []).extend(indices)
        return found

    def _named(self, key: str) -> list[int]:
        return list(self._page.elements()) if key == "*" else self._by_name.get(key, [])

    def _hardly_coloured(self, found: dict[int, Look]) -> set[int]:
        """The elements whose text has a colour that stands behind text somewhere on the page, or none."""
        if not any(look.colour for look in found.values()):
            return set()
        grounds = {self.page_background, *(look.behind for look in found.values())} - {None}
        return {
            index
            for index, look in found.items()
            if look.colour
            and (
                look.colour == CLEAR
                or any(look_the_same(look.colour, ground) for ground in grounds if ground)
            )
        }

    def _insides(self, found: dict[int, Look], hiding: set[int]) -> set[int]:
        """The elements in those whose concealment can be undone."""
        inside, reached, blocks = set[int](), 0, self._page.blocks
        for index in sorted(hiding):
            if index >= reached and (found[index].concealed & INHERITED or found[index].colour):
                reached = self._tree.ends[index]
                inside.update(blocks[bisect_left(blocks, index) : bisect_left(blocks, reached)])
        return inside

    def _behind(self, coloured: set[int]) -> set[int]:
        """The elements around texts without a colour of their own."""
        around, parents = set[int](), self._tree.parents
        for index in coloured:
            above = parents[index]
            while above > self._page.root and above not in around:
                around.add(above)
                above = parents[above]
        return around

    @cached_property
    def page_background(self) -> Colour | None:
        """The colour behind the page; None where an external style sheet may set it."""
        around = [self._page.root, *self._page.ancestors(self._page.root)]
        rules = self._sheets.rules_for_tag if self._sheets else lambda _: ()
        known = (self._look(index, tuple(rules(self._tree.tags[index]))) for index in around)
        found = next((look.behind for look in known if look.behind), None)
        return found or (WHITE if self._tells_all else None)

    def of(self, index: int) -> Look:
        rules = self._sheets.matching(self._tree, index) if self._sheets and self._reads_rules else ()
        return self._look(index, tuple(rules))

    def _look(self, index: int, rules: tuple[Rule, ...]) -> Look:
        attributes = self._tree.attributes[index]
        style = attributes.get("style") or ""
        if "bgcolor" in attributes or "color" in attributes:
            # As if a rule of the weakest sort said so.
            given = (
                f"background-color:{attributes.get('bgcolor') or ''};color:{attributes.get('color') or ''}"
            )
            style = f"{given};{style}"
        if (look := self._known.get((style, rules))) is None:
            look = self._known[style, rules] = self._judged(style, rules)
        return replace(look, concealed=look.concealed | CLOSED) if "hidden" in attributes else look

    def _judged(self, style: str, rules: tuple[Rule, ...]) -> Look:
        colours = self._compares_colours and ("color" in style or "background" in style or "COLOR" in style)
        if not (rules or self._is_judging or colours or _MAY_HIDE.search(style)):
            return _ORDINARY
        inline = read_block(plain(style))
        declared: dict[str, str] = {}
        for block in (*(rule.block for rule in rules), inline):
            declared |= block.normal
        for block in (*(rule.block for rule in rules), inline):
            declared |= block.important
        return _look_of(resolved(declared, self._sheets.variables if self._sheets else {}))

    def is_revealed(self, index: int) -> bool:
        """Whether names say that a click shows an element, or a control on the page leads to it."""
        here = self._tree.attributes[index]
        id_ = here.get("id")
        if (id_ or "").startswith(_STREAMED) or REVEALED_WORDS.search(
            f"{here.get('class')} {id_} {here.get('role')}"
        ):
            return True
        return bool(id_) and id_ in self._controlled

    @cached_property
    def _controlled(self) -> frozenset[str]:
        """The ids to which controls and links of the page lead."""
        tree, found = self._tree, set[str]()
        for here in tree.attributes:
            if here and not _CONTROLLING.isdisjoint(here):
                found.update((here.get(name) or "").removeprefix("#") for name in _CONTROLLING)
        links = (tree.attributes[index].get("href") or "" for index in tree.named("a"))
        return frozenset(found | {href[1:] for href in links if href[:1] == "#"})


def _look_of(declared: Declarations) -> Look:
    size, visible = font_size(declared), declared.get("visibility")
    shows = NONE
    if (
        size is not None
        and size >= _LEGIBLE
        and not _RELATIVE.search(declared.get("font-size") or declared["font"])
    ):
        shows |= TINY
    if "text-indent" in declared:
        shows |= INDENTED
    if visible == "visible":
        shows |= INVISIBLE
    return Look(
        concealed=concealment(declared),
        shows=shows,
        opacity=min(max(opacity(declared), 0), 1),
        colour=text_colour(declared),
        behind=background(declared),
    )
