"""Panels that open by a click, and their labels: the questions of an accordion, the names of tabs.

A label is a button or a link, and such controls are left out. But it says what its panel is about, so it is
read as the panel's heading. It stays what it is and where it is until all else is decided: a label that the
page hides is judged in its own place, and what has no label or no panel left is not read.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fetcher.web.extract import japanese
from fetcher.web.extract.page import CELLS, HEADINGS, LOWEST, SOME, Page
from fetcher.web.extract.rearranged import move_before
from fetcher.web.extract.wordlists import LABEL_WORDS, PLAIN_CONTROL

LONGEST = 300
"""The weight of the longest label: a question of a few lines."""
MOST_LABELS = 2_000
_MOST_NODES = 60
"""The nodes in a label: its words, an icon, the elements around them."""
_HEIGHT = 3
"""How many elements can be around a label alone: a heading, a row with an icon."""
_EMPTY_BETWEEN = 3
"""How many elements without text can stand between a label and its panel: an icon, the box to tick."""

_CONTROLS = frozenset({"button", "summary"})
_MARKS = frozenset({"aria-controls", "aria-expanded", "data-toggle", "data-bs-toggle"})
_TARGETS = ("aria-controls", "data-bs-target", "data-target", "href")
_ROLES = frozenset({"button", "tab"})
_NO_PANELS = frozenset(
    {*HEADINGS, *_CONTROLS, "", "nav", "menu", "dialog", "a", "label", "input", "select", "main", "body"}
)
_NO_PANEL_ROLES = frozenset({"menu", "menubar", "listbox", "dialog", "navigation", "search", "button", "tab"})
_ICONS = " +-\u2212\u00d7\u25bc\u25b2\u25bd\u25b3\u203a\u3000"
"""Signs beside a label that say whether its panel is open."""
_HEADING_WITHIN = 6
_SLIDES = re.compile(r"(?i)carousel|slide|swiper|slick|splide")
_BLOCKS_IN_LABEL = frozenset({"p", "div", *HEADINGS})


def find_labels(page: Page) -> None:
    """Notes the controls that are labels of panels, so that no rule leaves them out as controls."""
    labels = _Finder(page).labels()
    page.note_labels(labels)
    for label in labels:
        page.features.unlink(label, page.tree.ends[label])


def head_panels(page: Page) -> None:
    """Makes headings of the labels that are still read, and puts each before its panel."""
    ends, text_in, moves = page.tree.ends, page.features.text_in, dict[int, int]()
    headings = _Headings(page) if page.labels else None
    for label, panel in page.labels.items():
        if headings is None or page.skipped[label] or not page.root < label < ends[page.root]:
            continue
        is_read = page.root < panel < ends[page.root] and not page.skipped[panel] and text_in(panel)
        if not is_read:
            page.skip(label)
            continue
        is_apart = not page.in_data[panel] and _is_apart(page, label, panel)
        page.tree.tags[label] = headings.tag(label, panel, is_apart=is_apart)
        if is_apart:
            moves[label] = panel
    if moves:
        move_before(page, moves)


def _is_apart(page: Page, label: int, panel: int) -> bool:
    """Whether something is read between a label and its panel; a label can also begin its panel."""
    ends, text_between = page.tree.ends, page.features.text_between
    if label < panel:
        return text_between(ends[label], panel) > 0
    return label >= ends[panel] or text_between(panel, label) > 0


@dataclass(slots=True, kw_only=True, eq=False)
class _Ids:
    """The elements of a page by their ids, and by the ids of what names them."""

    owners: dict[str, int] = field(default_factory=dict)
    labelled: dict[str, int] = field(default_factory=dict)


class _Finder:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._tree = page.tree
        self._are_labels: dict[str, bool] = {}
        self._headings: dict[int, str | None] = {}
        """For each panel the heading with which it begins; None for what is no panel."""

    def labels(self) -> dict[int, int]:
        """The labels in order, each with its panel; what several controls lead to has none."""
        found, texts, reached = dict[int, int](), dict[int, str](), 0
        by_panel: dict[int, int] = {}
        for label in self._candidates():
            panel = self._panel(label) if label >= reached else None
            if panel is None or not self._may_be_label(label, text := self._page.text_of(label), panel):
                continue
            reached = self._tree.ends[label]
            if panel in by_panel and texts[panel] != text:
                found.pop(by_panel[panel], None)  # such as "one forward" and "one back"
                continue
            if panel in by_panel:
                found.pop(by_panel[panel], None)  # the same again, for another size of screen
            by_panel[panel], texts[panel], found[label] = label, text, panel
            if len(found) >= MOST_LABELS:
                break
        labels = list(found)
        return {label: panel for label, panel in found.items() if not self._is_in_label(panel, labels)}

    def _is_in_label(self, panel: int, labels: list[int]) -> bool:
        before = bisect_right(labels, panel) - 1
        return before >= 0 and panel < self._tree.ends[labels[before]]

    def _candidates(self) -> Iterator[int]:
        """Controls with a short text."""
        tags, attributes, ends = self._tree.tags, self._tree.attributes, self._tree.ends
        sums = self._page.features.weight_sums
        for index in self._page.blocks:
            here = attributes[index]
            if not here and tags[index] not in _CONTROLS:  # as most are
                continue
            short = 0 < sums[ends[index]] - sums[index] <= LONGEST and ends[index] - index <= _MOST_NODES
            if short and self._is_control(tags[index], here):
                yield index

    def _is_control(self, tag: str, here: Mapping[str, str | None]) -> bool:
        if tag in _CONTROLS or not _MARKS.isdisjoint(here) or here.get("role") in _ROLES:
            return here.get("aria-haspopup") in (None, "false")
        if tag == "a":
            return (here.get("href") or "").startswith("#")
        return tag == "label" and "for" in here and self._is_named(here)

    def _is_named(self, here: Mapping[str, str | None]) -> bool:
        names = here.get("class") or ""
        if (known := self._are_labels.get(names)) is None:
            known = self._are_labels[names] = LABEL_WORDS.search(names) is not None
        return known

    @cached_property
    def _ids(self) -> _Ids:
        found = _Ids()
        for index in self._page.blocks:
            here = self._tree.attributes[index]
            if id_ := here.get("id"):
                found.owners.setdefault(id_, index)
            if (names := here.get("aria-labelledby")) and here.get("role") != "tablist":
                found.labelled.setdefault(names, index)
        return found

    def _panel(self, label: int) -> int | None:
        """What a control says that it opens; else what follows it, if it looks like a label."""
        here, ids = self._tree.attributes[label], self._ids
        targets = ((here.get(name) or "").removeprefix("#") for name in _TARGETS)
        panel = next((ids.owners[target] for target in targets if target in ids.owners), None)
        if panel is None and (id_ := here.get("id")):
            panel = ids.labelled.get(id_)
        if panel is None:
            return self._panel_behind(label)
        is_around = panel <= label < self._tree.ends[panel]
        is_inside = label <= panel < self._tree.ends[label]
        if is_inside or (is_around and here.get("id") not in ids.labelled) or not self._can_be_panel(panel):
            return None
        return panel if not self._is_plain_link(label) or self._is_of_tabs(label, panel) else None

    def _is_plain_link(self, label: int) -> bool:
        here = self._tree.attributes[label]
        return self._tree.tags[label] == "a" and _MARKS.isdisjoint(here) and here.get("role") not in _ROLES

    def _is_of_tabs(self, link: int, panel: int) -> bool:
        """Whether a link is the name of a tab, and no line of a list of contents."""
        parents, attributes = self._tree.parents, self._tree.attributes
        around = (link, parents[link], parents[parents[link]], panel)
        return not self._headings[panel] and any(self._is_named(attributes[at]) for at in around)

    def _panel_behind(self, label: int) -> int | None:
        parents, text_in = self._tree.parents, self._page.features.text_in
        block, names = label, [self._tree.attributes[label]]
        for _ in range(_HEIGHT):
            panel = self._next_with_text(block)
            if panel is not None:
                names += [self._tree.attributes[panel], self._tree.attributes[parents[panel]]]
                is_told = "aria-expanded" in names[0] or self._tree.tags[label] == "summary"
                looks_so = is_told or any(map(self._is_named, names)) or self._asks(label)
                small = text_in(panel) < SOME * text_in(self._page.root)
                return panel if looks_so and small and self._can_be_panel(panel) else None
            block = parents[block]
            if block <= self._page.root or text_in(block) != text_in(label):
                return None
            names.append(self._tree.attributes[block])
        return None

    def _next_with_text(self, block: int) -> int | None:
        ends, at, stop = self._tree.ends, self._tree.ends[block], self._tree.ends[self._tree.parents[block]]
        for _ in range(_EMPTY_BETWEEN + 1):
            if at >= stop:
                return None
            if self._page.features.text_in(at):
                return at
            at = ends[at]
        return None

    def _asks(self, label: int) -> bool:
        return self._page.text_of(label).endswith(("?", "\uff1f"))

    def _can_be_panel(self, panel: int) -> bool:
        if panel not in self._headings:
            self._headings[panel] = self._heading_of(panel) if self._holds_text(panel) else None
        return self._headings[panel] is not None

    def _holds_text(self, panel: int) -> bool:
        here, features = self._tree.attributes[panel], self._page.features
        text = features.text_in(panel)
        return (
            self._tree.tags[panel] not in _NO_PANELS
            and here.get("role") not in _NO_PANEL_ROLES
            and text > 0
            and not self._page.holds_title(panel)
            and not _SLIDES.search(here.get("class") or "")
            and 2 * features.linked_in(panel) <= text
        )

    def _heading_of(self, panel: int) -> str:
        """The heading with which a panel begins, if it has one."""
        first = range(panel, min(panel + _HEADING_WITHIN, self._tree.ends[panel]))
        heading = next((at for at in first if self._tree.tags[at] in HEADINGS), None)
        return "" if heading is None else self._page.text_of(heading)

    def _may_be_label(self, label: int, text: str, panel: int) -> bool:
        """Whether a control's text is about its panel, not about clicking, and the panel does not say it."""
        words = text.strip(_ICONS)
        is_plain = japanese.is_plain_control(words) or PLAIN_CONTROL.fullmatch(words)
        return any(map(str.isalpha, words)) and not is_plain and self._headings[panel] != text


