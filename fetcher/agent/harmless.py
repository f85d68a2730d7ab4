"""The model's Markdown, made so that nothing in it links to a page nobody read or calls anybody.

Each line is rewritten in one pass. Whatever could become a link in Markdown or in Slack is either a link
to a page that was read, or loses its shape: a URL becomes code, `](` and `]:` are broken up, so that
brackets mean nothing and no reference is ever defined, and no `<` begins a tag. What we take for code must
be code for every reader, or its URLs would live. So code spans end on their line, and in a table in their
cell, stray backticks become quotes, and fenced blocks are written anew from the first column, where nothing
but their own fence ends them.

Where something is taken out, a space stays, lest its neighbours come together to something new.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from string import ascii_letters, digits
from typing import NamedTuple

from fetcher.agent.links import read_bare
from fetcher.agent.mentions import calls_everybody, silent
from fetcher.markdown_code import code_spans, opening_fence
from fetcher.markdown_entities import decoded, has_entity

MARK, MARK_END = "\x0e", "\x0f"
"""Around what we add to the model's text, which has no control characters: it stays, but not in code."""

_NO_CASE = re.ASCII | re.IGNORECASE
_MARKED = re.compile(f"{MARK}[^{MARK_END}]*{MARK_END}")
_FENCE = re.compile(r"[ \t]*+(?P<fence>`{3,}+(?=[^`]*$)|~{3,}+)[ \t]*(?P<language>[\w+#.-]*).*")
_TOKEN = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`++)"
    r"|(?P<open>!?\[)"
    r"|(?P<close>\][(:]?)"
    r"|(?P<angle><)"
    r"|(?P<web>https?://)"
    r"|(?P<other>(?:(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://|www\.(?=[a-z0-9_\x80-\U0010ffff]))[^\s<>`|]*+)",
    _NO_CASE,
)
_TARGET = re.compile(
    r"\(\s*+(?:<(?P<quoted>[^<>`|]*+)>|(?P<plain>(?:[^\s()<>`|]++|\([^\s()<>`|]*+\))*+))"
    r"(?:\s++(?:\"[^\"`|]*+\"|'[^'`|]*+'|\([^()`|]*+\)))?+\s*+\)"
)
_ANGLED = re.compile(
    r"<(?:(?P<url>https?://[^\s<>`|]++)|(?P<line_break>br\s*/?)|(?P<tag>[a-z/!?][^<>`|]*+)"
    r"|(?P<mail>[^\s<>`|@]*+@[^\s<>`|]*+))>",
    _NO_CASE,
)
_SAFE_AFTER_ANGLE = re.compile(r"[\s0-9=\-\x80-\U0010ffff]|$")
_RULE_OF_TABLE = re.compile(r"(?=[^-]*-)(?=[^|:]*[|:])[\s|:\->*+0-9.)]*")
_END_OF_CELL = re.compile(r"(?<!\\)\|")

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", _NO_CASE)
_IN_A_URL = frozenset(ascii_letters + digits + ":/.@-_")
_ESCAPED_IN_A_URL = re.compile(r"(?<!\\)\\++(?=/)|(?<=[a-z])\\++(?=[:.])", _NO_CASE)
_GOES_ON_IN_A_URL = re.compile(r"[/?#&=%+$@~_-]|[^\W_]", re.ASCII)
"""Behind a link: to a careless reader of bare URLs it would be a part of it."""
_FITS_IN_CODE = re.compile(r"[^`|\s]++")
_MARKDOWN_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SOUND = re.compile(r"(?:[^\s()<>\\`|\"]|\([^\s()<>\\`|\"]*\))+")
"""A URL that every reader of Markdown takes for what it is."""

_TRAILING = ")].,;:!?'\"*_~"
_EMPHASIS = re.compile("[*~]")

IsRead = Callable[[str], bool]


