"""Markdown's blocks as values, independent of how Slack shows them.

Slack has no code, table or second list inside a list item: such a part of an item follows as a node of its
own, and the list continues after it with its numbers. A line break stays one, soft or hard, because Japanese
is written without spaces between words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from slackapp.reply.blocks.spans import Sources, Span, Spans, joined, spans

if TYPE_CHECKING:
    from markdown_it.token import Token


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
    """The blocks of an answer, in order; a mark such as `[1]` links to the source of that number."""
    from fetcher import markdown as reader  # takes 0.1 s; only answers need it

    return _Builder(reader.parse(markdown), sources or {}).build()


@dataclass(slots=True, eq=False)
class _OpenQuote:
    """A quote that is being read; equal only to itself."""


@dataclass(slots=True, eq=False, kw_only=True)
class _OpenItem:
    """An item that may get more paragraphs; equal only to itself."""

    depth: int
    number: int | None
    paragraphs: list[Spans] = field(default_factory=list)

    def item(self) -> Item:
        """The item, with a box for `[ ]` and `[x]`."""
        words = _paragraphs(self.paragraphs)
        first = words[0] if words else Span(text="")
        box = "" if first.code or first.url else _BOXES.get(first.text[:4], "")
        if box:
            words = (replace(first, text=f"{box} {first.text[4:]}"), *words[1:])
        return Item(spans=words, depth=self.depth, number=self.number)


_Around = Sequence[_OpenQuote | _OpenItem]


class _Builder:
    """Builds nodes from tokens; items, and the paragraphs of a quote, wait until something else follows."""

    def __init__(self, tokens: Iterable["Token"], sources: Sources) -> None:
        self._tokens = iter(tokens)
        self._sources = sources
        self._nodes: list[Node] = []
        self._items: list[_OpenItem] = []
        self._quote: list[Spans] = []
        """The paragraphs of a quote; `_items` or this is empty."""
        self._around: list[_OpenQuote | _OpenItem] = []
        self._around_waiting: _Around = ()
        """What is around the waiting quote or list."""
        self._numbers: list[tuple[str, int | None]] = []
        """The last number of each list that is being read, as it was written and as it is shown."""

    def build(self) -> tuple[Node, ...]:
        for token in self._tokens:
            match token.type:
                case "heading_open":
                    self._add_heading(int(token.tag[1]), self._spans(next(self._tokens)))
                case "inline":
                    self._add_paragraph(self._spans(token))
                case "fence" | "code_block":
                    text = token.content.removesuffix("\n")
                    self._add(Code(text=text, quoted=_depth_of_quotes(self._around) > 0))
                case "table_open":
                    self._add(self._table())
                case "hr":
                    self._add(Rule())
                case _:
                    self._enter_or_leave(token)
        self._end_waiting()
        return tuple(self._nodes)

    def _enter_or_leave(self, token: "Token") -> None:
        """Quotes, lists and items."""
        match token.type:
            case "blockquote_open":
                self._around.append(_OpenQuote())
            case "bullet_list_open" | "ordered_list_open":
                self._numbers.append(("", None))
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_open":
                self._begin_item(token.info)
            case "blockquote_close" | "list_item_close":
                self._around.pop()

    def _spans(self, token: "Token") -> Spans:
        return spans(token.children or (), self._sources)

    def _add(self, node: Node) -> None:
        self._end_waiting()
        self._nodes.append(node)

    def _end_waiting(self) -> None:
        """Add the node of the waiting items or paragraphs."""
        quotes = _depth_of_quotes(self._around_waiting)
        if self._items:
            items = tuple(item.item() for item in self._items)
            self._nodes.append(MarkdownList(items=items, quoted=quotes > 0))
        elif self._quote:
            self._nodes.append(Quote(spans=_paragraphs(self._quote), nested=quotes > 1))
        self._items, self._quote = [], []

    def _begin_item(self, written: str) -> None:
        if self._quote or _depth_of_quotes(self._around) != _depth_of_quotes(self._around_waiting):
            self._end_waiting()
        self._around_waiting = (*self._around,)
        last, shown = self._numbers[-1]
        number = int(written) if written else None
        if (
            shown is not None and last == written
        ):  # `2. 5. 7.` has gaps on purpose; a repeated number counts up
            number = shown + 1
        self._numbers[-1] = (written, number)
        depth = sum(isinstance(each, _OpenItem) for each in self._around)
        item = _OpenItem(depth=min(depth, DEEPEST), number=number)
        self._items.append(item)
        self._around.append(item)

    def _add_heading(self, level: int, words: Spans) -> None:
        if self._around:
            self._add_paragraph(bold(words))
        else:
            self._add(Heading(level=level, spans=words))

    def _add_paragraph(self, words: Spans) -> None:
        """Add a paragraph to the waiting item or quote, or as a node."""
        if self._items and self._around[-1:] == self._items[-1:]:
            self._items[-1].paragraphs.append(words)
        elif not _depth_of_quotes(self._around):
            self._add(Paragraph(spans=words))
        else:
            if not self._quote or self._around != [*self._around_waiting]:
                self._end_waiting()
            self._around_waiting = (*self._around,)
            self._quote.append(words)

    def _table(self) -> Table:
        """All rows get the width of the widest, so that no cell is lost."""
        rows: list[list[Spans]] = []
        aligns: list[str] = []
        for token in self._tokens:
            match token.type:
                case "tr_open":
                    rows.append([])
                case "th_open":
                    aligns.append(str(token.attrs.get("style", "")).partition(":")[2] or "left")
                case "inline":
                    rows[-1].append(self._spans(token))
                case "table_close":
                    break
        width = max(map(len, rows))
        return Table(
            rows=tuple((*row, *[()] * (width - len(row))) for row in rows),
            aligns=(*aligns, *["left"] * (width - len(aligns))),
        )


def _paragraphs(paragraphs: Iterable[Spans]) -> Spans:
    return joined([span for words in paragraphs if words for span in (GAP, *words)][1:])


def bold(words: Iterable[Span]) -> Spans:
    return tuple(replace(span, bold=True) for span in words)


def _depth_of_quotes(around: _Around) -> int:
    return sum(isinstance(each, _OpenQuote) for each in around)
