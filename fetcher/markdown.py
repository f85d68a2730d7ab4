"""Reads the Markdown of answers, for both packages: `markdown-it-py` with what models write in mind.

This is CommonMark 0.31 with GitHub's tables and strikethrough. These things differ:

- HTML blocks and definitions of references are text, comments are left out, `<br>` is a line break;
- an image is its description;
- emphasis beside East Asian characters needs no spaces, and has none between digits or in URLs;
- a row of a table keeps the cells that its header has no column for.

The target of a link is the URL as it is written, without any escaping. `text_special` tokens keep in `markup`
how a character was written.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_block.table import escapedSplit, getLine
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

LONGEST = 100_000
"""Characters that are read in one piece: some hostile text takes more than linear time."""
DEEPEST = 60
"""Levels of blocks inside blocks, of which an item of a list takes two; what is deeper is left out."""
DEEPEST_BRACKETS = 12
"""Brackets inside brackets; what is deeper is text."""

_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_IN_A_URL = re.compile(r"://(?:[!-%'-);=?-Z^_a-z{}+,./0-:-]|&(?!#?\w{1,31};))*(?<!_)", re.ASCII)


def parse(markdown: str) -> list[Token]:
    """The tokens of a text; a very long one is read in pieces, which end between paragraphs if they can."""
    tokens = []
    while len(markdown) > LONGEST:
        ends = (markdown.rfind(end, 0, LONGEST) + len(end) for end in ("\n\n", "\n"))
        end = next((end for end in ends if end > LONGEST // 2), LONGEST)
        tokens += _reader().parse(markdown[:end])
        markdown = markdown[end:]
    return tokens + _reader().parse(markdown)


@cache
def _reader() -> MarkdownIt:
    reader = _Reader()
    reader.inline = _Inline()
    reader.configure("commonmark", {"maxNesting": DEEPEST})
    reader.enable(["table", "strikethrough"]).disable(["reference", "html_block", "text_join"])
    reader.block.ruler.at("table", _table_with_all_cells, {"alt": ["paragraph", "reference"]})
    reader.inline.ruler.before("emphasis", "url", _url_as_text)
    reader.core.ruler.push("shown", _keep_what_is_shown)
    return reader


class _Reader(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Whatever is written as a link is one, so that it can be filtered."""
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link


class _Inline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _InlineState(src, md, env, tokens)
        state.level = DEEPEST - DEEPEST_BRACKETS
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


class _InlineState(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        """Whether a run of `*`, `_` or `~` opens or closes emphasis; its neighbours decide.

        CommonMark's rule on punctuation leaves marks raw between a bracket and a kana. Here East Asian
        characters count as a border, as https://github.com/tats-u/markdown-cjk-friendly proposes. A mark
        between two digits is arithmetic, and an odd number of tildes is a range such as `10~20`.
        """
        mark = self.src[start]
        end = start
        while end < self.posMax and self.src[end] == mark:
            end += 1
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        opens = _flanks(inner=after, outer=before)
        closes = _flanks(inner=before, outer=after)
        if not canSplitWord:  # snake_case
            opens, closes = (
                opens and (not closes or _ends_words(before)),
                closes and (not opens or _ends_words(after)),
            )
        elif (mark == "~" and (end - start) % 2) or (before.isdecimal() and after.isdecimal()):
            opens = closes = False
        return Scanned(opens, closes, end - start)


def _flanks(*, inner: str, outer: str) -> bool:
    """Whether a run flanks the text inside, as CommonMark defines it."""
    if inner.isspace():
        return False
    is_border = outer.isspace() or _is_punctuation(outer) or _is_wide(outer)
    return not _is_punctuation(inner) or _is_wide(inner) or is_border


def _ends_words(character: str) -> bool:
    """Hiragana separates words; other letters may be part of a file's name that has underscores."""
    return _is_punctuation(character) or "\u3041" <= character <= "\u309f"


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F", "H")


def _url_as_text(state: StateInline, silent: bool) -> bool:
    """The rest of a bare URL from `://` on: underscores in it are no emphasis."""
    found = _IN_A_URL.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.append_pending(found[0])
    state.pos = found.end()
    return True


def _table_with_all_cells(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    first = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    state.tokens[first:] = _with_all_cells(state, state.tokens[first:])
    return True


def _with_all_cells(state: StateBlock, tokens: Iterable[Token]) -> Iterator[Token]:
    cells: list[str] = []
    for token in tokens:
        if token.type == "tr_open" and token.map:
            cells = escapedSplit(getLine(state, token.map[0]).strip())
            cells = cells[cells[0] == "" : len(cells) - (cells[-1] == "")]
        elif token.type in ("th_open", "td_open"):
            del cells[:1]
        elif token.type == "tr_close":
            for cell in cells:
                yield Token("td_open", "td", 1)
                yield Token("inline", "", 0, content=cell.strip(), children=[])
                yield Token("td_close", "td", -1)
        yield token


def _keep_what_is_shown(state: StateCore) -> None:
    for token in state.tokens:
        token.children = list(_shown(token.children)) if token.children else token.children


def _shown(tokens: Iterable[Token]) -> Iterator[Token]:
    """Tokens of a paragraph, with line breaks for `<br>`, without comments and pictures."""
    after_break = False
    for token in tokens:
        is_html = token.type == "html_inline"
        if token.type == "image":
            yield from (each for each in _shown(token.children or ()) if each.tag != "a")
        elif is_html and _BREAK.fullmatch(token.content):
            yield Token("hardbreak", "br", 0)
        elif not (is_html and token.content.startswith("<!--")) and not (
            after_break and token.type == "softbreak"
        ):
            yield token
        after_break = is_html and _BREAK.fullmatch(token.content) is not None
