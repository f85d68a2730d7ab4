"""Slack's rules for blocks: which messages are `invalid_blocks` or `msg_blocks_too_long`. Pure."""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json

MAX_IN_MESSAGE = 50
MAX_IN_VIEW = 100
MAX_MARKDOWN = 12_000
"""Characters of all markdown blocks of a message together."""
MAX_INDENT = 8
MAX_CHARS = 13_200
"""Characters of all text in a message's blocks, as observed (bolt-js#2509); Slack does not document it."""
MAX_CHARS_BESIDE_MARKDOWN = 11_300
"""The same without markdown blocks: 9,597 characters were accepted, and 11,341 refused (bolt-js#2867)."""
MAX_TABLE = 10_000
"""Characters over all cells of a table: docs.slack.dev, "Table block"."""
MAX_IN_CONTAINER = 10
MAX_IN_ROW = {"actions": 25, "context": 10, "context_actions": 5}
IN_CONTAINER = frozenset({"actions", "context", "divider", "header", "image", "section", "table", "video"})
"""Blocks that both Slack's reference and its validator are known to accept inside a container."""
UNLIMITED = 10**9
PLAIN = ("plain_text",)
TEXT = ("mrkdwn", "plain_text")
TASK_STATUSES = ("pending", "in_progress", "complete", "error")
RICH_TEXT = ("rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote")
PIECES = {
    "broadcast": "range",
    "channel": "channel_id",
    "color": "value",
    "date": "timestamp",
    "emoji": "name",
    "link": "url",
    "team": "team_id",
    "text": "text",
    "user": "user_id",
    "usergroup": "usergroup_id",
}
"""Pieces of rich text, and the field that each needs."""
PREFORMATTED = frozenset({"link", "text"})
STYLES = frozenset(
    {"bold", "client_highlight", "code", "highlight", "italic", "strike", "underline", "unlink"}
)

Check = Callable[[Json], Iterator[str]]


def check(blocks: Any, *, most: int = MAX_IN_MESSAGE) -> list[Json]:
    """Returns the blocks, or raises Slack's refusal as ApiRefused."""
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise ApiRefused("invalid_blocks_format")
    try:
        problems = list(_problems(blocks, most))
    except (TypeError, AttributeError):
        problems = ["a field is of the wrong type"]
    if problems:
        messages = [f"[ERROR] {problem}" for problem in problems]
        raise ApiRefused("invalid_blocks", errors=problems, response_metadata={"messages": messages})
    if sum(len(block["text"]) for block in blocks if block["type"] == "markdown") > MAX_MARKDOWN:
        raise ApiRefused("msg_blocks_too_long")
    beside = [block for block in blocks if block["type"] != "markdown"]
    sizes = [sum(map(len, texts(group))) for group in (blocks, beside)]
    is_long = sizes[0] > MAX_CHARS or sizes[1] > MAX_CHARS_BESIDE_MARKDOWN
    if is_long and most == MAX_IN_MESSAGE:
        raise ApiRefused("msg_blocks_too_long")
    return blocks


def texts(value: Any) -> Iterator[str]:
    """Every text that a block shows, at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "text" and isinstance(item, str):
                yield item
            else:
                yield from texts(item)


def interactive_elements(blocks: Sequence[Json]) -> Iterator[tuple[Json, Json]]:
    """Every interactive element with its block."""
    for block in blocks:
        for element in [*block.get("elements", ()), block.get("accessory")]:
            if isinstance(element, dict) and "action_id" in element:
                yield block, element


def _problems(blocks: Sequence[Json], most: int) -> Iterator[str]:
    if len(blocks) > most:
        yield f"no more than {most} items allowed [json-pointer:/blocks]"
    ids = [block["block_id"] for block in blocks if block.get("block_id")]
    if len(ids) != len(set(ids)):
        yield "block_id already exists [json-pointer:/blocks]"
    if sum(block.get("type") == "table" for block in blocks) > 1:
        yield "only_one_table_allowed [json-pointer:/blocks]"
    for index, block in enumerate(blocks):
        kind = str(block.get("type"))
        problems = [] if kind in RULES or kind in UNCHECKED else [f"unsupported type: {block.get('type')}"]
        if kind in RULES:
            problems += RULES[kind](block)
        for problem in [*problems, *_length(block.get("block_id", ""), 255, "block_id")]:
            yield f"{problem} [json-pointer:/blocks/{index}]"


def _length(text: Any, most: int, name: str, least: int = 0) -> Iterator[str]:
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
        yield from _length(value.get("text"), most, name, least=1)


def _elements(block: Json, most: int = UNLIMITED) -> Generator[str, None, list[Json]]:
    """Yields problems with the number of a block's elements, and returns those that are objects."""
    elements = block.get("elements")
    if not isinstance(elements, list) or not elements:
        yield "missing required field: elements"
        return []
    if len(elements) > most:
        yield f"no more than {most} items allowed: elements"
    return [element for element in elements if isinstance(element, dict)]


