"""What the Messages API refuses with `invalid_request_error`.

Each rule is a generator of what is wrong with a request; the first thing that any of them finds is
the refusal. They hold a caller to what the real API documents or is known to say, no further.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from typing import Any

from tests.fakes.search_results import Block, Body, blocks, search_results

MOST_BREAKPOINTS = 4
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
REQUIRED = {
    "text": {"text"},
    "tool_use": {"id", "name", "input"},
    "tool_result": {"tool_use_id"},
    "search_result": {"source", "title", "content"},
    "thinking": {"thinking", "signature"},
    "redacted_thinking": {"data"},
    "search_result_location": {
        "cited_text",
        "source",
        "title",
        "search_result_index",
        "start_block_index",
        "end_block_index",
    },
}
OPTIONAL = {
    "text": {"citations", "cache_control"},
    "tool_use": {"cache_control", "caller", "toolset_name"},
    "tool_result": {"content", "is_error", "cache_control", "toolset_name"},
    "search_result": {"citations", "cache_control"},
}
"""Of the blocks that an agent of ours has reason to send; any other is refused."""


def complaint(body: Body) -> str | None:
    """The first thing that is wrong with a request, or None."""
    return next(chain.from_iterable(rule(body) for rule in RULES), None)


def _limits(body: Body) -> Iterator[str]:
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or limit < 1:
        yield "max_tokens: must be a positive integer"


def _shape(body: Body) -> Iterator[str]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages: at least one message is required"
        return
    for place, message in enumerate(messages):
        if message.get("role") not in ("user", "assistant"):
            yield f"messages.{place}.role: must be user or assistant"
        if not message.get("content"):
            yield f"messages.{place}: all messages must have non-empty content"


def _roles(body: Body) -> Iterator[str]:
    roles = [message["role"] for message in body["messages"]]
    if roles[0] != "user":
        yield "messages: first message must use the user role"
    if any(one == other for one, other in pairwise(roles)):
        yield "messages: roles must alternate between user and assistant"
    if roles[-1] != "user":
        yield "messages: the conversation must end with a user message"


def _fields(body: Body) -> Iterator[str]:
    for block in all_blocks(body):
        kind = block.get("type", "")
        if kind not in REQUIRED:
            yield f"messages: a block of type {kind!r} is not permitted"
            continue
        given = block.keys() - {"type"}
        if missing := REQUIRED[kind] - given:
            yield f"messages: {kind}.{min(missing)}: field required"
        if extra := given - REQUIRED[kind] - OPTIONAL.get(kind, set()):
            yield f"messages: {kind}.{min(extra)}: extra inputs are not permitted"


def _texts(body: Body) -> Iterator[str]:
    for block in all_blocks(body):
        if block["type"] == "text" and not block["text"]:
            yield "messages: text content blocks must be non-empty"
        if block["type"] == "text" and not block["text"].strip():
            yield "messages: text content blocks must contain non-whitespace text"


def _tool_calls(body: Body) -> Iterator[str]:
    """Each call is answered in the next message, before anything else, and nothing else is answered."""
    called: list[str] = []
    for place, message in enumerate(body["messages"]):
        content = blocks(message["content"])
        answered = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        if missing := set(called) - set(answered):
            yield f"messages.{place}: tool_use ids without tool_result blocks: {', '.join(sorted(missing))}"
        if strange := set(answered) - set(called):
            yield f"messages.{place}: unexpected tool_use_id in tool_result: {', '.join(sorted(strange))}"
        if any(number > 1 for number in Counter(answered).values()):
            yield f"messages.{place}: each tool_use must have a single result"
        if any(block["type"] != "tool_result" for block in content[: len(answered)]):
            yield f"messages.{place}: tool_result blocks must come first"
        called = [block["id"] for block in content if block["type"] == "tool_use"]


def _tool_ids(body: Body) -> Iterator[str]:
    ids = Counter(block["id"] for block in all_blocks(body) if block["type"] == "tool_use")
    if any(number > 1 for number in ids.values()):
        yield "messages: tool_use ids must be unique"


def _tools(body: Body) -> Iterator[str]:
    tools = body.get("tools", [])
    names = Counter(tool.get("name", "") for tool in tools)
    if any(not TOOL_NAME.fullmatch(name) for name in names):
        yield "tools: a name must match ^[a-zA-Z0-9_-]{1,128}$"
    if any(number > 1 for number in names.values()):
        yield "tools: names must be unique"
    if any(tool.get("input_schema", {}).get("type") != "object" for tool in tools):
        yield "tools: input_schema.type must be object"
    if not tools and any(block["type"] in ("tool_use", "tool_result") for block in all_blocks(body)):
        yield "requests which include tool_use or tool_result blocks must define tools"


def _tool_choice(body: Body) -> Iterator[str]:
    choice = body.get("tool_choice", {})
    if choice and not body.get("tools"):
        yield "tool_choice may only be specified while providing tools"
    if choice.get("type") == "tool" and choice.get("name") not in {tool["name"] for tool in body["tools"]}:
        yield "tool_choice: no such tool"


def _breakpoints(body: Body) -> Iterator[str]:
    if _count_keys(body, "cache_control") > MOST_BREAKPOINTS:
        yield f"a maximum of {MOST_BREAKPOINTS} blocks with cache_control may be provided"


def _search_results(body: Body) -> Iterator[str]:
    results = list(search_results(body))
    if len({result.get("citations", {}).get("enabled", False) for result in results}) > 1:
        yield "messages: citations must be enabled on all search results or on none"
    if any(not result["content"] or not result["source"] or not result["title"] for result in results):
        yield "messages: search_result: source, title and content must not be empty"
    if any(block["type"] != "text" for result in results for block in result["content"]):
        yield "messages: search_result.content: only text blocks are permitted"


RULES: tuple[Callable[[Body], Iterator[str]], ...] = (
    _limits,
    _shape,
    _roles,
    _fields,
    _texts,
    _tool_calls,
    _tool_ids,
    _tools,
    _tool_choice,
    _breakpoints,
    _search_results,
)
"""In this order: each may rely on what those before it have seen to."""


def all_blocks(body: Body) -> Iterator[Block]:
    """The blocks of the system prompt and of all messages, and those inside them."""
    yield from _nested(blocks(body.get("system", [])))
    for message in body["messages"]:
        yield from _nested(blocks(message["content"]))


def _nested(outer: list[Block]) -> Iterator[Block]:
    for block in outer:
        yield block
        if block.get("type") in ("tool_result", "search_result"):
            yield from _nested(blocks(block.get("content", [])))
        if block.get("type") == "text":
            yield from block.get("citations") or ()


def _count_keys(value: Any, name: str) -> int:
    if isinstance(value, dict):
        return (name in value) + sum(_count_keys(each, name) for each in value.values())
    return sum(_count_keys(each, name) for each in value) if isinstance(value, list) else 0
