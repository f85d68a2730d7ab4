"""Where the article's tables are, and which of them hold data.

One pass over the tables' nodes, however deep they nest, finds rows and cells and tells data from
layout: `tables.py` exports the first alone, `writer.py` writes the second as plain content.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown.elements import BLOCKS, HEADINGS, PREFORMATTED, SECTIONS, SILENT
from fetcher.web.reading.tree import Article, Tree

_HEAVY = HEADINGS | PREFORMATTED
_BLOCK = 4
_WEIGHTS = dict.fromkeys(BLOCKS - SECTIONS | {"p", "form", "section", "article"}, _BLOCK) | {"br": 1}
"""How much an element inside a cell speaks for layout: a block as much as four line breaks."""
_NOTED = frozenset({"table", "tr", "td", "th", "caption", *_HEAVY, *_WEIGHTS})
"""Elements that tell something about the table around them; most in a table do not."""


@dataclass(frozen=True, slots=True)
class _Limits:
    """The weights beyond which a table is layout; for headed and other tables, for each of their cells."""

    headed: int
    other: int
    excused: bool
    """True where one block or line break in each cell weighs nothing: editors write cells so."""


_LIMITS = {
    ReadingMode.SRD: _Limits(headed=4 * _BLOCK, other=_BLOCK, excused=False),
    ReadingMode.ARTICLE: _Limits(headed=3 * _BLOCK, other=_BLOCK // 2, excused=True),
}


@dataclass(slots=True, kw_only=True)
class Grid:
    """A `<table>` as it stands in the page: the nodes of its rows and cells, spans not yet resolved."""

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
    """True when the cell at hand has none so far."""
    presentation: bool = False

    def add_cell(self, node: int, is_header: bool) -> None:
        if is_header and not self.headed:
            self.headed = True
            self.header = len(self.rows) - 1
        self.rows[-1].append(node)
        self.unweighed = True

    def add_weight(self, weight: int) -> None:
        self.weight += weight
        if weight and self.unweighed:
            self.unweighed = False
            self.firsts += weight

    @property
    def is_layout(self) -> bool:
        """True for a table that only arranges the page, as old pages do."""
        cells = sum(map(len, self.rows))
        if self.presentation or cells < (1 if self.headed else 2):
            return True
        limits = _LIMITS[self.mode]
        weight = self.weight - self.firsts if limits.excused else self.weight
        if max(map(len, self.rows)) == 1:
            return self.heavy or weight >= _BLOCK
        if self.headed:  # by somebody who knew tables: only much content says otherwise
            return weight > limits.headed * cells
        return self.heavy or weight > limits.other * cells


def survey(article: Article) -> dict[int, Grid]:
    """Every table of the article by its node, in document order."""
    found: dict[int, Grid] = {}
    for table in _outermost(article):
        _survey(article, table, found)
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


def _survey(article: Article, table: int, found: dict[int, Grid]) -> None:
    tree, skipped = article.tree, article.skipped
    tags, ends = tree.tags, tree.ends
    open_: list[Grid] = []
    node, end = table, ends[table]
    while node < end:
        tag = tags[node]
        if tag in SILENT or (skipped and skipped[node]):
            node = ends[node]
            continue
        if tag in _NOTED:
            while open_ and node >= ends[open_[-1].table]:
                open_.pop()
            _note(open_, article, node, found)
        node += 1


def _note(open_: list[Grid], article: Article, node: int, found: dict[int, Grid]) -> None:
    """Notes what one element tells about the innermost of the open tables."""
    tree = article.tree
    tag = tree.tags[node]
    if tag == "table":
        for outer in open_[-1:]:
            outer.heavy = True
        found[node] = Grid(table=node, mode=article.mode, presentation=_is_presentation(tree, node))
        open_.append(found[node])
    elif tag == "tr":
        open_[-1].rows.append([])
        open_[-1].groups.append(tree.parents[node])
    elif tag in ("td", "th"):
        open_[-1].add_cell(node, tag == "th")
    elif tag == "caption":
        if open_[-1].caption is None or article.mode is ReadingMode.SRD:
            open_[-1].caption = node
    else:
        open_[-1].heavy |= tag in _HEAVY
        open_[-1].add_weight(_WEIGHTS.get(tag, 0))


def _is_presentation(tree: Tree, node: int) -> bool:
    return (tree.attribute(node, "role") or "").strip().lower() in ("presentation", "none")
