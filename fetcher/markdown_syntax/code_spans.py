"""Code spans in Markdown, as CommonMark has them; fences are found by `markdown_lines.py`.

These two are the only places that decide what is code, for everything that reads or writes Markdown here: two
readers that disagree about a backtick disagree about which links are live.

A code span begins with a run of backticks and ends with the next run of the same length; a run without such
an end is text. A backslash before a run takes its first backtick out of it. Autolinks and HTML tags bind as
strongly as code: whichever begins first wins.

Everything is linear: each character is looked at a fixed number of times.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fetcher.markdown_syntax.lines import CODE, scan

_SPACE = r"[ \t]*+(?:\n[ \t]*+)?+"
_SOME_SPACE = r"(?:[ \t]++(?:\n[ \t]*+)?+|\n[ \t]*+)"
_VALUE = r"(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\")"
_ATTRIBUTE = rf"{_SOME_SPACE}[A-Za-z_:][A-Za-z0-9_.:-]*+(?>{_SPACE}={_SPACE}{_VALUE})?+"
_TOKEN = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`++)"
    r"|<(?P<autolink>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20<>]*+)>"
    r"|<(?P<mail>[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]++@[A-Za-z0-9](?:[A-Za-z0-9.-]*+))>"
    rf"|<[A-Za-z][A-Za-z0-9-]*+(?>{_ATTRIBUTE})*+{_SPACE}/?>"
    rf"|</[A-Za-z][A-Za-z0-9-]*+{_SPACE}>"
    r"|(?P<opening><!--|<\?|<!\[CDATA\[|<![A-Za-z])"
)
_TICKS = re.compile("`+")
_SHORT_COMMENT = re.compile("-?>")
_ENDINGS = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"}
"""What ends the kinds of HTML that have no tag's form; a declaration ends with `>`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSpan:
    """A code span in the text of one block."""

    start: int
    end: int
    """Behind its closing backticks."""
    text: str
    """As it is shown: line ends are spaces, and one space of padding on both sides is none of it."""


def code_spans(text: str) -> tuple[CodeSpan, ...]:
    """The code spans in a paragraph's, a heading's or a table cell's text, in order."""
    return tuple(_spans(text))


def outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """The Markdown with all changed that stands neither in a block of code nor in a code span of one line."""
    lines = markdown.split("\n")
    return "\n".join(
        line if scanned.kind in CODE else _changed(line, change)
        for line, scanned in zip(lines, scan(lines), strict=True)
    )


def _changed(line: str, change: Callable[[str], str]) -> str:
    pieces, at = [], 0
    for span in code_spans(line):
        pieces += [change(line[at : span.start]), line[span.start : span.end]]
        at = span.end
    return "".join([*pieces, change(line[at:])])


def _spans(text: str) -> Iterator[CodeSpan]:
    closings = _Closings(text)
    at = 0
    while token := _TOKEN.search(text, at):
        at = token.end()
        if token["ticks"]:
            close = closings.after(at, len(token["ticks"]))
            if close >= 0:
                code = text[at:close]
                at = close + len(token["ticks"])
                yield CodeSpan(start=token.start(), end=at, text=_shown(code))
        elif token["opening"]:
            at = closings.end_of_html(token)


class _Closings:
    """Where runs of backticks begin, by their length, and where odd kinds of HTML end; looked for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places: dict[int, list[int]] = {}
        for run in reversed(list(_TICKS.finditer(text))):
            self._places.setdefault(len(run[0]), []).append(run.start())
        self._without_end: set[str] = set()

    def after(self, at: int, length: int) -> int:
        """The next run of so many backticks; -1 where there is none."""
        places = self._places.get(length, [])
        while places and places[-1] < at:
            places.pop()
        return places[-1] if places else -1

    def end_of_html(self, token: re.Match[str]) -> int:
        """Behind a comment, an instruction, a declaration or a CDATA section; without an end it is text."""
        opening = token["opening"]
        ending = _ENDINGS.get(opening, ">")
        if opening == "<!--" and (short := _SHORT_COMMENT.match(self._text, token.end())):
            return short.end()
        end = -1 if ending in self._without_end else self._text.find(ending, token.end())
        if end < 0:
            self._without_end.add(ending)
            return token.start() + 1
        return end + len(ending)


def _shown(code: str) -> str:
    line = code.replace("\n", " ")
    padded = line.startswith(" ") and line.endswith(" ") and line.strip(" ")
    return line[1:-1] if padded else line
