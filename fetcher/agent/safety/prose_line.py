"""One line of prose in the model's Markdown, rewritten from left to right.

A line is a row of tokens, with plain text between them. Each token is written as it stands, as code, or
without its meaning. An opening bracket is only known to open a link when its end is found: until then it is
remembered as an `_Opening`, with its place among the pieces that are written.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from fetcher.agent.safety.code_blocks import MARK
from fetcher.agent.safety.links import bare_url_at
from fetcher.agent.safety.mentions import mentions_everyone
from fetcher.markdown_syntax.bare_urls import AUTHORITY, WITHOUT_AUTHORITY, WORLD_WIDE_WEB, last_scheme
from fetcher.markdown_syntax.code_spans import code_spans
from fetcher.markdown_syntax.entities import decoded, has_entity
from fetcher.markdown_syntax.escapes import ESCAPE, ESCAPED

_NO_CASE = re.ASCII | re.IGNORECASE
_NO_SCHEME = r"(?<![a-z0-9_/:：])//(?=\\?[a-z0-9_\[\x80-\U0010ffff])"
"""A link to another host as web pages write it; some readers of Markdown find such links in text."""
_TOKEN = re.compile(
    rf"(?P<escape>{ESCAPE})"
    r"|(?P<ticks>`++)"
    r"|(?P<open>!?\[)"
    rf"|(?P<close>\](?:\(|(?!{AUTHORITY}):)?)"
    r"|(?P<angle><)"
    r"|(?P<web>https?://)"
    rf"|(?P<other>(?:{AUTHORITY}|(?:{WITHOUT_AUTHORITY}|{WORLD_WIDE_WEB}|{_NO_SCHEME})(?=[^\s<>`|]))[^\s<>`|]*+)",
    _NO_CASE,
)
_TARGET = re.compile(
    r"\(\s*+(?:<(?P<quoted>[^<>`|]*+)>|(?P<plain>(?>[^\s()<>`|]++|\([^\s()<>`|]*+\))*+))"
    r"(?>\s++(?:\"[^\"`|]*+\"|'[^'`|]*+'|\([^()`|]*+\)))?+\s*+\)"
)
_ANGLED = re.compile(
    r"<(?:(?P<url>https?://[^\s<>`|]++)|(?P<line_break>br\s*/?)|(?P<tag>[a-z/!?][^<>`|]*+)"
    r"|(?P<mail>[^\s<>`|@]*+@[^\s<>`|]*+))>",
    _NO_CASE,
)
_ONLY_BREAKS = re.compile(r"[\s>*+\-0-9.)]*+<br>\s*")
"""For a reader of Markdown such a line begins HTML, in which nothing is code."""
_SAFE_AFTER_ANGLE = re.compile(r"[\s0-9=\-\x80-\U0010ffff]|$")
_END_OF_CELL = re.compile(r"(?<!\\)\|")

_AUTHORITY = re.compile(AUTHORITY)
_REST_OF_URL = re.compile(r"[^\s<>`|]++")
_GOES_ON_IN_A_URL = re.compile(r"[/?#&=%+$@~_-]|[^\W_]", re.ASCII)
"""Behind a link: a careless reader of bare URLs would take it for a part of the link."""
_FITS_IN_CODE = re.compile(r"[^`|\s]++")
_MARKDOWN_ESCAPE = re.compile(rf"\\({ESCAPED})")
_PLAIN_URL = re.compile(r"(?:[^\s()<>\\`|\"]|\([^\s()<>\\`|\"]*\))+")
"""A URL that every reader of Markdown reads alike."""

_TRAILING = ")].,;:!?'\"*_~"
_EMPHASIS = re.compile("[*~]")

IsRead = Callable[[str], bool]
"""Whether a URL is that of a page that was read."""


def rewritten_line(line: str, is_read: IsRead, *, in_table: bool) -> str:
    """The line with links to pages that were read and to nothing else."""
    text = _LineWriter(line, is_read, in_table=in_table).rewrite()
    return text.replace("<br>", " ") if _ONLY_BREAKS.fullmatch(text) else text


def gap(before: str, after: str) -> str:
    """What stays between two neighbours: a space where they could join to a URL or a mention."""
    may_join = all("!" <= neighbour <= "~" or neighbour == "＠" for neighbour in (before, after))
    return " " if may_join and before != "[" else ""


class _Opening(NamedTuple):
    """A bracket that may turn out to open a link."""

    piece: int
    """Its place among the pieces written."""
    label: int
    """Where in the line its label begins."""
    is_image: bool


class _LineWriter:
    """Writes the pieces of one line."""

    def __init__(self, line: str, is_read: IsRead, *, in_table: bool) -> None:
        self._line = line
        self._is_read = is_read
        self._in_table = in_table
        self._pieces: list[str] = []
        self._openings: list[_Opening] = []
        self._code = {span.start: span.end for span in code_spans(line)}

    def rewrite(self) -> str:
        at = 0
        while token := _TOKEN.search(self._line, at):
            is_web = token.lastgroup == "web" or _AUTHORITY.match(token[0])
            # The letters before `://` may make it another scheme than the token says.
            scheme = last_scheme(self._line[at : token.start()]) if is_web else ""
            self._write(self._line[at : token.start() - len(scheme)])
            match token.lastgroup:
                case _ if scheme:
                    at = self._write_no_link(token, scheme)
                case "ticks":
                    at = self._write_ticks(token)
                case "close":
                    at = self._write_close(token)
                case "angle":
                    at = self._write_angle(token.start())
                case "web":
                    at = self._write_bare_url(token.start())
                case "other":
                    at = self._write_no_link(token, "")
                case group:
                    if group == "open":
                        opening = _Opening(len(self._pieces), token.end(), token[0] == "![")
                        self._openings.append(opening)
                    self._write(token[0])
                    at = token.end()
        self._write(self._line[at:])
        return "".join(self._pieces)

    def _write(self, text: str) -> None:
        if text:
            self._pieces.append(text)

    def _write_apart(self, text: str) -> None:
        """Write marks of ours where neither a backtick nor a backslash before them changes their meaning."""
        if self._pieces and self._pieces[-1].endswith(("`", "\\")):
            self._write(" ")
        self._write(text)

    def _write_code(self, text: str) -> None:
        self._write_apart(f"`{text}`")

    def _write_ticks(self, token: re.Match[str]) -> int:
        """Code where it is code for every reader; otherwise the backticks become quotes."""
        end = self._code.get(token.start())
        if end is None or (self._in_table and _END_OF_CELL.search(self._line, token.end(), end)):
            self._write("'" * len(token[0]))
            return token.end()
        self._write_apart(self._line[token.start() : end])
        return end

    def _write_close(self, token: re.Match[str]) -> int:
        """The end of a link or an image; a bracket that ends neither is broken up."""
        opening = self._openings.pop() if self._openings else None
        target = _TARGET.match(self._line, token.start() + 1) if opening else None
        if opening is None or target is None:
            self._write(" ".join(token[0]))
            return token.end()
        if opening.is_image:
            self._remove(opening)
            before = next((piece[-1] for piece in reversed(self._pieces) if piece), "")
            self._write(gap(before, self._line[target.end() : target.end() + 1]))
            return target.end()
        self._openings.clear()  # links do not nest
        label = self._line[opening.label : token.start()]
        written = (target["quoted"] or target["plain"] or "").strip()
        url = decoded(_MARKDOWN_ESCAPE.sub(r"\1", written))
        if self._may_link(url):
            pieces = self._pieces[opening.piece + 1 :]
            if len(pieces) == 1 and pieces[0].startswith("<http"):  # a URL as a label needs no angles
                self._pieces[-1] = pieces[0][1:-1]
            self._write(f"]({url})")
            if _GOES_ON_IN_A_URL.match(self._line, target.end()):
                self._write(" ")
            return target.end()
        # It may not be a link: its label stays, with the URL as code.
        written = url if _FITS_IN_CODE.fullmatch(url) else written
        self._remove(opening)
        if not written:
            self._write(" ")
        elif label.strip() in ("", written):
            del self._pieces[opening.piece + 1 :]
            self._write_code(written)
        else:
            self._write(" (")
            self._write_code(written)
            self._write(")")
        return target.end()

    def _remove(self, opening: _Opening) -> None:
        """Take a bracket out again."""
        before = self._pieces[opening.piece - 1] if opening.piece else ""
        self._pieces[opening.piece] = gap(before[-1:], self._line[opening.label : opening.label + 1])

    def _write_angle(self, at: int) -> int:
        """A URL, a line break, or as code what could be a tag or an address."""
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

    def _write_bare_url(self, at: int) -> int:
        url = bare_url_at(self._line, at)
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

    def _write_no_link(self, token: re.Match[str], scheme: str) -> int:
        """A URL of a kind that may never be a link, with the part of its scheme before the token."""
        rest = _REST_OF_URL.match(self._line, token.start())
        url = rest[0].rstrip(_TRAILING) if rest else token[0]
        self._write_code(scheme + url)
        return token.start() + len(url)

    def _may_link(self, url: str) -> bool:
        plain = _PLAIN_URL.fullmatch(url) and not has_entity(url) and not mentions_everyone(url)
        # The fragment was not read, and the page's own script would see it on a click.
        return bool(plain) and "#" not in url and self._is_read(url)
