"""What a tool tells the model: citable passages of a page, plain words, or a typed error."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fetcher.agent.errors import ToolRefused
from fetcher.agent.model.contract import Block
from fetcher.agent.safety.fencing import plain_label, search_result
from fetcher.agent.tools import incomplete
from fetcher.agent.tools.open_pages import OpenPage
from fetcher.web.errors import LONGEST_DETAIL, FetchError, SsrfBlocked
from fetcher.web.values import Chunk, Table

TABLES_LISTED = 20


def succeeded(call: Block, content: list[Block]) -> Block:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content}


def failed(call: Block, error: FetchError | ToolRefused) -> Block:
    """The `tool_result` of a call that came to nothing, as a typed error (SRD FR-ERR-JSON-01)."""
    content = json.dumps(_envelope(error), ensure_ascii=False)
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content, "is_error": True}


def _envelope(error: FetchError | ToolRefused) -> Mapping[str, Any]:
    if isinstance(error, ToolRefused):
        return {"code": error.code, "message": error.message, "retryable": error.retryable}
    if isinstance(error, SsrfBlocked):  # E18: the model's words reach users, and no inner address may
        return {"code": error.code, "message": "This address is not public", "retryable": error.retryable}
    return {name: _plain(value) for name, value in error.envelope().items()}


def _plain(value: Any) -> Any:
    """Details quote what strangers sent: one line each, with nothing hidden in it."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return plain_label(value, longest=LONGEST_DETAIL) if isinstance(value, str) else value


def shown(page: OpenPage, most_chars: int) -> list[Block]:
    """The beginning of a page, what is missing of it, and its tables by number."""
    kept: list[Chunk] = []
    size = 0
    for passage in page.passages:
        size += len(passage.text)
        if kept and size > most_chars:
            break
        kept.append(passage)
    if not kept:
        nothing = text("The page has no readable text. A browser may be needed (force_browser).")
        return [nothing, *warnings(page)]
    blocks = [passages(page, kept), *warnings(page)]
    if len(kept) < len(page.passages):
        share = round(100 * len(kept) / len(page.passages))
        part = "what was downloaded of the page" if page.cut else "the page"
        blocks.append(text(f"Only the first {share}% of {part}. Use find_in_page for the rest."))
    return [*blocks, *_table_list(page)]


def warnings(page: OpenPage) -> list[Block]:
    """What the model must know lest it take a part of the page for the whole."""
    return [text(words) for words in incomplete.for_model(cut=page.cut, notes=page.notes)]


def _table_list(page: OpenPage) -> list[Block]:
    if not page.tables:
        return []
    lines = [
        f"{number}. {_table_name(table)}: {len(table.rows)} rows"
        for number, table in enumerate(page.tables[:TABLES_LISTED], 1)
    ]
    return [text("\n".join(["Tables that export_table can export:", *lines]))]


def _table_name(table: Table) -> str:
    named = table.header if any(table.header) else table.rows[0] if table.rows else ()
    return plain_label(table.caption or " / ".join(filter(None, named)), longest=80)


def passages(page: OpenPage, chunks: Sequence[Chunk]) -> Block:
    return search_result(str(page.url), page.title, [chunk.text for chunk in chunks])


def text(words: str) -> Block:
    return {"type": "text", "text": words}
