"""Code spans in Markdown, as CommonMark has them; fences are found by `lines.py`.

Only these two modules decide what is code, for everything that reads or writes Markdown here: two readers
that disagree about a backtick disagree about which links are live.

A code span begins with a run of backticks and ends with the next run of the same length; a run without such
an end is text. A backslash before a run takes its first backtick out of it. Autolinks and HTML tags bind as
strongly as code: the one that begins first wins.

All of it takes linear time: each character is looked at a fixed number of times.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from fetcher.markdown_syntax.escapes import ESCAPED
from fetcher.markdown_syntax.lines import CODE, scan

_SPACE = r"[ \t]*+(?:\n[ \t]*+)?+"
_SOME_SPACE = r"(?:[ \t]++(?:\n[ \t]*+)?+|\n[ \t]*+)"
_VALUE = r"(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\")"
_ATTRIBUTE = rf"{_SOME_SPACE}[A-Za-z_:][A-Za-z0-9_.:-]*+(?>{_SPACE}={_SPACE}{_VALUE})?+"
_TOKEN = re.compile(
    rf"\\(?P<escaped>{ESCAPED})"
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
    """As it is shown: line ends are spaces, and one space of padding on both sides is removed."""


def code_spans(text: str) -> tuple[CodeSpan, ...]:
    """The code spans in a paragraph's, a heading's or a table cell's text, in order."""
    spans, closings, at = list[CodeSpan](), _Closings(text), 0
    while token := _TOKEN.search(text, at):
        at = token.end()
        if token["opening"]:
            at = closings.end_of_html(token)
        elif token["ticks"] and (close := closings.after(at, len(token["ticks"]))) >= 0:
            code = text[at:close].replace("\n", " ")
            if code.startswith(" ") and code.endswith(" ") and code.strip(" "):
                code = code[1:-1]
            at = close + len(token["ticks"])
            spans.append(CodeSpan(start=token.start(), end=at, text=code))
    return tuple(spans)


def outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """The Markdown with `change` applied outside of blocks of code and of code spans of one line."""
    lines = markdown.split("\n")
    changed: list[str] = []
    for line, scanned in zip(lines, scan(lines), strict=True):
        if scanned.kind in CODE:
            changed.append(line)
            continue
        pieces, at = [], 0
        for span in code_spans(line):
            pieces += [change(line[at : span.start]), line[span.start : span.end]]
            at = span.end
        changed.append("".join([*pieces, change(line[at:])]))
    return "\n".join(changed)


class _Closings:
    """Where runs of backticks begin, by their length, and where special kinds of HTML end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: dict[int, list[int]] = {}
        for run in reversed(list(_TICKS.finditer(text))):
            self._starts.setdefault(len(run[0]), []).append(run.start())
        self._without_end: set[str] = set()

    def after(self, at: int, length: int) -> int:
        """The start of the next run of so many backticks; -1 if there is none."""
        starts = self._starts.get(length, [])
        while starts and starts[-1] < at:
            starts.pop()
        return starts[-1] if starts else -1

    def end_of_html(self, token: re.Match[str]) -> int:
        """The end of a comment, instruction, declaration or CDATA section; one without an end is text."""
        opening = token["opening"]
        ending = _ENDINGS.get(opening, ">")
        if opening == "<!--" and (short := _SHORT_COMMENT.match(self._text, token.end())):
            return short.end()
        end = -1 if ending in self._without_end else self._text.find(ending, token.end())
        if end < 0:
            self._without_end.add(ending)
            return token.start() + 1
        return end + len(ending)
