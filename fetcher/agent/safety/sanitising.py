"""The model's Markdown, made so that nothing in it links to a page nobody read or calls anybody.

Each line is rewritten in one pass. Whatever could become a link in Markdown or in Slack is either a link
to a page that was read, or loses its shape: a URL becomes code, `](` and `]:` are broken up, so that
brackets mean nothing and no reference is ever defined, and no `<` begins a tag but `<br>`, which is how a
table's cell has lines. What we take for code must
be code for every reader, or its URLs would live. So code spans end on their line, and in a table in their
cell, stray backticks become quotes, and fenced blocks are written anew: each of their lines has the marks of
the quotes and points that the block stands in, so that nothing but their own fence ends them.

Where something is taken out, a space stays, lest its neighbours come together to something new.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from string import ascii_letters, digits
from typing import NamedTuple

from fetcher.agent.safety.code_blocks import MARK, MARKED, CodeBlock, with_fences
from fetcher.agent.safety.links import read_bare
from fetcher.agent.safety.mentions import calls_everybody, silent
from fetcher.bare_urls import AUTHORITY, WITHOUT_AUTHORITY, WORLD_WIDE_WEB, last_scheme
from fetcher.markdown_syntax.code_spans import code_spans
from fetcher.markdown_syntax.entities import decoded, has_entity
from fetcher.markdown_syntax.lines import Line, LineKind, scan
from fetcher.markdown_syntax.tables import may_be_rule

_NO_CASE = re.ASCII | re.IGNORECASE
_NO_SCHEME = r"(?<![a-z0-9_/:\uff1a])//(?=[a-z0-9_\[\x80-\U0010ffff])"
"""A link to another host from a web page; some readers of Markdown find such ones in words."""
_TOKEN = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`++)"
    r"|(?P<open>!?\[)"
    rf"|(?P<close>\](?:\(|(?!{AUTHORITY}):)?)"
    r"|(?P<angle><)"
    r"|(?P<web>https?://)"
    rf"|(?P<other>(?:{AUTHORITY}|(?:{WITHOUT_AUTHORITY}|{WORLD_WIDE_WEB}|{_NO_SCHEME})(?=[^\s<>`|]))[^\s<>`|]*+)",
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
_COMMENT = re.compile(r"<!--(?:[^-<]|-(?!->)|<(?!!--))*+-->")
_ONLY_BREAKS = re.compile(r"[\s>*+\-0-9.)]*+<br>\s*")
"""To a reader of Markdown such a line begins HTML, in which nothing is code."""
_SAFE_AFTER_ANGLE = re.compile(r"[\s0-9=\-\x80-\U0010ffff]|$")
_BEGINS_WITH_TILDES = re.compile(r"[\s>*+\-0-9.)]*+~~~")
_END_OF_CELL = re.compile(r"(?<!\\)\|")

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", _NO_CASE)
_AUTHORITY = re.compile(AUTHORITY)
_REST_OF_URL = re.compile(r"[^\s<>`|]++")
_AUTHORITY = re.compile(AUTHORITY)
_REST_OF_URL = re.compile(r"[^\s<>`|]++")
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


def sanitised(markdown: str, is_read: IsRead) -> str:
    """The Markdown with links to what was read and to nothing else, mentioning nobody."""
    text = _spelled_out(markdown.replace("\r\n", "\n").replace("\r", "\n"))
    lines = list(with_fences(text.removesuffix("\n").split("\n")))
    scanned = list(scan(MARKED.sub("", silent(line)) for line in lines))
    written = list(_rewritten(lines, scanned, is_read, frozenset()))
    if in_tables := _near_rules_of_tables(written):
        written = list(_rewritten(lines, scanned, is_read, in_tables))
    return silent("\n".join(written), trace=" ") + ("\n" if text.endswith("\n") else "")


def _spelled_out(text: str) -> str:
    """The text with no letter of a URL or of a mention written as an entity or behind a backslash."""
    return _ESCAPED_IN_A_URL.sub("", _ENTITY.sub(_letter, text))


def _letter(entity: re.Match[str]) -> str:
    letter = decoded(entity[0])
    return letter if letter in _IN_A_URL else entity[0]


def _near_rules_of_tables(lines: Sequence[str]) -> frozenset[int]:
    """Which lines may be a table's to some reader: no blank line stands between them and its rule."""
    found: set[int] = set()
    run: list[int] = []
    for place, line in enumerate((*lines, "")):
        if line.strip():
            run.append(place)
            continue
        if any(may_be_rule(part) for each in run for part in lines[each].split("\n")):
            found.update(run)
        run = []
    return frozenset(found)


