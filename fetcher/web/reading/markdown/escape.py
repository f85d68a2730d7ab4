"""Escapes the text of pages for Markdown, so that only this package's own marks become structure.

Inside this package a run of inline content is one string, in which control characters stand for the marks.
`clean` removes every control character from the page's own text before, so that a page cannot forge a mark.
One pass over the finished run then escapes the text between the marks and writes the marks. So escaping sees
a character's real neighbours, also those from other elements, and is rare: `snake_case`, `5 * 3` and `Q&A`
stay as they are.
"""

import re

BREAK = "\x1c"
"""A line break. It is white space to Python, and is trimmed like other white space."""
STRONG, STRONG_END = "\x02", "\x03"
EMPHASIS, EMPHASIS_END = "\x04", "\x05"
STRIKE, STRIKE_END = "\x06", "\x07"
LINK, LINK_END = "\x0e", "\x0f"
VERBATIM, VERBATIM_END = "\x10", "\x11"
CODE = "\x12"
"""The beginning of inline code; its text follows unchanged, and `code_span` replaces both."""

_MARKS = {
    STRONG: "**",
    STRONG_END: "**",
    EMPHASIS: "*",
    EMPHASIS_END: "*",
    STRIKE: "~~",
    STRIKE_END: "~~",
    LINK: "[",
    LINK_END: "]",
}

# The marks of two elements that touch would be read as one: spans are joined, code is separated by a space.
_TOUCHING = {
    STRONG_END + STRONG: "",
    EMPHASIS_END + EMPHASIS: "",
    STRIKE_END + STRIKE: "",
    f"`{VERBATIM_END}{VERBATIM}`": f"`{VERBATIM_END} {VERBATIM}`",
}

# Controls, soft hyphens, zero-width and bidirectional formatting, tag characters (which can hide
# text from people but not from a model) and lone surrogates. Joiners stay: scripts and emoji need them.
_JUNK = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)

# Han, kana, bopomofo, their punctuation and full-width forms; not hangul, whose words have spaces.
CJK = "\u2e80-\u312f\u3190-\u4dbf\u4e00-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff9f\U00020000-\U0003ffff"
_CJK_NEWLINE = re.compile(rf"\n(?<=[{CJK}]\n)\s*(?=[{STRONG}{EMPHASIS}{STRIKE}{LINK}]*[{CJK}])")
_NARROW_SPACE = re.compile("[^\\S\u3000]+")

# Every branch starts with a literal character: the expression engine then scans for these alone.
_SPECIAL = re.compile(
    r"\\(?=[!-/:-@\[-`{-~\x00-\x1f]|\Z)"
    r"|`|\[|\]"
    r"|\*(?! )|\*(?<! \*)"
    r"|__*"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?\w{1,32};)"
    r"|~(?=[~\x06\x07])|~(?<=[~\x06\x07]~)"
    r"|!(?=\x0e)"
    r"|\x02|\x03|\x04|\x05|\x06|\x07|\x0e|\x0f"
    r"|\x10[^\x11]*\x11"
)
_LINE_STARTS = frozenset("#>-+=:|0123456789")
_LINE_START = re.compile(
    r"#{1,6}(?=\s|$)|>|\||[-+](?=\s|$)|=+$|(?=[:| ]*-)[-:][-:| ]*$|\d{1,9}(?=[.)](?:\s|$))"
)
_LINK_TARGET = re.compile(f"{LINK_END}{VERBATIM}[^{VERBATIM_END}]*")
_NO_MARKS = dict.fromkeys(map(ord, [*_MARKS, VERBATIM, VERBATIM_END, CODE]))
_CLOSING_HASHES = re.compile(r"(?:(?<=\s)|^)(#+)$")
_BACKTICKS = re.compile("`+")


def clean(text: str) -> str:
    """The page's text without invisible characters, none of which is printable to Python."""
    return text if text.isprintable() else _JUNK.sub("", text)


def verbatim(text: str) -> str:
    """Text whose white space counts, without form feeds and with one kind of line end."""
    return clean(text).replace("\x0c", "").replace("\r\n", "\n").replace("\r", "\n")


def squash(text: str) -> str:
    """White space as browsers collapse it; a line end between two CJK characters disappears."""
    if not text.isascii() and "\n" in text:
        text = _CJK_NEWLINE.sub("", text)
    if "\u3000" in text:
        return _NARROW_SPACE.sub(" ", text).strip()
    return " ".join(text.split())


def inline(run: str) -> str:
    """A run of inline content as Markdown, for any place but the beginning of a line."""
    text = squash(run)
    if not text.isprintable():  # there may be marks in it
        for touching, apart in _TOUCHING.items():
            text = text.replace(touching, apart)
    return _SPECIAL.sub(_escape, text)


def paragraph(run: str) -> str:
    """A run of inline content as lines of Markdown, one for each line break."""
    if BREAK in run:
        return "\n".join(filter(None, (_line(inline(part)) for part in run.split(BREAK))))
    return _line(inline(run))


def heading(run: str) -> str:
    """A run of inline content as the text of an ATX heading."""
    text = inline(run)
    return _CLOSING_HASHES.sub(r"\\\1", text) if text.endswith("#") else text


def cell(run: str) -> str:
    """A run of inline content as a cell of a pipe table (SRD FR-WF-EXT-TABLE-01), `<br>` between lines."""
    return "<br>".join(filter(None, map(inline, run.split(BREAK)))).replace("|", "\\|")


def plain_lines(run: str) -> str:
    """A plain run as lines of text, in which only deletions have marks."""
    run = run.replace(STRIKE, _MARKS[STRIKE]).replace(STRIKE_END, _MARKS[STRIKE_END])
    return "\n".join(filter(None, map(squash, run.split(BREAK))))


def without_marks(run: str) -> str:
    """The text of a run, without marks and without the targets of links."""
    return run if run.isprintable() else _LINK_TARGET.sub("", run).translate(_NO_MARKS)


def link_end(url: str) -> str:
    """The end of a link that began with LINK."""
    return f"{LINK_END}{VERBATIM}({url}){VERBATIM_END}"


def image(alt: str, url: str) -> str:
    return f"{VERBATIM}![{inline(alt)}]({url}){VERBATIM_END}"


def code_span(text: str) -> str:
    """Inline code with its content unchanged."""
    if not (text := squash(text)):
        return ""
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if "`" in (text[0], text[-1]) else ""
    return f"{VERBATIM}{ticks}{pad}{text}{pad}{ticks}{VERBATIM_END}"


def fence(text: str, language: str) -> str:
    """A fenced code block that nothing in the text can close (SRD FR-WF-EXT-CODE-01)."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _line(text: str) -> str:
    """The line, escaped where it would begin a heading, quote, list, rule, underline or table."""
    if text[:1] not in _LINE_STARTS or not (start := _LINE_START.match(text)):
        return text
    escaped = start[0] + "\\" if start[0].isdigit() else "\\" + start[0]
    return escaped + text[start.end() :]


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    if mark := _MARKS.get(found):
        return mark
    if found[0] == VERBATIM:
        return found[1:-1]
    if found[0] == "_":
        text, start, end = match.string, match.start(), match.end()
        # Between letters or digits, underscores never begin emphasis.
        in_word = start > 0 and end < len(text) and text[start - 1].isalnum() and text[end].isalnum()
        return found if in_word else "\\_" * len(found)
    return "\\" + found
