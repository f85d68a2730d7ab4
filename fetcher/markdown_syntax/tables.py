"""Tables in Markdown: which line is the rule under a header, and where a row's cells end."""

import re

_RULE = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")
_SIGNS_OF_A_RULE = re.compile(r"(?=[^-]*-)(?=[^|:]*[|:])[\s|:\->*+0-9.)]*")
_CELL = re.compile(r"(?:[^|\\]|\\\|?)*+(?P<end>\|)?")


def begins_table(header: str, line: str) -> bool:
    """Whether a line makes the one above it a table's header; for readers of GitHub's kind."""
    if "|" not in header or line == "-" or not _RULE.fullmatch(line):
        return False
    return len(cells_of(header)) == len(cells_of(line))


def may_be_rule(line: str) -> bool:
    """Whether some reader may take a line for a rule, behind whatever marks of quotes and points."""
    return _SIGNS_OF_A_RULE.fullmatch(line) is not None


def cells_of(row: str) -> list[str]:
    """A table row's cells, as they are written; a `|` behind a backslash is no end."""
    inner = row.strip().removeprefix("|")
    cells, at = [], 0
    while found := _CELL.match(inner, at):
        cells.append(inner[at : found.start("end") if found["end"] else found.end()].strip())
        if not found["end"] or found.end() == len(inner):
            break
        at = found.end()
    return cells