def _interactive(element: Json) -> Iterator[str]:
    yield from _length(element.get("action_id", ""), 255, "action_id")
    yield from _length(element.get("value", ""), 2000, "value")
    if element.get("type") == "button":
        yield from _text_object(element.get("text"), 75, "text", PLAIN)
    if element.get("type") == "feedback_buttons":
        for side in ("positive_button", "negative_button"):
            button = element.get(side) or {}
            yield from _text_object(button.get("text"), 75, side, PLAIN)
            yield from _length(button.get("value"), 2000, side, least=1)


def _row(block: Json) -> Iterator[str]:
    """A block that shows its elements in a row: texts and pictures, buttons, or buttons under an answer."""
    kind = block["type"]
    for element in (yield from _elements(block, MAX_IN_ROW[kind])):
        if kind == "context":
            if element.get("type") != "image":
                yield from _text_object(element, 3000, "elements", TEXT)
            continue
        if kind == "context_actions" and element.get("type") not in ("feedback_buttons", "icon_button"):
            yield f"unsupported type: {element.get('type')}"
        yield from _interactive(element)


def _section(block: Json) -> Iterator[str]:
    fields = block.get("fields", [])
    if "text" not in block and not fields:
        yield "missing required field: text"
    if "text" in block:
        yield from _text_object(block["text"], 3000, "text", TEXT)
    if len(fields) > 10:
        yield "no more than 10 items allowed: fields"
    for field in fields:
        yield from _text_object(field, 2000, "fields", TEXT)
    if "accessory" in block:
        yield from _interactive(block["accessory"])


def _input(block: Json) -> Iterator[str]:
    """As the pages "Input block", "Plain-text input element" and "URL input element" describe it."""
    yield from _text_object(block.get("label"), 2000, "label", PLAIN)
    element = block.get("element")
    if not isinstance(element, dict) or not element.get("type"):
        yield "missing required field: element"
        return
    yield from _interactive(element)
    if element["type"] in ("plain_text_input", "url_text_input") and "placeholder" in element:
        yield from _text_object(element["placeholder"], 150, "placeholder", PLAIN)
    if element["type"] == "plain_text_input" and not 1 <= element.get("max_length", 1) <= 3000:
        yield "must be from 1 to 3000: max_length"


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
    if sum(map(len, texts(cells))) > MAX_TABLE:
        yield f"no more than {MAX_TABLE} characters allowed over all cells: rows"
    if any(not isinstance(cell, dict) or cell.get("type") not in ("raw_text", "rich_text") for cell in cells):
        yield "must be one of raw_text, rich_text: rows"
    elif any(cell["type"] == "raw_text" and not cell.get("text") for cell in cells):
        yield "must be more than 0 characters: rows"
    for cell in cells:
        if isinstance(cell, dict) and cell.get("type") == "rich_text":
            yield from _rich_text(cell)


