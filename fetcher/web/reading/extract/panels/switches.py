"""Panels that scripts or style sheets show for a control, by a value that both have, or by their order.

`<button data-tab="w">` shows `<div data-panel="w">` or `<div id="tab-w">`. The labels of radio buttons show
the first panel behind them, the second and so on.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from fetcher.web.reading.extract.page import Page
from fetcher.web.reading.extract.wordlists import LABEL_WORDS

_SWITCH = re.compile(
    r"data-(?>[a-z]++-)*+(?:tab|tabs|tabid|panel|pane|content|target|accordion|switch|for|faq)\b"
)
_NO_PART = re.compile(
    r"(?i)(?:\A|(?<=[-_#]))(?:tab|tabs|panel|pane|tabpanel|content|contents|answer)(?:[-_]|\d+\Z|\Z)"
)
_DIGITS = re.compile(r"(?i)\A#?(?:tab|panel|pane|content|answer)s?[-_]?(\d{1,4})\Z")
_LONGEST_VALUE = 60
_MOST_TRIED = 4
_HEIGHT = 3
"""How many elements can be around all labels of a group."""
_MOST_PANELS = 50
_CHOSEN = ("radio", "checkbox")


class Switches:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._tree = page.tree
        self._values: dict[int, tuple[str, str]] = {}
        """The elements with such a value, each with the attribute's name and the value."""
        self._by_value: dict[str, list[int]] = {}
        attributes = page.tree.attributes
        for name in filter(_SWITCH.match, page.with_attribute):
            for index in page.with_attribute[name]:
                if value := _bare(attributes[index][name] or ""):
                    self._values.setdefault(index, (name, value))
                    self._by_value.setdefault(value, []).append(index)
        if self._by_value:
            for index in page.with_any(("id",)):
                if (value := _bare(attributes[index]["id"] or "")) in self._by_value:
                    self._by_value[value].append(index)
            for places in self._by_value.values():
                places.sort()
        self._by_order = self._find_by_order()

    @property
    def controls(self) -> frozenset[int]:
        """The elements that may show a panel by their value."""
        return frozenset(index for index in self._values if any(self.panels_of(index)))

    def labels_of_boxes(self) -> Iterator[int]:
        """The labels of boxes to tick and of radio buttons."""
        for index in self._page.with_any(("for",)):
            if self._type_of_input(index) in _CHOSEN:
                yield index

    def panels_of(self, control: int) -> Iterator[int]:
        """The panel of a radio button, or what has the value of a control, what comes behind it first."""
        if control in self._by_order:
            yield self._by_order[control]
        if control not in self._values:
            return
        name, value = self._values[control]
        places = self._by_value[value]
        tree, after = self._tree, bisect_right(places, control)
        before = reversed(places[:after]) if tree.tags[control] in ("button", "a") else ()
        for at in islice((*places[after:], *before), _MOST_TRIED):
            alike = tree.tags[at] == tree.tags[control] and self._values.get(at, ("",))[0] == name
            if not alike and not at <= control < tree.ends[at] and not control <= at < tree.ends[control]:
                yield at

    def _type_of_input(self, label: int) -> str | None:
        at = self._inputs.get(self._tree.attributes[label].get("for") or "")
        return None if at is None else (self._tree.attributes[at].get("type") or "").lower()

    @cached_property
    def _inputs(self) -> dict[str, int]:
        attributes = self._tree.attributes
        return {id_: index for index in self._tree.named("input") if (id_ := attributes[index].get("id"))}

    def _find_by_order(self) -> dict[int, int]:
        tree, groups, found = self._tree, dict[str, list[int]](), dict[int, int]()
        for label in self._page.with_any(("for",)):
            if tree.tags[label] == "label" and self._type_of_input(label) == "radio":
                input_ = self._inputs[tree.attributes[label].get("for") or ""]
                groups.setdefault(tree.attributes[input_].get("name") or "", []).append(label)
        is_styled = any(":checked" in css for css in tree.styles)
        for labels in groups.values():
            if 1 < len(labels) <= _MOST_PANELS and (panels := self._panels_behind(labels)):
                telling = (*labels, *panels, tree.parents[labels[0]], tree.parents[panels[0]])
                names = " ".join(tree.attributes[at].get("class") or "" for at in telling)
                if is_styled or LABEL_WORDS.search(names.lower()):
                    found.update(zip(labels, panels, strict=True))
        return found

    def _panels_behind(self, labels: list[int]) -> list[int] | None:
        """As many blocks of one tag as there are labels, side by side behind them, or in a box there."""
        tree, block = self._tree, labels[-1]
        for _ in range(_HEIGHT):
            if (around := tree.parents[block]) < 0:
                return None
            beside = list(islice(self._blocks(tree.ends[block], tree.ends[around]), len(labels) + 1))
            if beside and around < labels[0]:
                inner = list(islice(self._blocks(beside[0] + 1, tree.ends[beside[0]]), len(labels) + 1))
                panels = beside[: len(labels)]
                if len(inner) == len(labels) and len(set(map(self._page.sort_of, panels))) > 1:
                    return inner
                is_row = len(panels) == len(labels) and len({tree.tags[at] for at in panels}) == 1
                goes_on = len(beside) > len(labels) and self._page.sort_of(beside[-1]) == self._page.sort_of(
                    panels[0]
                )
                return panels if is_row and not goes_on else None
            block = around
        return None

    def _blocks(self, start: int, end: int) -> Iterator[int]:
        """The elements with text from one place to another, side by side."""
        while start < end:
            if self._tree.tags[start] and self._page.features.text_in(start):
                yield start
            start = self._tree.ends[start]


def _bare(value: str) -> str:
    """A value without the words for tabs and panels: `w` for `#tab-w` and `w-panel`."""
    if len(value) > _LONGEST_VALUE:
        return ""
    if found := _DIGITS.match(value):
        return found[1]
    return _NO_PART.sub("", value.removeprefix("#")).strip("-_")
