"""Markdown's blocks as values: what the answer consists of, before anybody asks how Slack shows it.

Slack knows no code, table or second list inside a point: what a point holds besides words follows it as a
node of its own, and the list goes on behind that with its own numbers.
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
    """A point of a list."""

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
    """Whether it stands in another quote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    rows: tuple[tuple[Spans, ...], ...]
    """The first one is the header; all are of one width."""
    aligns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A line across."""


Node = Paragraph | Heading | MarkdownList | Quote | Code | Table | Rule

DEEPEST = 8
"""How far Slack indents a list: `RichTextList.indent` of `@slack/types`."""

GAP = Span(text="\n\n")
"""Between two paragraphs of one point or quote."""

_BOXES = {"[ ] ": "\u2610", "[x] ": "\u2611", "[X] ": "\u2611"}


def parse(markdown: str, sources: Sources | None = None) -> tuple[Node, ...]:
    """The blocks of an answer, in order."""
    builder = _Builder(sources or {})
    for leaf in leaves(markdown):
        builder.take(leaf)
    return builder.built()


class _Number(NamedTuple):
    """The last number of a list."""

    mark: str
    written: int | None
    shown: int | None


@dataclass(slots=True, kw_only=True)
class _Point:
    """A point that may get more words."""

    container: Container
    depth: int
    number: int | None
    paragraphs: list[Spans] = field(default_factory=list)

    def item(self) -> Item:
        return Item(spans=_with_box(_paragraphs(self.paragraphs)), depth=self.depth, number=self.number)


class _Builder:
    """Takes leaves in order; points and the paragraphs of a quote wait until something else comes."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._nodes: list[Node] = []
        self._points: list[_Point] = []
        self._quote: list[Spans] = []
        """The paragraphs of a quote; of these two only one has something."""
        self._containers: Containers = ()
        """What the quote's paragraphs stand in, or the list."""
        self._begun: set[Container] = set()
        self._numbers: dict[Container | None, _Number] = {}
        """The list that may go on, by what it stands in."""

    def built(self) -> tuple[Node, ...]:
        self._interrupt()
        return tuple(self._nodes)

    def take(self, leaf: Leaf) -> None:
        self._begin_points(leaf.containers)
        if leaf.kind is LineKind.BLANK:
            return
        self._numbers.pop(leaf.containers[-1] if leaf.containers else None, None)
        match leaf.kind:
            case LineKind.TEXT:
                self._words(self._spans(leaf.text), leaf.containers)
            case LineKind.HEADING if leaf.containers:
                self._words(bold(self._spans(leaf.text)), leaf.containers)
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
        self._interrupt()
        self._nodes.append(node)

    def _interrupt(self) -> None:
        """Adds the node that was waiting."""
        quotes = _depth_of_quotes(self._containers)
        if self._points:
            items = tuple(point.item() for point in self._points)
            self._nodes.append(MarkdownList(items=items, quoted=quotes > 0))
        elif self._quote:
            self._nodes.append(Quote(spans=_paragraphs(self._quote), nested=quotes > 1))
        self._points, self._quote = [], []

    def _begin_points(self, containers: Containers) -> None:
        """The points that begin with a leaf, still without words."""
        depth = 0
        for place, container in enumerate(containers):
            parent = containers[place - 1] if place else None
            if isinstance(container, markdown_lines.Quote):
                self._numbers.pop(parent, None)
                continue
            if container not in self._begun:
                self._begun.add(container)
                self._begin_point(container, depth, containers[:place])
            depth += 1

    def _begin_point(self, item: markdown_lines.Item, depth: int, around: Containers) -> None:
        if self._quote or _depth_of_quotes(around) != _depth_of_quotes(self._containers):
            self._interrupt()
        self._containers = around
        parent = around[-1] if around else None
        number = _next_number(item, self._numbers.get(parent))
        self._numbers[parent] = _Number(item.mark, item.number, number)
        self._points.append(_Point(container=item, depth=min(depth, DEEPEST), number=number))

    def _words(self, words: Spans, containers: Containers) -> None:
        """A paragraph, where there is one that it goes on with there."""
        if self._points and containers[-1:] == (self._points[-1].container,):
            self._points[-1].paragraphs.append(words)
        elif not _depth_of_quotes(containers):
            self._add(Paragraph(spans=words))
        else:
            if not self._quote or containers != self._containers:
                self._interrupt()
            self._containers = containers
            self._quote.append(words)

    def _table(self, lines: Sequence[str]) -> Table:
        """Cells that no column was made for are kept: all rows get the width of the widest."""
        header, rule, *rows = map(cells_of, lines)
        width = max(map(len, (header, *rows)))
        return Table(
            rows=tuple(
                tuple(self._spans(cell.replace("\\|", "|")) for cell in row + [""] * (width - len(row)))
                for row in (header, *rows)
            ),
            aligns=tuple((list(map(_align, rule)) + ["left"] * width)[:width]),
        )


def _paragraphs(paragraphs: Iterable[Spans]) -> Spans:
    return joined([span for words in paragraphs if words for span in (GAP, *words)][1:])


def bold(words: Iterable[Span]) -> Spans:
    return tuple(replace(span, bold=True) for span in words)


def _depth_of_quotes(containers: Containers) -> int:
    return sum(isinstance(each, markdown_lines.Quote) for each in containers)


def _next_number(item: markdown_lines.Item, last: _Number | None) -> int | None:
    """The number as it is written: `2. 5. 7.` has gaps on purpose. The same number again counts on."""
    repeated = last is not None and last.mark == item.mark and last.written == item.number
    if last is not None and last.shown is not None and repeated:
        return last.shown + 1
    return item.number


def _with_box(words: Spans) -> Spans:
    """A task's words, with a box for `[ ]` and `[x]`."""
    first = words[0] if words else Span(text="")
    box = "" if first.code or first.url else _BOXES.get(first.text[:4], "")
    return (replace(first, text=f"{box} {first.text[4:]}"), *words[1:]) if box else words


def _align(rule: str) -> str:
    return {(True, True): "center", (False, True): "right"}.get(
        (rule.startswith(":"), rule.endswith(":")), "left"
    )
