"""Tables in Markdown: recognises the rule under a header, and splits a row into cells."""

import re

_RULE = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?>\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")
_SIGNS_OF_A_RULE = re.compile(r"(?=[^-]*-)(?=[^|:]*[|:])[\s|:\->*+0-9.)]*")
_CELL = re.compile(r"(?:[^|\\]|\\\|?)*+(?P<end>\|)?")


def begins_table(header: str, line: str) -> bool:
    """Whether a line makes the line above it a table's header, by GitHub's rules."""
    if "|" not in header or line == "-" or not _RULE.fullmatch(line):
        return False
    return len(cells_of(header)) == len(cells_of(line))


def may_be_rule(line: str) -> bool:
    """Whether some reader may take a line for a table's rule, after any marks of quotes and items."""
    return _SIGNS_OF_A_RULE.fullmatch(line) is not None


def cells_of(row: str) -> list[str]:
    """A table row's cells, as they are written; a `|` after a backslash does not end a cell."""
    inner = row.strip().removeprefix("|")
    cells, at = [], 0
    while found := _CELL.match(inner, at):
        cells.append(inner[at : found.start("end") if found["end"] else found.end()].strip())
        if not found["end"] or found.end() == len(inner):
            break
        at = found.end()
    return cells
