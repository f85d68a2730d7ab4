"""Slack's blocks as text: the Markdown of the app's own answers."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]

_CITATION = re.compile(r"\[[0-9]{1,3}\]")
_BORDERED = frozenset({"rich_text_list", "rich_text_preformatted", "rich_text_quote"})


def text_of(blocks: Sequence[Json]) -> str:
    """An answer's Markdown, as far as its blocks allow; notes and buttons are left out."""
    texts = []
    for block in blocks:
        try:
            read = _BLOCKS.get(str(block.get("type")))
            texts.append(read(block) if read else "")
        except (LookupError, TypeError, ValueError, AttributeError):
            continue  # a shape that Slack has not shown yet
    return "\n\n".join(filter(None, texts))


def _rich_text(block: Json) -> str:
    texts = []
    for part in block.get("elements") or ():
        kind = part.get("type")
        if kind == "rich_text_list":
            indent, first = "  " * int(part.get("indent") or 0), int(part.get("offset") or 0) + 1
            is_numbered, lines = part.get("style") == "ordered", []
            for number, item in enumerate(part.get("elements") or (), start=first):
                mark = f"{indent}{number}. " if is_numbered else f"{indent}- "
                # Further lines of an item begin below its first word.
                lines.append(mark + _line(item).replace("\n", f"\n{' ' * len(mark)}"))
            text = "\n".join(lines)
        elif kind == "rich_text_preformatted":
            text = f"```\n{_line(part)}\n```"
        else:
            text = _line(part)
        is_quote = kind == "rich_text_quote"
        has_border = bool(part.get("border")) and kind in _BORDERED
        for _ in range(is_quote + has_border):  # a quote with a border is inside another quote
            text = "\n".join(f"> {line}" for line in text.split("\n"))
        texts.append(text)
    return "\n".join(texts)


def _line(part: Json) -> str:
    texts = []
    for element in part.get("elements") or ():
        text, url = str(element.get("text") or ""), str(element.get("url") or "")
        if url and text and text != url:
            texts.append(text if _CITATION.fullmatch(text) else f"[{text}]({url})")
        else:
            texts.append(url or text)
    return "".join(texts)


def _table(block: Json) -> str:
    def text(cell: Json) -> str:
        content = str(cell["text"]) if cell.get("type") == "raw_text" else _rich_text(cell)
        return content.replace("|", "\\|").strip().replace("\n", "<br>")

    rows = [[text(cell) for cell in row] for row in block.get("rows") or ()]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    rule = [f"|{'---|' * len(rows[0])}"] if rows else []
    return "\n".join([*lines[:1], *rule, *lines[1:]])


_BLOCKS: dict[str, Callable[[Json], str]] = {
    "rich_text": _rich_text,
    "header": lambda block: f"## {(block.get('text') or {}).get('text', '')}",
    "section": lambda block: str((block.get("text") or {}).get("text", "")),
    "markdown": lambda block: str(block.get("text") or ""),
    "table": _table,
}
