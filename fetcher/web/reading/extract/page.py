"""A page while it is being read: what the rules look at, and what they have left out so far."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple

from fetcher.web.reading.extract.data_blocks import inside_data
from fetcher.web.reading.extract.features import Features
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.reading.tree import Tree

MOST, SOME, FEW = 0.8, 0.4, 0.25
"""The share of the text above which a part is not boilerplate, also if its name says so."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
CELLS = frozenset({"td", "th"})
PLACES = frozenset({*CELLS, "tr", "tbody", "thead", "tfoot", "table", "dt", "dd", "dl", "pre"})
"""Parts of data whose places mean something: a click may show them, and they stay."""
_FILES = (".pdf", ".xls", ".xlsx", ".csv", ".doc", ".docx", ".ppt", ".pptx")
_LONGEST_ENDING = max(map(len, _FILES))
_MOST_IN_HEADING = 50
"""The nodes in a heading in which a link is looked for."""
LOWEST = max(HEADINGS)
"""The heading of the lowest rank: the higher its rank, the lesser its name."""


class Names(NamedTuple):
    """The telling words in an element's class and id."""

    words: frozenset[str]
    heads: frozenset[str]
    """Those that say what the block is, as in `share-box` but not in `share-price`."""


@dataclass(slots=True, kw_only=True, eq=False)
class Page:
    html: bytes
    url: str
    tree: Tree
    kind: PageKind
    features: Features
    skipped: bytearray
    root: int
    titles: list[int] = field(init=False)
    """The indices of all `h1`: a block that holds one is not boilerplate."""
    wide_root: int = 0
    """The root before it was narrowed to the block with the prose; 0 if it was not."""
    body: int = 0
    """The block in which most of a story's paragraphs stand; 0 if it was not looked for."""
    mains: list[int] = field(default_factory=list)
    """The elements that are called the page's main part."""
    named: list[tuple[int, Names]] | None = None
    """The blocks whose class or id has a telling word, and their words, once they have been looked for."""
    blocks: list[int] = field(init=False)
    """The indices of all elements."""
    with_attribute: dict[str, list[int]] = field(init=False)
    """The indices of the elements that have an attribute, by its name, as the page came."""
    in_data: bytearray = field(init=False)
    """1 for each node inside a data table, a list of definitions or a code block."""
    head: list[int] = field(default_factory=list)
    """The title of a story and the lines with its day, once they are taken out of its text."""
    closed: list[int] = field(default_factory=list)
    """The elements that are left out because no click seems to show them."""
    linked_documents: list[int] | None = None
    """The indices of the links to documents, once they have been looked for."""
    linked_headings: list[int] | None = None
    """The indices of the headings that are links or hold some, once they have been looked for."""

    def __post_init__(self) -> None:
        self.titles = self.tree.named("h1")
        self.in_data = inside_data(self.tree, self.features)
        self.blocks = list(compress(range(len(self.tree.tags)), self.tree.tags))
        self.with_attribute = self.tree.with_attribute

    def skip(self, index: int) -> None:
        """Leaves a node out, with all that is in it; from the next adding up on it weighs nothing.

        A cell of a data table stays, empty: without it, those behind it would stand in other columns.
        """
        end = self.tree.ends[index]
        start = index + 1 if self.in_data[index] and self.tree.tags[index] in CELLS else index
        self.skipped[start:end] = b"\1" * (end - start)
        self.features.forget(index, end)

    def restore(self, index: int) -> None:
        """Reads a block after all, without what is hidden in it, and nothing else outside the root."""
        ends, root = self.tree.ends, self.root
        while not root <= index < ends[root]:
            root = self.tree.parents[root]
        self.skipped[root : self.root] = b"\1" * (self.root - root)
        self.skipped[ends[self.root] : ends[root]] = b"\1" * (ends[root] - ends[self.root])
        for block in (index, self.root):
            for at in self.ancestors(block):
                self.skipped[at] = 0
        self.skipped[index : ends[index]] = bytes(ends[index] - index)
        for hidden in self.closed:
            if index < hidden < ends[index]:
                self.skipped[hidden : ends[hidden]] = b"\1" * (ends[hidden] - hidden)
        self.root = root

    def with_any(self, names: Iterable[str]) -> list[int]:
        """The elements that have one of some attributes, in order."""
        found = [self.with_attribute[name] for name in names if name in self.with_attribute]
        return found[0] if len(found) == 1 else sorted(set[int]().union(*found))

    def ancestors(self, index: int) -> Iterator[int]:
        """The elements around a node, the innermost first."""
        while (index := self.tree.parents[index]) >= 0:
            yield index

    def elements(self) -> Iterator[int]:
        """The elements under the root that are read so far, in order; none in what is skipped."""
        skipped, blocks = self.skipped, self.blocks
        first, last = bisect_right(blocks, self.root), bisect_left(blocks, self.tree.ends[self.root])
        for index in blocks[first:last]:
            if not skipped[index]:
                yield index

    def is_data_table(self, index: int) -> bool:
        return self.tree.tags[index] == "table" and self.in_data[index + 1 : index + 2] == b"\1"

    def title(self) -> int | None:
        """The first `h1` under the root that is read so far."""
        end = self.tree.ends[self.root]
        return next((at for at in self.titles if self.root < at < end and not self.skipped[at]), None)

    def holds_title(self, index: int) -> bool:
        return bisect_left(self.titles, index) < bisect_left(self.titles, self.tree.ends[index])

    def documents(self) -> list[int]:
        """The links to documents: forms, leaflets, tables."""
        if self.linked_documents is None:
            attributes = self.tree.attributes
            links = (
                (at, (attributes[at].get("href") or "").partition("?")[0]) for at in self.tree.named("a")
            )
            self.linked_documents = [
                at for at, path in links if path[-_LONGEST_ENDING:].lower().endswith(_FILES)
            ]
        return self.linked_documents

    def holds_documents(self, index: int) -> bool:
        """Whether an element has links, and half of them lead to documents."""
        end, links, documents = self.tree.ends[index], self.tree.named("a"), self.documents()
        found = bisect_left(documents, end) - bisect_left(documents, index)
        return found > 0 and 2 * found >= bisect_left(links, end) - bisect_left(links, index)

    def holds_teasers(self, index: int) -> bool:
        """Whether a heading in an element leads elsewhere, as in lists of other articles."""
        if self.linked_headings is None:
            tags, linked_in = self.tree.tags, self.features.linked_in
            headings = [at for at in self.blocks if tags[at] in HEADINGS and linked_in(at)]
            self.linked_headings = list(filter(self._leads_elsewhere, headings))
        end = self.tree.ends[index]
        return bisect_left(self.linked_headings, index) < bisect_left(self.linked_headings, end)

    def _leads_elsewhere(self, heading: int) -> bool:
        """Whether a heading has a link to another page than this one, or stands in a link."""
        tree = self.tree
        inside = range(heading, min(tree.ends[heading], heading + _MOST_IN_HEADING))
        links = [tree.attributes[at].get("href") or "" for at in inside if tree.tags[at] == "a"]
        return not links or not all(href.startswith("#") for href in links)

    def next_heading(self, block: int, rank: str) -> int:
        """Where the next heading of a rank or a higher one begins after a block; else the root's end."""
        after = self.tree.ends[block]
        ranked = [self.tree.named(tag) for tag in HEADINGS if tag <= rank]
        found = [at[next_] for at in ranked if (next_ := bisect_left(at, after)) < len(at)]
        return min(found, default=self.tree.ends[self.root])

    def followers(self, block: int, stop: int) -> Iterator[int]:
        """The nodes beside a block that come after it and end before the stop."""
        ends = self.tree.ends
        at, stop = ends[block], min(stop, ends[self.tree.parents[block]])
        while at < stop and ends[at] <= stop:
            yield at
            at = ends[at]

    def sort_of(self, index: int) -> tuple[str, str]:
        """The tag and the first class of an element: what looks alike has the same."""
        return self.tree.tags[index], (self.tree.attributes[index].get("class") or "").partition(" ")[0]

    def text_of(self, index: int) -> str:
        """The text in a subtree, skipped or not, with its white space collapsed."""
        return " ".join(" ".join(self.tree.texts[index : self.tree.ends[index]]).split())

    def read_text_of(self, index: int) -> str:
        """The same without what is skipped."""
        end = self.tree.ends[index]
        if self.skipped.find(1, index, end) < 0:
            return self.text_of(index)
        texts = zip(self.tree.texts[index:end], self.skipped[index:end], strict=True)
        return " ".join(" ".join(text for text, is_skipped in texts if not is_skipped).split())
