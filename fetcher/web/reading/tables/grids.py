"""Where the article's tables are, and which of them hold data.

One pass over the nodes of nested tables finds rows and cells, and tells tables of data from tables that only
arrange the page. `rows.py` exports only tables of data; `writer.py` writes the others as plain content.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown.elements import BLOCKS, HEADINGS, PREFORMATTED, SECTIONS, SILENT
from fetcher.web.reading.tree import Article, Tree

_HEAVY = HEADINGS | PREFORMATTED
_BLOCK = 4
_WEIGHTS = dict.fromkeys(BLOCKS - SECTIONS | {"p", "form", "section", "article"}, _BLOCK) | {"br": 1}
"""How strongly an element inside a cell is a sign of layout: a block counts as four line breaks."""
_TELLING = frozenset({"table", "tr", "td", "th", "caption", *_HEAVY, *_WEIGHTS})
"""Elements that say something about the table around them; most elements do not."""


@dataclass(slots=True, kw_only=True)
class Grid:
    """A `<table>` as the page has it: the nodes of its rows and cells, spans not yet resolved."""

    table: int
    mode: ReadingMode
    caption: int | None = None
    rows: list[list[int]] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    """For each row the node of its row group."""
    header: int = 0
    """The first row with a `th`, else the first row (SRD FR-WF-EXT-TABLE-01)."""
    headed: bool = False
    """True when a `th` was seen."""
    heavy: bool = False
    """True when a cell holds a heading, a code block or another table."""
    weight: int = 0
    firsts: int = 0
    """The part of the weight that comes from the first block or line break in each cell."""
    unweighed: bool = True
    """True when the current cell has no such block or line break so far."""
    presentation: bool = False

    def note(self, tree: Tree, node: int) -> None:
        """Notes what one element inside the table says about it."""
        tag = tree.tags[node]
        if tag == "tr":
            self.rows.append([])
            self.groups.append(tree.parents[node])
        elif tag in ("td", "th"):
            if tag == "th" and not self.headed:
                self.headed, self.header = True, len(self.rows) - 1
            self.rows[-1].append(node)
            self.unweighed = True
        elif tag == "caption":
            if self.caption is None or self.mode is ReadingMode.SRD:
                self.caption = node
        else:
            weight = _WEIGHTS.get(tag, 0)
            self.heavy |= tag in _HEAVY
            self.weight += weight
            if weight and self.unweighed:
                self.unweighed = False
                self.firsts += weight

    @property
    def is_layout(self) -> bool:
        """True for a table that only arranges the page, as old pages do; by the SRD every table is data.

        One block or line break in each cell does not count: many editors write cells so.
        """
        cells = sum(map(len, self.rows))
        if self.mode is ReadingMode.SRD:
            return not cells
        if self.presentation or cells < (1 if self.headed else 2):
            return True
        weight = self.weight - self.firsts
        if max(map(len, self.rows)) == 1:
            return self.heavy or weight >= _BLOCK
        if self.headed:  # the author uses table markup: only very much content is a sign of layout
            return weight > 3 * _BLOCK * cells
        return self.heavy or weight > _BLOCK // 2 * cells


def survey(article: Article) -> dict[int, Grid]:
    """Every table of the article by its node, in document order."""
    tree, skipped = article.tree, article.skipped
    tags, ends = tree.tags, tree.ends
    found: dict[int, Grid] = {}
    for table in _outermost(article):
        open_: list[Grid] = []
        node, end = table, ends[table]
        while node < end:
            tag = tags[node]
            if tag in SILENT or skipped[node]:
                node = ends[node]
                continue
            if tag in _TELLING:
                while open_ and node >= ends[open_[-1].table]:
                    open_.pop()
                if tag != "table":
                    open_[-1].note(tree, node)
                else:
                    for outer in open_[-1:]:
                        outer.heavy = True
                    role = (tree.attribute(node, "role") or "").strip().lower()
                    presentation = role in ("presentation", "none")
                    found[node] = Grid(table=node, mode=article.mode, presentation=presentation)
                    open_.append(found[node])
            node += 1
    return found


def _outermost(article: Article) -> Iterator[int]:
    tags, ends, skipped = article.tree.tags, article.tree.ends, article.skipped
    end = ends[article.root]
    at, table = article.root, -1
    while True:
        if table < at:
            try:
                table = tags.index("table", at, end)
            except ValueError:
                return
        skip = skipped.find(1, at, table + 1)
        if skip >= 0:
            at = ends[skip]
        else:
            yield table
            at = ends[table]
