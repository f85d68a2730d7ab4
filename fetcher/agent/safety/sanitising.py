"""The model's Markdown, rewritten so that it links only to pages that were read, and mentions no one.

Each line is rewritten in one pass (`prose_line.py`). What could become a link in Markdown or in Slack is
either a link to a page that was read, or loses its shape: a URL becomes code, `](` and `]:` are broken up,
so that brackets mean nothing and no reference is ever defined. No `<` begins a tag except `<br>`, which
makes the lines of a table's cell.

What counts as code here must be code for every reader, or its URLs would become links. So code spans end on
their line, and in a table in their cell; stray backticks become quotes; and fenced blocks are written anew:
each of their lines has the marks of the quotes and points that the block stands in, so that only their own
fence ends them.

Where something is taken out, a space stays, lest its neighbours join to something new.
"""

import re
from collections.abc import Iterator, Sequence
from string import ascii_letters, digits

from fetcher.agent.safety.code_blocks import MARK, MARK_END, MARKED, CodeBlock, with_fences
from fetcher.agent.safety.mentions import without_mentions
from fetcher.agent.safety.prose_line import IsRead, gap, rewritten_line
from fetcher.markdown_syntax.entities import ENTITY, decoded
from fetcher.markdown_syntax.lines import Line, LineKind, scan
from fetcher.markdown_syntax.tables import may_be_rule

_NO_CASE = re.ASCII | re.IGNORECASE
_MARKS = re.compile(f"(?P<ours>{MARKED.pattern})|[{MARK}{MARK_END}]")
_COMMENT = re.compile(r"<!--(?>[^-<]++|-(?!->)|<(?!!--))*+-->")
_BEGINS_WITH_TILDES = re.compile(r"[\s>*+\-0-9.)]*+~~~")
_ENTITY = re.compile(ENTITY)
_IN_A_URL = frozenset(ascii_letters + digits + ":/.@-_")
_ESCAPED_IN_A_URL = re.compile(r"(?<!\\)\\++(?=/)|(?<=[a-z])\\++(?=[:.])", _NO_CASE)


def sanitised(markdown: str, is_read: IsRead) -> str:
    """The Markdown with links to pages that were read and to nothing else, and without mentions."""
    text = markdown.replace("\r\n", "\n").replace("\r", "\n")
    text = _MARKS.sub(lambda found: found["ours"] or "", text)
    # No letter of a URL or of a mention stays written as an entity or behind a backslash.
    text = _ENTITY.sub(lambda found: c if (c := decoded(found[0])) in _IN_A_URL else found[0], text)
    text = _ESCAPED_IN_A_URL.sub("", text)
    lines = list(with_fences(text.removesuffix("\n").split("\n")))
    scanned = list(scan(MARKED.sub("", without_mentions(line)) for line in lines))
    written = list(_rewritten(lines, scanned, is_read, frozenset()))
    # Lines may be a table's to some reader if no blank line stands between them and its rule.
    in_tables, run = set[int](), list[int]()
    for number, line in enumerate((*written, "")):
        if line.strip():
            run.append(number)
            continue
        if any(may_be_rule(part) for each in run for part in written[each].split("\n")):
            in_tables.update(run)
        run = []
    if in_tables:
        written = list(_rewritten(lines, scanned, is_read, frozenset(in_tables)))
    return without_mentions("\n".join(written), trace=" ") + ("\n" if text.endswith("\n") else "")


def _rewritten(
    lines: Sequence[str], scanned_lines: Sequence[Line], is_read: IsRead, in_tables: frozenset[int]
) -> Iterator[str]:
    """Each line rewritten; the missing fence of a block of code comes with the line after the block."""
    block: CodeBlock | None = None
    for number, (line, scanned) in enumerate(zip(lines, scanned_lines, strict=True)):
        ended = ""
        if block is not None and scanned.kind not in (LineKind.FENCED, LineKind.FENCE_END):
            ended, block = f"{block.end()}\n", None
        if block is not None:
            yield block.take(line, scanned)
            block = None if scanned.kind is LineKind.FENCE_END else block
        elif scanned.kind is LineKind.FENCE:
            block = CodeBlock(line, scanned)
            yield ended + block.opening
        else:
            # Beside code HTML's comments are too hard to tell from it: there they stay as text.
            prose = without_mentions(line if "`" in line else _COMMENT.sub(_gap_of_comment, line))
            written = rewritten_line(prose, is_read, in_table=number in in_tables)
            # Tildes may have come to the beginning because something before them was taken out.
            yield ended + (written.replace("~", "\\~", 1) if _BEGINS_WITH_TILDES.match(written) else written)
    if block is not None:
        yield block.end()


def _gap_of_comment(found: re.Match[str]) -> str:
    text, (start, end) = found.string, found.span()
    return gap(text[max(0, start - 1) : start], text[end : end + 1])
