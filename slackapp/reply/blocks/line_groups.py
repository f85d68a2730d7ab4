"""Groups Markdown's lines into leaves: paragraphs, headings, code, tables, rules, with their containers."""

from collections.abc import Iterator
from dataclasses import dataclass

from fetcher.markdown_syntax.lines import Container, Line, LineKind, scan


@dataclass(slots=True, kw_only=True)
class Leaf:
    """Lines that belong together; a list item may have a blank one only."""

    kind: LineKind
    """The kind of its first line; for a table, of its rule."""
    containers: tuple[Container, ...]
    lines: list[str]
    level: int = 0
    """The level of a heading."""

    @property
    def text(self) -> str:
        """The lines, without blank ones after indented code."""
        end = len(self.lines)
        # Markdown's blanks are spaces and tabs. Other white space is text, so the first line is never blank.
        while self.kind is LineKind.INDENTED and not self.lines[end - 1].strip(" \t"):
            end -= 1
        return "\n".join(self.lines[:end])


_FIRST = {
    LineKind.TEXT: LineKind.TEXT,
    LineKind.FENCED: LineKind.FENCE,
    LineKind.INDENTED: LineKind.INDENTED,
    LineKind.TABLE_ROW: LineKind.TABLE_RULE,
}
"""By the kind of a line: the kind of the leaf that it may continue."""


def leaves(markdown: str) -> Iterator[Leaf]:
    """The leaves, in order."""
    leaf: Leaf | None = None
    for line in scan(markdown.split("\n")):
        # Blank lines continue indented code.
        kind = LineKind.INDENTED if line.kind is LineKind.BLANK else line.kind
        if leaf is not None and _FIRST.get(kind) is leaf.kind and leaf.containers == line.containers:
            leaf.lines.append(line.text)
        elif leaf is not None and line.kind is LineKind.UNDERLINE:
            leaf.kind, leaf.level = LineKind.HEADING, line.level
        elif leaf is not None and line.kind is LineKind.TABLE_RULE:
            header = leaf.lines.pop()
            if leaf.lines:
                yield leaf
            leaf = _new_leaf(line, [header, line.text])
        elif line.kind is not LineKind.FENCE_END:
            if leaf is not None:
                yield leaf
            leaf = _new_leaf(line, [] if line.kind is LineKind.FENCE else [line.text])
    if leaf is not None:
        yield leaf


def _new_leaf(line: Line, lines: list[str]) -> Leaf:
    return Leaf(kind=line.kind, containers=line.containers, lines=lines, level=line.level)
