"""Panels that open by a click, and their labels: the questions of an accordion, the names of tabs.

A label is a button or a link, and such controls are left out. But it says what its panel is about, so it is
read as the panel's heading. It stays what it is and where it is until all else is decided: a label that the
page hides is judged in its own place, and what has no label or no panel left is not read.
"""

from fetcher.web.reading.extract.page import CELLS, HEADINGS, LOWEST, Page
from fetcher.web.reading.extract.panels.labels import Labels
from fetcher.web.reading.extract.panels.reordering import move_before

_HEIGHT = 3
"""How many elements can be around a label alone: a heading, a row with an icon."""
_BLOCKS_IN_LABEL = frozenset({"p", "div", *HEADINGS})


def find_labels(page: Page) -> None:
    """Notes the controls that are labels of panels, so that no rule leaves them out as controls."""
    labels = Labels(page).find()
    page.note_labels(labels)
    for label in labels:
        page.features.unlink(label, page.tree.ends[label])


def head_panels(page: Page) -> None:
    """Makes headings of the labels that are still read, and puts each before its panel."""
    if not page.labels:
        return
    ends, moves, headings = page.tree.ends, dict[int, int](), _Headings(page)
    text_in, text_between = page.features.text_in, page.features.text_between
    for label, panel in page.labels.items():
        if page.skipped[label] or not page.root < label < ends[page.root]:
            continue
        if not page.root < panel < ends[page.root] or not text_in(panel):
            page.skip(label)
            continue
        # Whether something is read between a label and its panel; a label can also begin its panel.
        between = text_between(ends[label], panel) if label < panel else text_between(panel, label)
        is_apart = between > 0 and not page.in_data[panel]
        page.tree.rename(label, headings.tag(label, panel, is_apart=is_apart))
        if is_apart:
            moves[label] = panel
    if moves:
        move_before(page, moves)


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
        # A heading below the last one before the label; labels of one sort have one rank.
        for tag in self._tags[self._reached : label]:
            if tag in HEADINGS:
                self._rank = tag
        self._reached = label
        sort = (self._tags[label], self._page.tree.attributes[label].get("class"))
        lower = f"h{min(int(self._rank[1]) + 1, int(LOWEST[1]))}"
        return self._ranks.setdefault(sort, lower)
