"""What a tool returns to the model: citable passages of a page, plain text, or a typed error."""

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from fetcher import wording
from fetcher.agent.errors import ToolRefused
from fetcher.agent.model.contract import Block
from fetcher.agent.safety.fencing import plain_label, search_result
from fetcher.agent.tools import incomplete
from fetcher.agent.tools.open_page import OpenPage
from fetcher.web.errors import LONGEST_DETAIL, FetchError, SsrfBlocked
from fetcher.web.search.find import Found
from fetcher.web.values import LinkPlace

TABLES_LISTED = 20
LINKS_CHARS = 4000
"""Of the list of a page's further links."""
LINK_LABEL = 60
LONGEST_REFUSAL = 1000
"""Characters of why a tool refused."""


def succeeded(call: Block, content: list[Block]) -> Block:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content}


def failed(call: Block, error: FetchError | ToolRefused) -> Block:
    """The `tool_result` of a call that failed, as a typed error (SRD FR-ERR-JSON-01)."""
    content = json.dumps(envelope_of(error), ensure_ascii=False)
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content, "is_error": True}


def envelope_of(error: FetchError | ToolRefused) -> dict[str, Any]:
    """An error as the model is told of it."""
    if isinstance(error, ToolRefused):
        message = plain_label(error.message, longest=LONGEST_REFUSAL)  # it may quote a table's headers
        return {"code": error.code, "message": message, "retryable": error.retryable}
    if isinstance(error, SsrfBlocked):  # E18: users read what the model repeats, and no inner address may
        message = "This address is not public"
        return {"code": error.code, "message": message, "retryable": error.retryable}
    return {name: _plain(value) for name, value in error.envelope().items()}


def with_note(result: Block, note: str) -> Block:
    """The `tool_result` with a sentence of ours at its end: text behind tool results may end a turn."""
    content = result["content"]
    blocks = [text_block(content)] if isinstance(content, str) else content
    return result | {"content": [*blocks, text_block(note)]}


def _plain(value: Any) -> Any:
    """Details, which quote strangers, as one line each without invisible characters."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return plain_label(value, longest=LONGEST_DETAIL) if isinstance(value, str) else value


def passages_from(page: OpenPage, first: int, most_chars: int) -> list[int]:
    """The numbers of the passages from one on that fit, at least one; none beyond the end."""
    chosen: list[int] = []
    size = 0
    for number in range(first, len(page.passages)):
        size += len(page.passages[number].text)
        if chosen and size > most_chars:
            break
        chosen.append(number)
    return chosen


def page_blocks(page: OpenPage, most_chars: int, start: int = 0, *, has_notes: bool = True) -> list[Block]:
    """A page from a position on, where it continues, what is missing of it, and its tables by number."""
    ends = (passage.start + len(passage.text) for passage in page.passages)
    first = next((number for number, end in enumerate(ends) if end > start), len(page.passages))
    chosen = passages_from(page, first, most_chars)
    if not page.passages:
        nothing = text_block("The page has no readable text. A browser may be needed (force_browser).")
        return [nothing, *warning_blocks(page), *link_blocks(page, [])]
    if not chosen:
        return [text_block(f"The page ends at {page.length}. There is nothing after that.")]
    shown = passage_blocks(page, chosen)
    blocks = [*shown, *warning_blocks(page)]
    after = chosen[-1] + 1
    if chosen[0] > 0 or after < len(page.passages):
        end = page.passages[after].start if after < len(page.passages) else page.length
        share = f"Characters {page.passages[chosen[0]].start} to {end} of {page.length}."
        more = (
            f" The page continues at {end}: fetch_url with start={end} reads on, find_in_page finds what "
            f"bears on a question{', and read_through makes notes of the whole page' if has_notes else ''}."
        )
        blocks.append(text_block(share + (more if after < len(page.passages) else " This is the end.")))
    if start > 0:
        return blocks
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
    return [*blocks, *listed, *link_blocks(page, shown)]


def found_blocks(page: OpenPage, found: Sequence[Found]) -> list[Block]:
    """The passages of a page that answer a query, best first, and where each begins."""
    if not found:
        return [text_block("Nothing on this page bears on the query. Try other words, or read the page on.")]
    blocks = []
    for number, of_page in groupby(
        found, key=lambda one: 0 if one.is_beside else page.document.page_at(one.start)
    ):
        texts = ["\n\n".join([" › ".join(one.headings), one.text]).strip() for one in of_page]
        blocks.append(search_result(*_place(page, number), texts))
    places = ["beside the main text" if one.is_beside else f"at {one.start}" for one in found]
    note = (
        f"Best first. The main text has {len(page.document.markdown)} characters; the passages stand "
        f"{', '.join(places)}. Beside the main text are headers, menus, side columns and footers."
    )
    return [*blocks, text_block(note)]


def link_blocks(page: OpenPage, shown: Sequence[Block], most_chars: int = LINKS_CHARS) -> list[Block]:
    """The page's links that what is shown of it lacks, those of menus and footers first, within a budget."""
    text = "\n".join(piece["text"] for block in shown for piece in block.get("content", [block]))
    lines: list[str] = []
    for place in LinkPlace:
        heading = f"{place}:"
        for link in page.document.links:
            if link.place is not place or f"({link.url})" in text:
                continue
            line = f"- {plain_label(link.label, longest=LINK_LABEL)}: {link.url}"
            most_chars -= len(line) + 1
            if most_chars < 0:
                break
            lines += [line] if heading in lines else [heading, line]
    return (
        [text_block("\n".join(["Further links of the page, by where they stand:", *lines]))] if lines else []
    )


def linked_blocks(page: OpenPage, found: Sequence[int]) -> list[Block]:
    """The links whose labels bear on a query."""
    links = [page.document.links[at] for at in found]
    lines = [f"- {plain_label(link.label, longest=LINK_LABEL)}: {link.url}" for link in links]
    return [text_block("\n".join(["Links of the page that may lead further:", *lines]))] if lines else []


def warning_blocks(page: OpenPage) -> list[Block]:
    """What the model must know lest it take a part of the page for the whole."""
    return [text_block(sentence) for sentence in incomplete.for_model(cut=page.cut, notes=page.notes)]


def passage_blocks(page: OpenPage, numbers: Sequence[int]) -> list[Block]:
    """Passages that can be cited; those of a document with pages as a block for each page."""
    blocks = []
    for place, passages in groupby(numbers, key=lambda number: page.passages[number].page):
        blocks.append(search_result(*_place(page, place), page.texts_of(list(passages))))
    return blocks


def _place(page: OpenPage, number: int) -> tuple[str, str]:
    """The address and the title of a page, or of one page of a document."""
    if not number:
        return str(page.url), page.title
    names = page.document.page_names
    title = wording.on_sheet(page.title, names[number - 1]) if names else wording.on_page(page.title, number)
    return f"{page.url}#page={number}", title


def text_block(content: str) -> Block:
    return {"type": "text", "text": content}
