"""Slack's rules for blocks: what makes a message `invalid_blocks` or `msg_blocks_too_long`. Pure."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json

MAX_IN_MESSAGE = 50
MAX_IN_VIEW = 100
MAX_MARKDOWN = 12_000
"""Of all markdown blocks of a message together."""
MAX_INDENT = 8
MAX_CHARS = 13_200
"""Of all text in a message's blocks; Slack does not say the number, this is where it was met."""

Check = Callable[[Json], Iterator[str]]


def check(blocks: Any, *, most: int = MAX_IN_MESSAGE) -> list[Json]:
    """The blocks, or Slack's refusal."""
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise ApiRefused("invalid_blocks_format")
    try:
        problems = [*_crowd(blocks, most), *_each(blocks)]
    except (TypeError, AttributeError) as error:
        raise _invalid(["a field is of the wrong type"]) from error
    if problems:
        raise _invalid(problems)
    if sum(len(block["text"]) for block in blocks if block["type"] == "markdown") > MAX_MARKDOWN:
        raise ApiRefused("msg_blocks_too_long")
    if sum(map(len, texts(blocks))) > MAX_CHARS and most == MAX_IN_MESSAGE:
        raise ApiRefused("msg_blocks_too_long")
    return blocks


def texts(value: Any) -> Iterator[str]:
    """Every text that a block shows, however deep it stands."""
    if isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "text" and isinstance(item, str):
                yield item
            else:
                yield from texts(item)


def elements(blocks: Sequence[Json]) -> Iterator[tuple[Json, Json]]:
    """Every interactive element with its block."""
    for block in blocks:
        for element in [*block.get("elements", ()), block.get("accessory")]:
            if isinstance(element, dict) and "action_id" in element:
                yield block, element


def _invalid(problems: Sequence[str]) -> ApiRefused:
    messages = [f"[ERROR] {problem}" for problem in problems]
    return ApiRefused("invalid_blocks", errors=list(problems), response_metadata={"messages": messages})


def _crowd(blocks: Sequence[Json], most: int) -> Iterator[str]:
    if len(blocks) > most:
        yield f"no more than {most} items allowed [json-pointer:/blocks]"
    named = [block["block_id"] for block in blocks if block.get("block_id")]
    if len(named) != len(set(named)):
        yield "block_id already exists [json-pointer:/blocks]"
    if sum(block.get("type") == "table" for block in blocks) > 1:
        yield "only_one_table_allowed [json-pointer:/blocks]"


def _each(blocks: Sequence[Json]) -> Iterator[str]:
    for index, block in enumerate(blocks):
        rule = RULES.get(str(block.get("type")))
        problems = rule(block) if rule else iter([f"unsupported type: {block.get('type')}"])
        for problem in [*problems, *_within(block.get("block_id", ""), 255, "block_id")]:
            yield f"{problem} [json-pointer:/blocks/{index}]"


def _within(text: Any, most: int, name: str, least: int = 0) -> Iterator[str]:
    if not isinstance(text, str):
        yield f"must be a string: {name}"
    elif len(text) < least:
        yield f"must be more than {least - 1} characters: {name}"
    elif len(text) > most:
        yield f"must be less than {most + 1} characters: {name}"


def _text_object(value: Any, most: int, name: str, kinds: Sequence[str]) -> Iterator[str]:
    if not isinstance(value, dict) or value.get("type") not in kinds:
        yield f"must be one of {', '.join(kinds)}: {name}"
    else:
        yield from _within(value.get("text"), most, name, least=1)


def _section(block: Json) -> Iterator[str]:
    fields = block.get("fields", [])
    if "text" not in block and not fields:
        yield "missing required field: text"
    if "text" in block:
        yield from _text_object(block["text"], 3000, "text", ("mrkdwn", "plain_text"))
    if len(fields) > 10:
        yield "no more than 10 items allowed: fields"
    for field in fields:
        yield from _text_object(field, 2000, "fields", ("mrkdwn", "plain_text"))
    if "accessory" in block:
        yield from _element(block["accessory"])


def _markdown(block: Json) -> Iterator[str]:
    yield from _within(block.get("text"), 10**9, "text", least=1)


def _header(block: Json) -> Iterator[str]:
    yield from _text_object(block.get("text"), 150, "text", ("plain_text",))


def _context(block: Json) -> Iterator[str]:
    yield from _count(block, 10)
    for element in _listed(block):
        if element.get("type") != "image":
            yield from _text_object(element, 3000, "elements", ("mrkdwn", "plain_text"))