def harmless(markdown: str, is_read: IsRead) -> str:
    """The Markdown with links to what was read and to nothing else, mentioning nobody."""
    text = _spelled_out(markdown.replace("\r\n", "\n").replace("\r", "\n"))
    lines = silent(text).split("\n")
    written = list(_rewritten(lines, is_read, tables=False))
    if any(map(_RULE_OF_TABLE.fullmatch, written)):
        written = list(_rewritten(lines, is_read, tables=True))
    return silent("\n".join(written), trace=" ")


def _spelled_out(text: str) -> str:
    """The text with no letter of a URL or of a mention written as an entity or behind a backslash."""
    return _ESCAPED_IN_A_URL.sub("", _ENTITY.sub(_letter, text))


def _letter(entity: re.Match[str]) -> str:
    letter = decoded(entity[0])
    return letter if letter in _IN_A_URL else entity[0]


def _rewritten(lines: Iterable[str], is_read: IsRead, *, tables: bool) -> Iterator[str]:
    block: _CodeBlock | None = None
    for line in lines:
        if block is not None:
            yield from block.take(line)
            block = None if block.closed else block
        elif opening := _FENCE.fullmatch(line):
            block = _CodeBlock(opening)
            yield block.fence + opening["language"]
        else:
            yield _no_fence(_Line(line, is_read, tables=tables).text)
    if block is not None:
        yield from block.end()


def _no_fence(line: str) -> str:
    """A line of prose, in which tildes may have come to the beginning because something before them went."""
    return line.replace("~", "\\~", 1) if opening_fence(line) else line


class _CodeBlock:
    """A fenced block, moved to the first column; marks inside it come after it."""

    def __init__(self, opening: re.Match[str]) -> None:
        self.fence = opening["fence"]
        self.closed = False
        self._indent = re.compile(rf"[ \t]{{0,{opening.start('fence')}}}")
        self._marks = "".join(_MARKED.findall(opening[0]))

    def take(self, line: str) -> Iterator[str]:
        self._marks += "".join(_MARKED.findall(line))
        code = _MARKED.sub("", line)
        if code.strip(" \t").startswith(self.fence) and not code.strip(" \t" + self.fence[0]):
            yield from self.end()
        else:
            yield self._indent.sub("", code, count=1)

    def end(self) -> Iterator[str]:
        self.closed = True
        yield self.fence
        if self._marks:
            yield self._marks


class _Opening(NamedTuple):
    """A bracket that may turn out to open a link."""

    piece: int
    """Its place among the pieces written."""
    label: int
    """Where in the line its label begins."""
    is_image: bool


