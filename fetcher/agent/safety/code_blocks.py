"""Blocks of code in the model's Markdown, written anew so that they are code for every reader.

Each line of a block has the marks of the quotes and points that the block stands in, so that only its own
fence ends it.
"""

import re
from collections.abc import Iterator, Sequence

from fetcher.markdown_syntax.lines import Line, LineKind, scan

MARK, MARK_END = "\x0e", "\x0f"
"""Around the numbers of sources in the model's text; in code they move behind the block."""
MARKED = re.compile(f"{MARK}[0-9,]++{MARK_END}")

_LANGUAGE = re.compile(r"[\w+#.-]*")
_MEANS_MORE = re.compile(r"[\[\]<>`~@＠:.&\\]")
_TICKS = re.compile("`+")


def with_fences(lines: Sequence[str]) -> Iterator[str]:
    """The lines, with fences around indented code in which something could be taken for markup."""
    if not any("    " in line or "\t" in line for line in lines):
        yield from lines
        return
    scanned = list(scan(lines))
    at = 0
    while at < len(lines):
        end = at  # of the indented code that begins here, without blank lines
        for number in range(at, len(scanned)):
            line = scanned[number]
            if line.kind is LineKind.INDENTED and line.containers == scanned[at].containers:
                end = number + 1
            elif end == at or line.kind is not LineKind.BLANK:
                break
        if _MEANS_MORE.search("".join(lines[at:end])):
            code = [line.text for line in scanned[at:end]]
            fence = "`" * max(3, 1 + max(map(len, _TICKS.findall("\n".join(code))), default=0))
            inside = "".join(container.continuing for container in scanned[at].containers)
            yield from [scanned[at].prefix + fence, *(inside + text for text in code), inside + fence]
        else:
            end = max(end, at + 1)
            yield from lines[at:end]
        at = end


class CodeBlock:
    """A fenced block, written where it stands; marks inside it come after it."""

    def __init__(self, line: str, scanned: Line) -> None:
        language = _LANGUAGE.match(scanned.text)
        self.opening = f"{scanned.prefix}{scanned.fence}{language[0] if language else ''}"
        self._prefix = "".join(container.continuing for container in scanned.containers)
        self._fence = scanned.fence
        self._marks = "".join(MARKED.findall(line))

    def take(self, line: str, scanned: Line) -> str:
        """The next line of the block as it is written."""
        self._marks += "".join(MARKED.findall(line))
        if scanned.kind is LineKind.FENCE_END:
            return self.end()
        return (self._prefix if scanned.text else self._prefix.rstrip()) + scanned.text

    def end(self) -> str:
        """The closing fence, and the marks that stood in the block."""
        marks = [self._prefix + self._marks] if self._marks else []
        return "\n".join([self._prefix + self._fence, *marks])
