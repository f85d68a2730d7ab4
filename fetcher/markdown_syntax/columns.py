"""A line of Markdown by its columns: a tab goes on to the next multiple of four."""

import re
from dataclasses import dataclass

TAB = 4

_SPACE = re.compile(r"[ \t]*+")


@dataclass(slots=True)
class Rest:
    """What is left of a line, and the column at which it begins."""

    text: str
    column: int = 0

    @property
    def indent(self) -> int:
        space = _SPACE.match(self.text)
        return self._width(space.end() if space else 0)

    @property
    def blank(self) -> bool:
        return not self.text.strip(" \t")

    def _width(self, size: int) -> int:
        column = self.column
        for character in self.text[:size]:
            column += TAB - column % TAB if character == "\t" else 1
        return column - self.column

    def skip(self, columns: int) -> None:
        """Goes on by so many columns of white space; a tab may be used in part."""
        at = 0
        left = columns
        while left and at < len(self.text) and self.text[at] in " \t":
            width = TAB - self.column % TAB if self.text[at] == "\t" else 1
            at += 1
            used = min(width, left)
            self.column += used
            left -= used
            if used < width:
                self.text = " " * (width - used) + self.text[at:]
                return
        self.text = self.text[at:]

    def skip_mark(self, size: int) -> None:
        self.text = self.text[size:]
        self.column += size