class _Line:
    """One line of prose, rewritten."""

    def __init__(self, line: str, is_read: IsRead, *, tables: bool) -> None:
        self._line = line
        self._is_read = is_read
        self._tables = tables
        self._pieces: list[str] = []
        self._openings: list[_Opening] = []
        self._code = {span.start: span.end for span in code_spans(line)}
        at = 0
        while token := _TOKEN.search(line, at):
            self._write(line[at : token.start()])
            at = self._take(token)
        self._write(line[at:])
        self.text = "".join(self._pieces)

    def _take(self, token: re.Match[str]) -> int:
        """Deals with one token; returns where to go on."""
        match token.lastgroup:
            case "ticks":
                return self._ticks(token)
            case "open":
                return self._open(token)
            case "close":
                return self._close(token)
            case "angle":
                return self._angle(token.start())
            case "web":
                return self._bare(token.start())
            case "other":
                return self._other(token)
            case _:
                self._write(token[0])
        return token.end()

    def _write(self, text: str) -> None:
        if text:
            self._pieces.append(text)

    def _write_apart(self, text: str) -> None:
        """Writes marks of ours where neither a backtick nor a backslash before them changes their meaning."""
        if self._pieces and self._pieces[-1].endswith(("`", "\\")):
            self._write(" ")
        self._write(text)

    def _write_code(self, text: str) -> None:
        self._write_apart(f"`{text}`")

    def _ticks(self, token: re.Match[str]) -> int:
        """Code where it is code for every reader; otherwise the backticks become quotes."""
        end = self._code.get(token.start())
        if end is None or (self._tables and _END_OF_CELL.search(self._line, token.end(), end)):
            self._write("'" * len(token[0]))
            return token.end()
        self._write_apart(self._line[token.start() : end])
        return end

    def _open(self, token: re.Match[str]) -> int:
        is_image = token[0] == "!["
        self._openings.append(_Opening(piece=len(self._pieces), label=token.end(), is_image=is_image))
        self._write(token[0])
        return token.end()

    def _close(self, token: re.Match[str]) -> int:
        opening = self._openings.pop() if self._openings else None
        target = _TARGET.match(self._line, token.start() + 1) if opening else None
        if opening is None or target is None:
            self._write(" ".join(token[0]))
            return token.end()
        if opening.is_image:
            self._remove(opening)
            self._write(_gap(self._line[target.end() : target.end() + 1]))
        else:
            self._openings.clear()  # no link holds another
            self._link(opening, token.start(), target)
        return target.end()

    def _link(self, opening: _Opening, label_end: int, target: re.Match[str]) -> None:
        written = (target["quoted"] or target["plain"] or "").strip()
        url = decoded(_MARKDOWN_ESCAPE.sub(r"\1", written))
        if self._may_link(url):
            self._unwrap_label(opening)
            self._write(f"]({url})")
            if _GOES_ON_IN_A_URL.match(self._line, target.end()):
                self._write(" ")
            return
        written = url if _FITS_IN_CODE.fullmatch(url) else written
        self._remove(opening)
        if not written:
            self._write(" ")
        elif self._line[opening.label : label_end].strip() in ("", written):
            del self._pieces[opening.piece + 1 :]
            self._write_code(written)
        else:
            self._write(" (")
            self._write_code(written)
            self._write(")")

    def _remove(self, opening: _Opening) -> None:
        """Takes a bracket out again."""
        before = self._pieces[opening.piece - 1] if opening.piece else ""
        self._pieces[opening.piece] = _gap(before[-1:])

    def _unwrap_label(self, opening: _Opening) -> None:
        """A URL as a label needs no brackets of its own."""
        label = self._pieces[opening.piece + 1 :]
        if len(label) == 1 and label[0].startswith("<http"):
            self._pieces[-1] = label[0][1:-1]

    def _angle(self, at: int) -> int:
        found = _ANGLED.match(self._line, at)
        if found is None:
            self._write("<" if _SAFE_AFTER_ANGLE.match(self._line, at + 1) else "< ")
            return at + 1
        if found["url"] and self._may_link(found["url"]):
            self._write(found[0])
        elif found["line_break"]:
            self._write(" ")
        else:
            self._write_code(found["url"] or found[0])
        return found.end()

    def _bare(self, at: int) -> int:
        url = read_bare(self._line, at)
        reading = next(filter(self._may_link, reversed(url.readings)), None)
        if reading is None:
            shown = url.readings[0] if url.readings else self._line[at : url.end]
            self._write_code(shown)
            return at + len(shown)
        end = at + len(reading)
        alone = self._line[end : end + 1] in ("", " ", "\t", MARK) and not _EMPHASIS.search(reading)
        self._write_apart(reading if alone else f"<{reading}>")
        return end

    def _other(self, token: re.Match[str]) -> int:
        url = token[0].rstrip(_TRAILING)
        self._write_code(url)
        return token.start() + len(url)

    def _may_link(self, url: str) -> bool:
        plain = _SOUND.fullmatch(url) and not has_entity(url) and not calls_everybody(url)
        # A fragment is not part of what was read, and the page's own script would see it on a click.
        return bool(plain) and "#" not in url and self._is_read(url)


def _gap(neighbour: str) -> str:
    """What stays between two neighbours: a space where a URL or a mention could come about."""
    return " " if "!" <= neighbour <= "~" and neighbour != "[" else ""
