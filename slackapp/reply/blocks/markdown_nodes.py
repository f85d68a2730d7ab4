"""Markdown's blocks as values, independent of how Slack shows them.

Slack has no code, table or second list inside a list item: such a part of an item follows as a node of its
own, and the list continues after it with its numbers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fetcher.markdown_syntax import lines as markdown_lines
from fetcher.markdown_syntax.lines import Container, LineKind
from fetcher.markdown_syntax.tables import cells_of
from slackapp.reply.blocks.inline import Sources, Span, joined, spans
from slackapp.reply.blocks.line_groups import Leaf, leaves

Spans = tuple[Span, ...]
Containers = tuple[Container, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    spans: Spans


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    level: int
    spans: Spans


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item of a list."""

    spans: Spans
    depth: int = 0
    number: int | None = None
    """None for a bullet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownList:
    items: tuple[Item, ...]
    quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    spans: Spans
    nested: bool = False
    """Whether it is inside another quote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    rows: tuple[tuple[Spans, ...], ...]
    """The first row is the header; all rows have the same number of cells."""
    aligns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A horizontal line."""


Node = Paragraph | Heading | MarkdownList | Quote | Code | Table | Rule

DEEPEST = 8
"""The deepest indent of a list in Slack: `RichTextList.indent` of `@slack/types`."""

GAP = Span(text="\n\n")
"""Between two paragraphs of one item or quote."""

_BOXES = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}


def parse(markdown: str, sources: Sources | None = None) -> tuple[Node, ...]:
    """The blocks of an answer, in order."""
    builder = _Builder(sources or {})
    for leaf in leaves(markdown):
        builder.add_leaf(leaf)
    return builder.finish()


class _Number(NamedTuple):
    """The last number of a list."""

    mark: str
    written: int | None
    shown: int | None


@dataclass(slots=True, kw_only=True)
class _OpenItem:
    """An item that may get more paragraphs."""

    container: Container
    depth: int
    number: int | None
    paragraphs: list[Spans] = field(default_factory=list)

    def item(self) -> Item:
        """The item, with a box for `[ ]` and `[x]`."""
        spans = _paragraphs(self.paragraphs)
        first = spans[0] if spans else Span(text="")
        box = "" if first.code or first.url else _BOXES.get(first.text[:4], "")
        if box:
            spans = (replace(first, text=f"{box} {first.text[4:]}"), *spans[1:])
        return Item(spans=spans, depth=self.depth, number=self.number)


class _Builder:
    """Builds nodes from leaves; items, and the paragraphs of a quote, wait until something else follows."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._nodes: list[Node] = []
        self._items: list[_OpenItem] = []
        self._quote: list[Spans] = []
        """The paragraphs of a quote; `_items` or this is empty."""
        self._containers: Containers = ()
        """The containers of the waiting quote or list."""
        self._begun: set[Container] = set()
        self._numbers: dict[Container | None, _Number] = {}
        """The last number of each list that may continue, by the container of the list."""

    def finish(self) -> tuple[Node, ...]:
        self._end_waiting()
        return tuple(self._nodes)

    def add_leaf(self, leaf: Leaf) -> None:
        self._begin_items(leaf.containers)
        if leaf.kind is LineKind.BLANK:
            return
        self._numbers.pop(leaf.containers[-1] if leaf.containers else None, None)
        match leaf.kind:
            case LineKind.TEXT:
                self._add_paragraph(self._spans(leaf.text), leaf.containers)
            case LineKind.HEADING if leaf.containers:
                self._add_paragraph(bold(self._spans(leaf.text)), leaf.containers)
            case LineKind.HEADING:
                self._add(Heading(level=leaf.level, spans=self._spans(leaf.text)))
            case LineKind.TABLE_RULE:
                self._add(self._table(leaf.lines))
            case LineKind.RULE:
                self._add(Rule())
            case _:
                self._add(Code(text=leaf.text, quoted=_depth_of_quotes(leaf.containers) > 0))

    def _spans(self, text: str) -> Spans:
        return spans(text, self._sources)

    def _add(self, node: Node) -> None:
        self._end_waiting()
        self._nodes.append(node)

    def _end_waiting(self) -> None:
        """Add the node of the waiting items or paragraphs."""
        quotes = _depth_of_quotes(self._containers)
        if self._items:
            items = tuple(item.item() for item in self._items)
            self._nodes.append(MarkdownList(items=items, quoted=quotes > 0))
        elif self._quote:
            self._nodes.append(Quote(spans=_paragraphs(self._quote), nested=quotes > 1))
        self._items, self._quote = [], []

    def _begin_items(self, containers: Containers) -> None:
        """Begin the items that start with this leaf, still without paragraphs."""
        depth = 0
        for index, container in enumerate(containers):
            around = containers[:index]
            parent = around[-1] if around else None
            if isinstance(container, markdown_lines.Quote):
                self._numbers.pop(parent, None)
                continue
            if container not in self._begun:
                self._begun.add(container)
                if self._quote or _depth_of_quotes(around) != _depth_of_quotes(self._containers):
                    self._end_waiting()
                self._containers = around
                last, number = self._numbers.get(parent), container.number
                # `2. 5. 7.` has gaps on purpose; a repeated number counts up.
                if last and last.shown is not None and last[:2] == (container.mark, number):
                    number = last.shown + 1
                self._numbers[parent] = _Number(container.mark, container.number, number)
                item = _OpenItem(container=container, depth=min(depth, DEEPEST), number=number)
                self._items.append(item)
            depth += 1

    def _add_paragraph(self, words: Spans, containers: Containers) -> None:
        """Add a paragraph to the waiting item or quote, or as a node."""
        if self._items and containers[-1:] == (self._items[-1].container,):
            self._items[-1].paragraphs.append(words)
        elif not _depth_of_quotes(containers):
            self._add(Paragraph(spans=words))
        else:
            if not self._quote or containers != self._containers:
                self._end_waiting()
            self._containers = containers
            self._quote.append(words)

    def _table(self, lines: Sequence[str]) -> Table:
        """All rows get the width of the widest, so that no cell is lost."""
        header, rule, *rows = map(cells_of, lines)
        width = max(map(len, (header, *rows)))
        return Table(
            rows=tuple(
                tuple(self._spans(cell.replace("\\|", "|")) for cell in row + [""] * (width - len(row)))
                for row in (header, *rows)
            ),
            aligns=tuple(
                ("center" if cell.startswith(":") else "right") if cell.endswith(":") else "left"
                for cell in (rule + [""] * width)[:width]
            ),
        )


def _paragraphs(paragraphs: Iterable[Spans]) -> Spans:
    return joined([span for words in paragraphs if words for span in (GAP, *words)][1:])


def bold(words: Iterable[Span]) -> Spans:
    return tuple(replace(span, bold=True) for span in words)


def _depth_of_quotes(containers: Containers) -> int:
    return sum(isinstance(each, markdown_lines.Quote) for each in containers)
