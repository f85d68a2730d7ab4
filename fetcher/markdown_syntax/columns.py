"""A line of Markdown by its columns: a tab reaches to the next multiple of four."""

from dataclasses import dataclass

TAB = 4


@dataclass(slots=True)
class Rest:
    """What is left of a line, and the column at which it begins."""

    text: str
    column: int = 0

    @property
    def indent(self) -> int:
        """The columns of white space at its beginning."""
        column = self.column
        for character in self.text[: len(self.text) - len(self.text.lstrip(" \t"))]:
            column += TAB - column % TAB if character == "\t" else 1
        return column - self.column

    @property
    def blank(self) -> bool:
        return not self.text.strip(" \t")

    def skip(self, columns: int) -> None:
        """Removes so many columns of white space; a part of a tab becomes spaces."""
        at, left = 0, columns
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
