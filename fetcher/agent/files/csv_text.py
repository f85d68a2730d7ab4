"""CSV that Japanese Excel opens as it is meant, and in which no cell is a formula (S9)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import normalize

_CELL = re.compile(
    r'(?:[ \t]*+"(?P<quoted>[^"]*+(?>""[^"]*+)*+)"?)?(?P<plain>[^,\r\n]*+)(?P<end>,|\r\n|\r|\n|\Z)'
)

# A spreadsheet may skip white space and invisible characters before it looks for a formula. It takes
# full-width signs for formulas too.
_UNSEEN = r"\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
_SIGNS = r"=+\-@＝＋－＠"
_RISKY = re.compile(rf"[\t\r\n]|[\s{_UNSEEN}]*+[{_SIGNS}]")
_NUMBER = re.compile(r" *(?:[+-]?(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]+)?%?|-) *")
"""A plain number, also with a per cent sign, and the lone hyphen that stands for "none"."""

# Many spreadsheets separate cells at semicolons or tabs, and ignore quotes in the middle of a line: for
# them a cell begins behind each of these, and behind each line's end.
_RISKY_PART = re.compile(rf"(?<=[;\t\r\n])(?>[^\S\t\r\n]|[{_UNSEEN}\"])*+[{_SIGNS}][^;\t\r\n]*+")
_QUOTED = re.compile(r'[",;\t\r\n]')


def csv_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The rows as lines of CSV, the first behind a byte order mark; risky cells get an apostrophe."""
    start = "\ufeff"
    for row in rows:
        cells = map(safe, row)
        line = ",".join(
            '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell for cell in cells
        )
        if row and not line:
            line = '""'  # one empty cell, not an empty line
        yield f"{start}{line}\r\n"
        start = ""


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula, whichever separator it expects."""
    cell = _RISKY_PART.sub(lambda part: _with_apostrophe(part[0]), cell.replace("\0", ""))
    return _with_apostrophe(cell) if _RISKY.match(cell) else cell


def _with_apostrophe(risky: str) -> str:
    """The text as no formula; a number is left as it is."""
    return risky if _NUMBER.fullmatch(normalize("NFKC", risky)) else "'" + risky


def parse(text: str) -> Iterator[list[str]]:
    """The rows of CSV, well formed or not; the csv module's own reader has a limit on cells."""
    row: list[str] = []
    for cell in _CELL.finditer(text):
        if cell.start() == len(text) and not row:
            return  # behind the last line's end
        row.append((cell["quoted"] or "").replace('""', '"') + cell["plain"])
        if cell["end"] != ",":
            blank = row == [""] and cell["quoted"] is None
            yield [] if blank else row
            row = []
