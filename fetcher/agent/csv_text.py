"""CSV that Japanese Excel opens as it is meant, and in which no cell is a formula (S9)."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import normalize

_CELL = re.compile(
    r'(?:[ \t]*+"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"?)?(?P<plain>[^,\r\n]*+)(?P<end>,|\r\n|\r|\n|\Z)'
)

# A spreadsheet may skip white space and invisible characters before it looks for a formula. The last
# four, as escapes, are the full-width forms of the four signs.
_RISKY = re.compile(
    r"[\t\r\n]|[\s\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]"
)
_HARMLESS = re.compile(r" *(?:[+-]?(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]+)?%?|-) *")
"""A plain number, also with a per cent sign, and the lone hyphen that stands for "none"."""


def write(rows: Iterable[Sequence[str]]) -> str:
    """The rows as CSV with a byte order mark and `\\r\\n`; risky cells get a leading apostrophe."""
    text = io.StringIO(newline="")
    text.write("\ufeff")
    csv.writer(text, lineterminator="\r\n").writerows([safe(cell) for cell in row] for row in rows)
    return text.getvalue()


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    cell = cell.replace("\0", "")
    if _RISKY.match(cell) and not _HARMLESS.fullmatch(normalize("NFKC", cell)):
        return "'" + cell
    return cell


def parse(text: str) -> Iterator[list[str]]:
    """The rows of somebody's CSV, sound or not; the csv module's own reader has a limit on cells."""
    row: list[str] = []
    for cell in _CELL.finditer(text):
        if cell.start() == len(text) and not row:
            return  # behind the last line's end
        row.append((cell["quoted"] or "").replace('""', '"') + cell["plain"])
        if cell["end"] != ",":
            blank = row == [""] and cell["quoted"] is None
            yield [] if blank else row
            row = []