def _rich_text(block: Json) -> Iterator[str]:
    """Four kinds of elements, of which only a list holds others: its sections (`@slack/types`)."""
    for element in (yield from _elements(block)):
        kind = element.get("type")
        if kind not in RICH_TEXT:
            yield f"unsupported type: {kind}"
        if element.get("border", 0) not in (0, 1):
            yield "must be 0 or 1: border"
        if kind != "rich_text_list":
            yield from _rich_text_pieces(element)
            continue
        if element.get("style") not in ("bullet", "ordered"):
            yield "must be one of bullet, ordered: style"
        if element.get("indent", 0) not in range(MAX_INDENT + 1):
            yield f"must be from 0 to {MAX_INDENT}: indent"
        if element.get("offset", 0) < 0:
            yield "must be at least 0: offset"
        for point in (yield from _elements(element)):
            if point.get("type") != "rich_text_section":
                yield f"unsupported type: {point.get('type')}"
            yield from _rich_text_pieces(point)


def _rich_text_pieces(element: Json) -> Iterator[str]:
    """The pieces of `RichTextElementParts` in slack_sdk; code holds texts and links only (`@slack/types`)."""
    allowed = PREFORMATTED if element.get("type") == "rich_text_preformatted" else PIECES
    for piece in (yield from _elements(element)):
        kind = str(piece.get("type"))
        if kind not in allowed:
            yield f"unsupported type: {kind}"
            continue
        needed = PIECES[kind]
        if needed and piece.get(needed) in (None, ""):
            yield f"missing required field: {needed}"
        if kind == "text":
            yield from _length(piece.get("text"), UNLIMITED, "text", least=1)
        if kind == "link":
            yield from _length(piece.get("url"), 3000, "url", least=1)
        style = piece.get("style", {})
        if not isinstance(style, dict) or not set(style) <= STYLES:
            yield f"must have only {', '.join(sorted(STYLES))}: style"


def _task_card(block: Json) -> Iterator[str]:
    """As `TaskCardBlock` of slack_sdk describes it; texts of its details and output are rich text."""
    yield from _length(block.get("task_id"), UNLIMITED, "task_id", least=1)
    yield from _length(block.get("title"), UNLIMITED, "title", least=1)
    if block.get("status") not in TASK_STATUSES:
        yield f"must be one of {', '.join(TASK_STATUSES)}: status"
    for name in ("details", "output"):
        if name in block:
            yield from _rich_text(block[name])
    for source in block.get("sources", []):
        if source.get("type") != "url" or not source.get("url") or not source.get("text"):
            yield "must be url elements with text: sources"


def _plan(block: Json) -> Iterator[str]:
    """As `PlanBlock` of slack_sdk describes it: a title, and task cards."""
    yield from _length(block.get("title"), UNLIMITED, "title", least=1)
    for task in block.get("tasks", []):
        if task.get("type") != "task_card":
            yield f"unsupported type: {task.get('type')}"
        yield from _task_card(task)


def _container(block: Json) -> Iterator[str]:
    """docs.slack.dev/reference/block-kit/blocks/container-block, and `ContainerBlock` of slack_sdk."""
    if "rich_text_title" not in block:
        yield from _text_object(block.get("title"), 150, "title", PLAIN)
    children = block.get("child_blocks")
    if not isinstance(children, list) or not 0 < len(children) <= MAX_IN_CONTAINER:
        yield f"from 1 to {MAX_IN_CONTAINER} items allowed: child_blocks"
        return
    for child in children:
        if child.get("type") not in IN_CONTAINER:
            yield f"unsupported type: {child.get('type')}"
        elif child["type"] in RULES:
            yield from RULES[child["type"]](child)


RULES: dict[str, Check] = {
    "actions": _row,
    "container": _container,
    "context": _row,
    "context_actions": _row,
    "input": _input,
    "header": lambda block: _text_object(block.get("text"), 150, "text", PLAIN),
    "image": lambda block: iter([] if block.get("alt_text") else ["missing required field: alt_text"]),
    "plan": _plan,
    "task_card": _task_card,
    "markdown": lambda block: _length(block.get("text"), UNLIMITED, "text", least=1),
    "rich_text": _rich_text,
    "section": _section,
    "table": _table,
}
UNCHECKED = frozenset({"alert", "card", "carousel", "divider", "file", "video"})
"""Types of blocks whose content is not checked."""
