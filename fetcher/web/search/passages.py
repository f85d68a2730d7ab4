"""A page as short passages, fit for finding and for quoting.

A passage lies within one section and knows the headings above it, which its text does not repeat. Links
become their labels in its text, since an answer links to nothing but its sources, and images go; tables and
code stay, and every piece of a long table has the table's header.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fetcher.web.output.chunks import chunk
from fetcher.web.output.chunks.outline import PartKind, blocks, lines
from fetcher.web.reading.markdown.escape import clean

_LONGEST = 1000
"""Characters of a passage. Few tokens can be very many characters, which people would not read."""
_SHORTEST_PROSE = 40
_LONGEST_HEADING = 80

_CODE_SPAN = r"(?P<code>(?<!`)`++[^`\n]*+`++)"
_ESCAPE = r"(?P<escape>\\.)"
_LABEL = r"\[(?P<label>(?>[^\[\]\\\n]|\\.)*+)\]\([^()\n]*+\)"
_IMAGE = re.compile(rf"{_CODE_SPAN}|{_ESCAPE}|!{_LABEL}")
_LINK = re.compile(rf"{_CODE_SPAN}|{_ESCAPE}|{_LABEL}")
_MARKUP = re.compile(r"\\(?P<escaped>[!-/:-@\[-`{-~])|\*++|~~|`++")
_GAP = re.compile(r"\n{3,}")
_TABLE_HEAD = re.compile(r"^\|.*\n\|[-:| ]+\|$", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?。！？][\"')\]」』）*]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    headings: tuple[str, ...]
    """Those above it, outermost first, as plain text."""
    text: str
    """Markdown without links."""
    start: int
    """Where it begins in the page's Markdown."""
    end: int
    table_head: str = ""
    """The header of the table of which it is a later piece, with links."""

    @property
    def under_headings(self) -> str:
        """The text below all its headings, for ranking; its own heading counts as one."""
        return "\n".join([*self.headings[:-1], *(f"# {own}" for own in self.headings[-1:]), self.text])


def passages(markdown: str, max_tokens: int) -> list[Passage]:
    """The page from its beginning to its end."""
    found = []
    for headings, start, end in _sections(markdown):
        table_head = ""
        for piece in chunk(markdown[start:end], max_tokens):
            at = start + piece.start
            after = min(end, at + len(piece.text))  # a piece of code has fences of its own
            goes_on = piece.text.startswith("|") and not _TABLE_HEAD.match(piece.text)
            above = table_head if goes_on else ""
            body = clean(f"{above}\n{piece.text}" if above else piece.text)
            plain = (
                body[line.start : line.end] if line.is_code else _unmarked(body[line.start : line.end])
                for line in lines(body, 0, len(body))
            )
            text = _GAP.sub("\n\n", "\n".join(plain)).strip("\n")
            table_head = [table_head, *_TABLE_HEAD.findall(piece.text)][-1]
            if text and len(text) <= _LONGEST:
                found.append(Passage(headings=headings, text=text, start=at, end=after, table_head=above))
    return found


def outline(markdown: str, deepest: int = 3) -> list[str]:
    """The headings of the page down to a level, as plain text."""
    found = (_heading(markdown[b.start : b.end]) for b in blocks(markdown) if b.kind is PartKind.HEADING)
    return [title for level, title in found if title and level <= deepest]


def table_headings(markdown: str) -> list[str]:
    """The innermost heading above each table."""
    found, last = [], ""
    for block in blocks(markdown):
        if block.kind is PartKind.HEADING:
            last = _heading(markdown[block.start : block.end])[1]
        elif block.kind is PartKind.TABLE:
            found.append(last)
    return found


def lead(cut: Sequence[Passage]) -> list[str]:
    """The paragraphs with which the first section of prose begins; where there is none, the first passage."""
    first = next((passage.headings for passage in cut if _prose(passage)), None)
    paragraphs = [text for passage in cut if passage.headings == first for text in _prose(passage)]
    return paragraphs or [passage.text for passage in cut[:1]]


def _prose(passage: Passage) -> list[str]:
    """The paragraphs of a passage that read as sentences."""
    found = []
    for text in [] if "```" in passage.text else passage.text.split("\n\n"):
        is_list = text[:1] in "|-*+>" or text[:2].rstrip(".)").isdigit()
        if not is_list and (len(text) >= _SHORTEST_PROSE or _SENTENCE_END.search(text)):
            found.append(text)
    return found


def _sections(markdown: str) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Where the text between headings begins and ends, with the headings above it."""
    headings: dict[int, str] = {}  # the open heading of each level
    start, end = -1, 0
    for block in blocks(markdown):
        if block.kind is not PartKind.HEADING:
            start, end = (block.start if start < 0 else start), block.end
            continue
        if start >= 0:
            yield tuple(headings.values()), start, end
            start = -1
        level, title = _heading(markdown[block.start : block.end])
        headings = {above: text for above, text in headings.items() if above < level}
        if title:
            headings[level] = title
    if start >= 0:
        yield tuple(headings.values()), start, end


def _heading(line: str) -> tuple[int, str]:
    """The level and the plain text of a heading."""
    text = line.lstrip("#")
    plain = _MARKUP.sub(lambda match: match["escaped"] or "", _unmarked(clean(text)))
    return len(line) - len(text), plain.strip()[:_LONGEST_HEADING]


def _unmarked(line: str) -> str:
    """A line without images, and with the labels of its links."""
    line = _IMAGE.sub(lambda match: match["code"] or match["escape"] or "", line)
    return _LINK.sub(lambda match: match["code"] or match["escape"] or match["label"], line).rstrip()
