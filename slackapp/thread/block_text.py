"""Slack's blocks as text: what our own answers said, and where people's links lead."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]

_CITATION = re.compile(r"\[[0-9]{1,3}\]")


def text_of(blocks: Sequence[Json]) -> str:
    """An answer's Markdown, as near to what was written as blocks allow; notes and buttons left out."""
    return "\n\n".join(text for block in blocks if (text := _block(block)))


def links_of(blocks: Any) -> tuple[str, ...]:
    """The http(s) links that blocks show, in order, each once."""
    return tuple(dict.fromkeys(_links(blocks)))


def _links(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if value.get("type") == "link" and str(value.get("url", "")).startswith(("http://", "https://")):
            yield str(value["url"])
        for inner in value.values():
            yield from _links(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _links(inner)


def _block(block: Json) -> str:
    """A block's text; of one in a shape that Slack has not shown yet, nothing."""
    try:
        return _BLOCKS.get(str(block.get("type")), _nothing)(block)
    except (LookupError, TypeError, ValueError, AttributeError):
        return ""


def _nothing(_: Json) -> str:
    return ""


def _rich_text(block: Json) -> str:
    return "\n".join(_PARTS.get(str(part.get("type")), _line)(part) for part in block.get("elements") or ())


def _line(part: Json) -> str:
    return "".join(map(_element, part.get("elements") or ()))


def _element(element: Json) -> str:
    text, url = str(element.get("text") or ""), str(element.get("url") or "")
    if url and text and text != url:
        return text if _CITATION.fullmatch(text) else f"[{text}]({url})"
    return url or text


def _list(part: Json) -> str:
    """Its points; lines that go on with one stand under its words."""
    indent = "  " * int(part.get("indent") or 0)
    first = int(part.get("offset") or 0) + 1
    ordered = part.get("style") == "ordered"
    lines = []
    for number, item in enumerate(part.get("elements") or (), start=first):
        mark = f"{indent}{f'{number}.' if ordered else '-'} "
        lines.append(mark + _line(item).replace("\n", f"\n{' ' * len(mark)}"))
    return _bordered(part, "\n".join(lines))


def _code(part: Json) -> str:
    return _bordered(part, f"```\n{_line(part)}\n```")


def _quote(part: Json) -> str:
    return _bordered(part, _quoted(_line(part)))


def _bordered(part: Json, text: str) -> str:
    return _quoted(text) if part.get("border") else text


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _header(block: Json) -> str:
    return f"## {(block.get('text') or {}).get('text', '')}"


def _section(block: Json) -> str:
    return str((block.get("text") or {}).get("text", ""))


def _markdown(block: Json) -> str:
    return str(block.get("text") or "")


def _table(block: Json) -> str:
    rows = [[_cell(cell) for cell in row] for row in block.get("rows") or ()]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    rule = [f"|{'---|' * len(rows[0])}"] if rows else []
    return "\n".join([*lines[:1], *rule, *lines[1:]])


def _cell(cell: Json) -> str:
    text = str(cell["text"]) if cell.get("type") == "raw_text" else _rich_text(cell)
    return text.replace("|", "\\|").strip().replace("\n", "<br>")


_BLOCKS: dict[str, Callable[[Json], str]] = {
    "rich_text": _rich_text,
    "header": _header,
    "section": _section,
    "markdown": _markdown,
    "table": _table,
}
_PARTS: dict[str, Callable[[Json], str]] = {
    "rich_text_list": _list,
    "rich_text_preformatted": _code,
    "rich_text_quote": _quote,
}
