"""CSV that Japanese Excel opens as it is meant, and in which no cell is a formula (S9)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import normalize

_CELL = re.compile(
    r'(?:[ \t]*+"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"?)?(?P<plain>[^,\r\n]*+)(?P<end>,|\r\n|\r|\n|\Z)'
)

# A spreadsheet may skip white space and invisible characters before it looks for a formula. The last
# four, as escapes, are the full-width forms of the four signs.
_UNSEEN = r"\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
_SIGNS = r"=+\-@\uff1d\uff0b\uff0d\uff20"
_RISKY = re.compile(rf"[\t\r\n]|[\s{_UNSEEN}]*+[{_SIGNS}]")
_HARMLESS = re.compile(r" *(?:[+-]?(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]+)?%?|-) *")
"""A plain number, also with a per cent sign, and the lone hyphen that stands for "none"."""

# To a spreadsheet that parts cells at semicolons or tabs, as many are set up to do, quotes in the middle
# of a line mean nothing: there a cell begins behind each of these, and behind each line's end.
_RISKY_PART = re.compile(rf"(?<=[;\t\r\n])(?:[^\S\t\r\n]|[{_UNSEEN}\"])*+[{_SIGNS}][^;\t\r\n]*+")
_QUOTED = re.compile(r'[",;\t\r\n]')


def write(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The rows as lines of CSV, the first behind a byte order mark; risky cells get an apostrophe."""
    start = "\ufeff"
    for row in rows:
        line = ",".join(map(_quoted, map(safe, row)))
        if row and not line:
            line = '""'  # one empty cell, not an empty line
        yield f"{start}{line}\r\n"
        start = ""


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula, whichever separator it expects."""
    cell = _RISKY_PART.sub(_safe_part, cell.replace("\0", ""))
    return "'" + cell if _RISKY.match(cell) and not _is_harmless(cell) else cell


def _safe_part(part: re.Match[str]) -> str:
    return part[0] if _is_harmless(part[0]) else "'" + part[0]


def _is_harmless(text: str) -> bool:
    return _HARMLESS.fullmatch(normalize("NFKC", text)) is not None


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell


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
