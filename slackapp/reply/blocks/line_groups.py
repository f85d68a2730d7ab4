"""Markdown's lines gathered to leaves: paragraphs, headings, code, tables, rules, with what they stand in."""

from collections.abc import Iterator
from dataclasses import dataclass

from fetcher.markdown_syntax.lines import Container, Line, LineKind, scan


@dataclass(slots=True, kw_only=True)
class Leaf:
    """Lines that belong together; a blank one may be all that a point of a list has."""

    kind: LineKind
    """Of its first line; a table's is that of its rule."""
    containers: tuple[Container, ...]
    lines: list[str]
    level: int = 0
    """Of a heading."""

    @property
    def text(self) -> str:
        """The lines; blank ones behind indented code are no part of it."""
        lines = self.lines
        if self.kind is LineKind.INDENTED:  # whose first line is not blank
            end = next(
                at for at in range(len(lines), 0, -1) if lines[at - 1].strip()
            )  # its first is not blank
            lines = lines[:end]
        return "\n".join(lines)


_FIRST = {
    LineKind.TEXT: LineKind.TEXT,
    LineKind.FENCED: LineKind.FENCE,
    LineKind.INDENTED: LineKind.INDENTED,
    LineKind.TABLE_ROW: LineKind.TABLE_RULE,
}
"""The kind of leaf that a line of a kind may go on with."""


def leaves(markdown: str) -> Iterator[Leaf]:
    """The leaves, in order."""
    leaf: Leaf | None = None
    for line in scan(markdown.split("\n")):
        if leaf is not None and _goes_on(leaf, line):
            leaf.lines.append(line.text)
        elif leaf is not None and line.kind is LineKind.UNDERLINE:
            leaf.kind, leaf.level = LineKind.HEADING, line.level
        elif leaf is not None and line.kind is LineKind.TABLE_RULE:
            header = leaf.lines.pop()
            if leaf.lines:
                yield leaf
            leaf = _begun(line, [header, line.text])
        elif line.kind is not LineKind.FENCE_END:
            if leaf is not None:
                yield leaf
            leaf = _begun(line, [] if line.kind is LineKind.FENCE else [line.text])
    if leaf is not None:
        yield leaf


def _goes_on(leaf: Leaf, line: Line) -> bool:
    kind = LineKind.INDENTED if line.kind is LineKind.BLANK else line.kind
    return _FIRST.get(kind) is leaf.kind and leaf.containers == line.containers


def _begun(line: Line, lines: list[str]) -> Leaf:
    return Leaf(kind=line.kind, containers=line.containers, lines=lines, level=line.level)