class _Headings:
    """Which element a label becomes."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._tags = page.tree.tags[:]
        self._ranks: dict[tuple[str, str | None], str] = {}
        self._rank, self._reached = "h2", page.root

    def tag(self, label: int, panel: int, *, is_apart: bool) -> str:
        """A heading, where one can stand; in an entry of a list a bold line."""
        tags, parents, ends = self._tags, self._page.tree.parents, self._page.tree.ends
        above = parents[label]
        for _ in range(_HEIGHT):
            tag = tags[above]
            if tag in HEADINGS:
                return tag if is_apart else "span"
            if tag in ("dt", *CELLS):
                return "span"
            if tag == "li" and above < panel < ends[above]:
                inside = tags[label + 1 : ends[label]]
                return "strong" if _BLOCKS_IN_LABEL.isdisjoint(inside) else "div"
            above = parents[above]
        if tags[label] in (*HEADINGS, "dt"):
            return tags[label]
        if not HEADINGS.isdisjoint(tags[label : ends[label]]):
            return "div"
        return self._below_heading(label)

    def _below_heading(self, label: int) -> str:
        """A heading below the last one before the label; labels of one sort have one rank."""
        for tag in self._tags[self._reached : label]:
            if tag in HEADINGS:
                self._rank = tag
        self._reached = max(self._reached, label)
        sort = (self._tags[label], self._page.tree.attributes[label].get("class"))
        lower = f"h{min(int(self._rank[1]) + 1, int(LOWEST[1]))}"
        return self._ranks.setdefault(sort, lower)
