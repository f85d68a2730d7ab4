"""Which controls of a page are labels of panels: they say what a panel is about, not what a click does.

A control leads to its panel by an id, or the panel by the id of its control; else the panel is what follows
a control that is called a question, a tab and the like.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.page import HEADINGS, SOME, Page
from fetcher.web.reading.extract.wordlists import LABEL_WORDS, PLAIN_CONTROL

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


@dataclass(slots=True, kw_only=True, eq=False)
class _Ids:
    """The elements of a page by their ids, and by the ids of what names them."""

    owners: dict[str, int] = field(default_factory=dict)
    labelled: dict[str, int] = field(default_factory=dict)


class Labels:
    """Looks for the labels of a page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._tree = page.tree
        self._are_labels: dict[str, bool] = {}
        self._headings: dict[int, str | None] = {}
        """For each panel the heading with which it begins; None for what is no panel."""

    def find(self) -> dict[int, int]:
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
                texts[panel] = ""
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
        tree, page = self._tree, self._page
        ends, sums = tree.ends, page.features.weight_sums
        found = set(page.with_any(_MARKS)).union(*map(tree.named, _CONTROLS))
        found.update(at for at in page.with_any(("role",)) if tree.attributes[at]["role"] in _ROLES)
        found.update(at for at in tree.named("a") if (tree.attributes[at].get("href") or "")[:1] == "#")
        found.update(at for at in tree.named("label") if self._is_named(tree.attributes[at]))
        for index in sorted(found):
            short = 0 < sums[ends[index]] - sums[index] <= LONGEST and ends[index] - index <= _MOST_NODES
            if short and tree.attributes[index].get("aria-haspopup") in (None, "false"):
                yield index

    def _is_marked(self, here: Mapping[str, str | None]) -> bool:
        return here.get("role") in _ROLES or not _MARKS.isdisjoint(here)

    def _is_named(self, here: Mapping[str, str | None]) -> bool:
        names = here.get("class") or ""
        if (known := self._are_labels.get(names)) is None:
            known = self._are_labels[names] = LABEL_WORDS.search(names) is not None
        return known

    @cached_property
    def _ids(self) -> _Ids:
        found = _Ids()
        for index in self._page.with_any(("id",)):
            if id_ := self._tree.attributes[index]["id"]:
                found.owners.setdefault(id_, index)
        for index in self._page.with_any(("aria-labelledby",)):
            here = self._tree.attributes[index]
            if (names := here["aria-labelledby"]) and here.get("role") != "tablist":
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
        return self._tree.tags[label] == "a" and not self._is_marked(self._tree.attributes[label])

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
