"""What a tool returns to the model: citable passages of a page, plain text, or a typed error."""

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from fetcher import messages_ja
from fetcher.agent.errors import ToolRefused
from fetcher.agent.model.contract import Block
from fetcher.agent.safety.fencing import plain_label, search_result
from fetcher.agent.tools import incomplete
from fetcher.agent.tools.open_pages import OpenPage
from fetcher.web.errors import LONGEST_DETAIL, FetchError, SsrfBlocked
from fetcher.web.values import Chunk

TABLES_LISTED = 20


def succeeded(call: Block, content: list[Block]) -> Block:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content}


def failed(call: Block, error: FetchError | ToolRefused) -> Block:
    """The `tool_result` of a call that failed, as a typed error (SRD FR-ERR-JSON-01)."""
    if isinstance(error, ToolRefused):
        envelope = {"code": error.code, "message": error.message, "retryable": error.retryable}
    elif isinstance(error, SsrfBlocked):  # E18: users read what the model repeats, and no inner address may
        message = "This address is not public"
        envelope = {"code": error.code, "message": message, "retryable": error.retryable}
    else:
        envelope = {name: _plain(value) for name, value in error.envelope().items()}
    content = json.dumps(envelope, ensure_ascii=False)
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content, "is_error": True}


def _plain(value: Any) -> Any:
    """Details, which quote strangers, as one line each without invisible characters."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return plain_label(value, longest=LONGEST_DETAIL) if isinstance(value, str) else value


def page_blocks(page: OpenPage, most_chars: int) -> list[Block]:
    """The beginning of a page, what is missing of it, and its tables by number."""
    first: list[Chunk] = []
    size = 0
    for passage in page.passages:
        size += len(passage.text)
        if first and size > most_chars:
            break
        first.append(passage)
    if not first:
        nothing = text_block("The page has no readable text. A browser may be needed (force_browser).")
        return [nothing, *warning_blocks(page)]
    blocks = [*passage_blocks(page, first), *warning_blocks(page)]
    if len(first) < len(page.passages):
        share = round(100 * len(first) / len(page.passages))
        part = "what was downloaded of the page" if page.cut else "the page"
        blocks.append(text_block(f"Only the first {share}% of {part}. Use find_in_page for the rest."))
    names = []
    for table in page.tables[:TABLES_LISTED]:
        named = table.header if any(table.header) else table.rows[0] if table.rows else ()
        names.append(plain_label(table.caption or " / ".join(filter(None, named)), longest=80))
    lines = []
    for number, (name, table) in enumerate(zip(names, page.tables, strict=False), 1):
        first_row = " / ".join(filter(None, table.rows[0])) if table.rows and names.count(name) > 1 else ""
        alike = f" (first row: {plain_label(first_row, longest=80)})" if first_row else ""
        place = f" (page {table.page})" if table.page else ""
        lines.append(f"{number}. {name}{place}{alike}: {len(table.rows)} rows")
    if len(page.tables) > TABLES_LISTED:
        more = f"{TABLES_LISTED + 1} to {len(page.tables)}"
        lines.append(f"Tables {more} are not listed; export_table takes their numbers.")
    listed = [text_block("\n".join(["Tables that export_table can export:", *lines]))] if lines else []
    return [*blocks, *listed]


def warning_blocks(page: OpenPage) -> list[Block]:
    """What the model must know lest it take a part of the page for the whole."""
    return [text_block(sentence) for sentence in incomplete.for_model(cut=page.cut, notes=page.notes)]


def passage_blocks(page: OpenPage, chunks: Sequence[Chunk]) -> list[Block]:
    """Passages that can be cited; those of a document with pages as a block for each page."""
    blocks = []
    for number, passages in groupby(chunks, key=lambda chunk: chunk.page):
        url = f"{page.url}#page={number}" if number else str(page.url)
        title = messages_ja.on_page(page.title, number) if number else page.title
        blocks.append(search_result(url, title, [chunk.text for chunk in passages]))
    return blocks


def text_block(content: str) -> Block:
    return {"type": "text", "text": content}