def _rewritten(
    lines: Sequence[str], scanned_lines: Sequence[Line], is_read: IsRead, in_tables: frozenset[int]
) -> Iterator[str]:
    """Each line as it may leave us; where a block of code ended without a fence, that comes with the next."""
    block: CodeBlock | None = None
    for place, (line, scanned) in enumerate(zip(lines, scanned_lines, strict=True)):
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
            prose = silent(_without_comments(line))
            yield ended + _no_fence(_Line(prose, is_read, in_table=place in in_tables).text)
    if block is not None:
        yield block.end()


def _without_comments(line: str) -> str:
    """The line without HTML's comments; beside code they are too hard to tell from it, and stay as words."""
    return line if "`" in line else _COMMENT.sub(lambda found: _gap(*_beside(found)), line)


def _no_fence(line: str) -> str:
    """A line of prose, in which tildes may have come to the beginning because something before them went."""
    return line.replace("~", "\\~", 1) if _BEGINS_WITH_TILDES.match(line) else line


class _Opening(NamedTuple):
    """A bracket that may turn out to open a link."""

    piece: int
    """Its place among the pieces written."""
    label: int
    """Where in the line its label begins."""
    is_image: bool


class _Line:
    """One line of prose, rewritten."""

    def __init__(self, line: str, is_read: IsRead, *, in_table: bool) -> None:
        self._line = line
        self._is_read = is_read
        self._in_table = in_table
        self._pieces: list[str] = []
        self._openings: list[_Opening] = []
        self._code = {span.start: span.end for span in code_spans(line)}
        at = 0
        while token := _TOKEN.search(line, at):
            scheme = _scheme_before(token, at)
            self._write(line[at : token.start() - len(scheme)])
            at = self._other(token, scheme) if scheme else self._take(token)
        self._write(line[at:])
        text = "".join(self._pieces)
        self.text = text.replace("<br>", " ") if _ONLY_BREAKS.fullmatch(text) else text

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
                return self._other(token, "")
            case _:
                self._write(token[0])
        return token.end()

    def _write(self, text: str) -> None:
        if text:
            self._pieces.append(text)

    def _last(self) -> str:
        return next((piece[-1] for piece in reversed(self._pieces) if piece), "")

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
        if end is None or (self._in_table and _END_OF_CELL.search(self._line, token.end(), end)):
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
            self._write(_gap(self._last(), self._line[target.end() : target.end() + 1]))
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
        self._pieces[opening.piece] = _gap(before[-1:], self._line[opening.label : opening.label + 1])

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
            self._write("<br>")
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
        plain = reading.isascii() and not _EMPHASIS.search(reading)
        alone = plain and self._line[end : end + 1] in ("", " ", "\t", MARK)
        self._write_apart(reading if alone else f"<{reading}>")
        return end

    def _other(self, token: re.Match[str], scheme: str) -> int:
        """What no link may lead to, with the part of its scheme that stands before the token."""
        rest = _REST_OF_URL.match(self._line, token.start())
        url = rest[0].rstrip(_TRAILING) if rest else token[0]
        self._write_code(scheme + url)
        return token.start() + len(url)

    def _may_link(self, url: str) -> bool:
        plain = _SOUND.fullmatch(url) and not has_entity(url) and not calls_everybody(url)
        # A fragment is not part of what was read, and the page's own script would see it on a click.
        return bool(plain) and "#" not in url and self._is_read(url)


def _scheme_before(token: re.Match[str], at: int) -> str:
    """The letters before `://`, back to `at`, that make it another scheme's than the token says."""
    is_web = token.lastgroup == "web" or _AUTHORITY.match(token[0])
    return last_scheme(token.string[at : token.start()]) if is_web else ""


def _gap(before: str, after: str) -> str:
    """What stays between two neighbours: a space where a URL or a mention could come about."""
    return " " if _may_join(before) and _may_join(after) and before != "[" else ""


def _beside(found: re.Match[str]) -> tuple[str, str]:
    start, end = found.span()
    return found.string[max(0, start - 1) : start], found.string[end : end + 1]


def _may_join(neighbour: str) -> bool:
    return "!" <= neighbour <= "~" or neighbour == "\uff20"
