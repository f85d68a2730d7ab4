"""The white space of plain text (SRD FR-WF-13b, 13c)."""

import re

_FENCE = re.compile(r" {0,3}(`{3,})([^`]*)$")


def normalise(text: str) -> str:
    """Text with one kind of line end and, outside code fences (FR-WF-EXT-WS-01), no invisible space."""
    lines: list[str] = []
    fence = ""
    blank = 0
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        ticks = _FENCE.match(line)
        if fence:
            lines.append(line)
            if ticks and ticks[1].startswith(fence) and not ticks[2].strip():
                fence = ""
            continue
        fence = ticks[1] if ticks else ""
        trimmed = line.rstrip()
        blank = 0 if trimmed else blank + 1
        if blank <= 2:
            lines.append(trimmed)
    return "\n".join(lines).rstrip() + "\n"
