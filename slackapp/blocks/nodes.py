"""Markdown's blocks as values: what the answer consists of, before anybody asks how Slack shows it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from slackapp.blocks.inline import Sources, Span, spans

Spans = tuple[Span, ...]


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
class Listing:
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    spans: Spans


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    rows: tuple[tuple[Spans, ...], ...]
    """The first one is the header; all are of one width."""
    aligns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A line across."""


Node = Paragraph | Heading | Listing | Quote | Code | Table | Rule

DEEPEST = 8
"""How far Slack indents a list."""

_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[^`]*")
_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})[ \t]+(?P<text>.*?)(?:[ \t]+#+)?[ \t]*")
_RULE = re.compile(r" {0,3}(?P<mark>[-*_])(?:[ \t]*(?P=mark)){2,}[ \t]*")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+\u2022]|(?P<number>[0-9]{1,9})[.)])[ \t]+(?P<text>.*)")
_QUOTED = re.compile(r" {0,3}>[ ]?(?P<text>.*)")
_RULE_OF_TABLE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_END_OF_CELL = re.compile(r"(?<!\\)\|")
_CONTINUED = re.compile(r"(?:[ ]{2,}|\t)\S")


def parse(markdown: str, sources: Sources | None = None) -> tuple[Node, ...]:
    """The blocks of an answer, in order."""
    return tuple(_Reader(markdown.split("\n"), sources or {}).nodes())


class _Reader:
    """Walks through the lines once; each method takes the lines of one block."""

    def __init__(self, lines: Sequence[str], sources: Sources) -> None:
        self._lines = lines
        self._sources = sources
        self._at = 0

    def nodes(self) -> Iterator[Node]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.strip():
                self._at += 1
            elif fence := _FENCE.fullmatch(line):
                yield self._code(fence["fence"])
            elif heading := _HEADING.fullmatch(line):
                self._at += 1
                yield Heading(level=len(heading["level"]), spans=self._spans(heading["text"]))
            elif _RULE.fullmatch(line):
                self._at += 1
                yield Rule()
            elif self._at_table():
                yield self._table()
            elif _ITEM.fullmatch(line):
                yield self._listing()
            elif _QUOTED.fullmatch(line):
                yield self._quote()
            else:
                yield self._paragraph()

    def _spans(self, text: str) -> Spans:
        return spans(text.strip(), self._sources)

    def _code(self, fence: str) -> Code:
        lines = []
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                break
            lines.append(line)
        return Code(text="\n".join(lines))

    def _at_table(self) -> bool:
        rule = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
        return "|" in self._lines[self._at] and "|" in rule and bool(_RULE_OF_TABLE.fullmatch(rule))

    def _table(self) -> Table:
        header, rule = self._lines[self._at], self._lines[self._at + 1]
        rows = [_cells(header)]
        self._at += 2
        while self._at < len(self._lines) and "|" in self._lines[self._at]:
            rows.append(_cells(self._lines[self._at]))
            self._at += 1
        width = max(map(len, rows))
        aligns = [_align(cell) for cell in _cells(rule)]
        return Table(
            rows=tuple(tuple(map(self._spans, row + [""] * (width - len(row)))) for row in rows),
            aligns=tuple((aligns + ["left"] * width)[:width]),
        )

    def _listing(self) -> Listing:
        """Points, and lines that go on with one; a blank line between two points is no end."""
        items: list[Item] = []
        indents: list[int] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if _RULE.fullmatch(line):
                break
            if item := _ITEM.fullmatch(line):
                self._at += 1
                text = "\n".join([item["text"], *self._continuation()])
                items.append(
                    Item(
                        spans=self._spans(text),
                        depth=_depth(indents, len(item["indent"].expandtabs(4))),
                        number=int(item["number"]) if item["number"] else None,
                    )
                )
            elif not line.strip() and self._another_point():
                self._at += 1
            else:
                break
        return Listing(items=tuple(items))

    def _continuation(self) -> Iterator[str]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not _CONTINUED.match(line) or _ITEM.fullmatch(line) or _FENCE.fullmatch(line):
                return
            self._at += 1
            yield line.strip()

    def _another_point(self) -> bool:
        rest = (self._lines[at] for at in range(self._at, len(self._lines)))
        following = next((line for line in rest if line.strip()), "")
        return bool(_ITEM.fullmatch(following)) and not _RULE.fullmatch(following)

    def _quote(self) -> Quote:
        lines = []
        while self._at < len(self._lines) and (quoted := _QUOTED.fullmatch(self._lines[self._at])):
            self._at += 1
            lines.append(_as_line(quoted["text"]))
        return Quote(spans=self._spans("\n".join(lines)))

    def _paragraph(self) -> Paragraph:
        lines = [self._lines[self._at].strip()]
        self._at += 1
        while self._at < len(self._lines) and not self._begins_block():
            lines.append(self._lines[self._at].strip())
            self._at += 1
        return Paragraph(spans=self._spans("\n".join(lines)))

    def _begins_block(self) -> bool:
        line = self._lines[self._at]
        starts = (_FENCE, _HEADING, _RULE, _ITEM, _QUOTED)
        return not line.strip() or any(start.fullmatch(line) for start in starts) or self._at_table()


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _END_OF_CELL.split(inner)]


def _align(rule: str) -> str:
    return {(True, True): "center", (False, True): "right"}.get(
        (rule.startswith(":"), rule.endswith(":")), "left"
    )


def _depth(indents: list[int], indent: int) -> int:
    """How deep a point stands, by the indents of the points it stands under."""
    while indents and indent < indents[-1]:
        indents.pop()
    if not indents or indent >= indents[-1] + 2:
        indents.append(indent)
    return min(len(indents) - 1, DEEPEST)


def _as_line(text: str) -> str:
    """A point or a heading inside a quote, which has neither."""
    if item := _ITEM.fullmatch(text):
        return f"{item['number']}. {item['text']}" if item["number"] else f"\u2022 {item['text']}"
    heading = _HEADING.fullmatch(text)
    return f"**{heading['text']}**" if heading else text
