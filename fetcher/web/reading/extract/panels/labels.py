"""Which controls of a page are labels of panels: they say what a panel is about, not what a click does.

A control leads to its panel by an id, or the panel by the id of its control; else the panel is what follows
a control that is called a question, a tab and the like.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.extract.page import HEADINGS, SOME, Page
from fetcher.web.reading.extract.panels.switches import Switches
from fetcher.web.reading.extract.wordlists import LABEL_WORDS, PLAIN_CONTROL, SWITCHED_BY

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


class Labels:
    """Looks for the labels of a page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._switches = Switches(page)
        self._only_switches = frozenset[int]()
        """The elements that nothing but a value marks as a control."""
        self._tree = page.tree
        self._are_labels: dict[str, bool] = {}
        self._headings: dict[int, str | None] = {}
        """For each panel the heading with which it begins; None for an element that cannot be a panel."""

    def find(self) -> dict[int, int]:
        """The labels in order, each with its panel; what several controls lead to has none."""
        found, texts, reached = dict[int, int](), dict[int, str](), 0
        by_panel: dict[int, int] = {}
        for label in self._candidates():
            panel = self._panel(label) if label >= reached else None
            if panel is None:
                continue
            text = self._page.text_of(label)
            words = text.strip(_ICONS)
            is_plain = japanese.is_plain_control(words) or PLAIN_CONTROL.fullmatch(words)
            if is_plain or not any(map(str.isalpha, words)) or self._headings[panel] == text:
                continue  # it is about clicking, or the panel says the same
            reached = self._tree.ends[label]
            if panel in by_panel:
                found.pop(by_panel[panel], None)  # the same again, for another size of screen
                if texts[panel] != text:  # such as "one forward" and "one back"
                    texts[panel] = ""
                    continue
            by_panel[panel], texts[panel], found[label] = label, text, panel
            if len(found) >= MOST_LABELS:
                break
        labels, inside = list(found), set[int]()
        for label, panel in found.items():
            before = bisect_right(labels, panel) - 1
            if before >= 0 and panel < self._tree.ends[labels[before]]:
                inside.add(label)
        return {label: panel for label, panel in found.items() if label not in inside}

    def _candidates(self) -> Iterator[int]:
        """Controls with a short text."""
        tree, page = self._tree, self._page
        ends, sums = tree.ends, page.features.weight_sums
        found = set(page.with_any(_MARKS)).union(*map(tree.named, _CONTROLS))
        found.update(at for at in page.with_any(("role",)) if tree.attributes[at]["role"] in _ROLES)
        found.update(at for at in tree.named("a") if (tree.attributes[at].get("href") or "")[:1] == "#")
        found.update(at for at in tree.named("label") if self._is_named(tree.attributes[at]))
        found.update(self._switches.labels_of_boxes())
        self._only_switches = self._switches.controls - found
        found |= self._only_switches
        for index in sorted(found):
            short = 0 < sums[ends[index]] - sums[index] <= LONGEST and ends[index] - index <= _MOST_NODES
            if short and tree.attributes[index].get("aria-haspopup") in (None, "false"):
                yield index

    def _is_named(self, here: Mapping[str, str | None]) -> bool:
        names = here.get("class") or ""
        if (known := self._are_labels.get(names)) is None:
            known = self._are_labels[names] = LABEL_WORDS.search(names.lower()) is not None
        return known

    @cached_property
    def _by_id(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for index in self._page.with_any(("id",)):
            if id_ := self._tree.attributes[index]["id"]:
                found.setdefault(id_, index)
        return found

    @cached_property
    def _by_id_of_label(self) -> dict[str, int]:
        """The panels that say which element is their label, by its id."""
        found: dict[str, int] = {}
        for index in self._page.with_any(("aria-labelledby",)):
            here = self._tree.attributes[index]
            if (names := here["aria-labelledby"]) and here.get("role") != "tablist":
                found.setdefault(names, index)
        return found

    def _panel(self, label: int) -> int | None:
        """The panel that a control says that it opens; else what follows it, if it looks like a label."""
        tree, here, id_ = self._tree, self._tree.attributes[label], self._tree.attributes[label].get("id")
        targets = ((here.get(name) or "").removeprefix("#") for name in _TARGETS)
        panel = next((self._by_id[target] for target in targets if target in self._by_id), None)
        if panel is None and id_:
            panel = self._by_id_of_label.get(id_)
        if panel is None:
            panel = next(filter(self._can_be_panel, self._switches.panels_of(label)), None)
            return self._panel_behind(label) if panel is None and label not in self._only_switches else panel
        is_around = panel <= label < tree.ends[panel]
        is_inside = label <= panel < tree.ends[label]
        if is_inside or (is_around and id_ not in self._by_id_of_label) or not self._can_be_panel(panel):
            return None
        if tree.tags[label] != "a" or here.get("role") in _ROLES or not _MARKS.isdisjoint(here):
            return panel
        # A plain link is the name of a tab, or a line of a list of contents.
        around = (label, tree.parents[label], tree.parents[tree.parents[label]], panel)
        is_of_tabs = not self._headings[panel] and any(self._is_named(tree.attributes[at]) for at in around)
        return panel if is_of_tabs else None

    def _panel_behind(self, label: int) -> int | None:
        parents, text_in = self._tree.parents, self._page.features.text_in
        block, names = label, [self._tree.attributes[label]]
        for _ in range(_HEIGHT):
            beside = islice(self._page.followers(block, self._tree.ends[parents[block]]), _EMPTY_BETWEEN + 1)
            panel = next(filter(text_in, beside), None)
            if panel is not None:
                names += [self._tree.attributes[panel], self._tree.attributes[parents[panel]]]
                is_told = "aria-expanded" in names[0] or self._tree.tags[label] == "summary"
                is_told = is_told or not SWITCHED_BY.isdisjoint(self._tree.attributes[panel])
                looks_so = is_told or any(map(self._is_named, names))
                looks_so = looks_so or self._page.text_of(label).endswith(("?", "？"))
                small = text_in(panel) < SOME * text_in(self._page.root)
                return panel if looks_so and small and self._can_be_panel(panel) else None
            block = parents[block]
            if block <= self._page.root or text_in(block) != text_in(label):
                return None
            names.append(self._tree.attributes[block])
        return None

    def _can_be_panel(self, panel: int) -> bool:
        """Whether an element holds text that a click may show; notes the heading with which it begins."""
        if panel not in self._headings:
            tree, page = self._tree, self._page
            here, text = tree.attributes[panel], page.features.text_in(panel)
            holds_text = (
                tree.tags[panel] not in _NO_PANELS
                and here.get("role") not in _NO_PANEL_ROLES
                and text > 0
                and not page.holds_title(panel)
                and not _SLIDES.search(here.get("class") or "")
                and 2 * page.features.linked_in(panel) <= text
            )
            first = range(panel, min(panel + _HEADING_WITHIN, tree.ends[panel]))
            heading = next((page.text_of(at) for at in first if tree.tags[at] in HEADINGS), "")
            self._headings[panel] = heading if holds_text else None
        return self._headings[panel] is not None