def _actions(block: Json) -> Iterator[str]:
    yield from _count(block, 25)
    for element in _listed(block):
        yield from _element(element)


def _context_actions(block: Json) -> Iterator[str]:
    yield from _count(block, 5)
    for element in _listed(block):
        if element.get("type") not in ("feedback_buttons", "icon_button"):
            yield f"unsupported type: {element.get('type')}"
        yield from _element(element)


def _table(block: Json) -> Iterator[str]:
    rows = block.get("rows")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
        yield "missing required field: rows"
        return
    if len(rows) > 100:
        yield "no more than 100 items allowed: rows"
    if max(map(len, rows)) > 20:
        yield "no more than 20 items allowed: rows"
    cells = [cell for row in rows for cell in row]
    if any(not isinstance(cell, dict) or cell.get("type") not in ("raw_text", "rich_text") for cell in cells):
        yield "must be one of raw_text, rich_text: rows"
    elif any(cell["type"] == "raw_text" and not cell.get("text") for cell in cells):
        yield "must be more than 0 characters: rows"
    for cell in cells:
        if isinstance(cell, dict) and cell.get("type") == "rich_text":
            yield from _rich_text(cell)


def _rich_text(block: Json) -> Iterator[str]:
    """Four kinds of elements, of which only a list holds others: its sections (`@slack/types`)."""
    yield from _count(block, 10**9)
    for element in _listed(block):
        kind = element.get("type")
        if kind not in RICH_TEXT:
            yield f"unsupported type: {kind}"
        if element.get("border", 0) not in (0, 1):
            yield "must be 0 or 1: border"
        if kind == "rich_text_list":
            yield from _rich_text_list(element)
        else:
            yield from _pieces(element)


def _rich_text_list(element: Json) -> Iterator[str]:
    if element.get("style") not in ("bullet", "ordered"):
        yield "must be one of bullet, ordered: style"
    if element.get("indent", 0) not in range(MAX_INDENT + 1):
        yield f"must be from 0 to {MAX_INDENT}: indent"
    if element.get("offset", 0) < 0:
        yield "must be at least 0: offset"
    yield from _count(element, 10**9)
    for point in _listed(element):
        if point.get("type") != "rich_text_section":
            yield f"unsupported type: {point.get('type')}"
        yield from _pieces(point)


def _pieces(element: Json) -> Iterator[str]:
    yield from _count(element, 10**9)
    for piece in _listed(element):
        if piece.get("type") == "text":
            yield from _within(piece.get("text"), 10**9, "text", least=1)
        if piece.get("type") == "link":
            yield from _within(piece.get("url"), 3000, "url", least=1)


def _image(block: Json) -> Iterator[str]:
    if not block.get("alt_text"):
        yield "missing required field: alt_text"


def _count(block: Json, most: int) -> Iterator[str]:
    listed = block.get("elements")
    if not isinstance(listed, list) or not listed:
        yield "missing required field: elements"
    elif len(listed) > most:
        yield f"no more than {most} items allowed: elements"


def _listed(block: Json) -> list[Json]:
    listed = block.get("elements")
    return [element for element in listed if isinstance(element, dict)] if isinstance(listed, list) else []


def _element(element: Json) -> Iterator[str]:
    yield from _within(element.get("action_id", ""), 255, "action_id")
    yield from _within(element.get("value", ""), 2000, "value")
    if element.get("type") == "button":
        yield from _text_object(element.get("text"), 75, "text", ("plain_text",))
    if element.get("type") == "feedback_buttons":
        for side in ("positive_button", "negative_button"):
            button = element.get(side) or {}
            yield from _text_object(button.get("text"), 75, side, ("plain_text",))
            yield from _within(button.get("value"), 2000, side, least=1)


def _anything(_: Json) -> Iterator[str]:
    return iter(())


RICH_TEXT = ("rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote")
RULES: dict[str, Check] = {
    "actions": _actions,
    "alert": _anything,
    "card": _anything,
    "carousel": _anything,
    "context": _context,
    "context_actions": _context_actions,
    "divider": _anything,
    "file": _anything,
    "header": _header,
    "image": _image,
    "input": _anything,
    "markdown": _markdown,
    "plan": _anything,
    "rich_text": _rich_text,
    "section": _section,
    "table": _table,
    "task_card": _anything,
    "video": _anything,
}
