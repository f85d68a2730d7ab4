"""What the Messages API refuses with `invalid_request_error`.

Each rule is a generator of what is wrong with a request; the first thing that any of them finds is
the refusal. They hold a caller to what the real API documents or is known to say, no further. Their words,
and that a text of white space alone is refused, rest on memory.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from typing import Any

from tests.fakes.request_types import type_complaints
from tests.fakes.search_results import Block, Body, blocks, search_results

MOST_BREAKPOINTS = 4
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


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
    """Users may speak twice in a row: the API reads both as one turn ("Using the Messages API")."""
    roles = [message["role"] for message in body["messages"]]
    if roles[0] != "user":
        yield "messages: first message must use the user role"
    if ("assistant", "assistant") in pairwise(roles):
        yield "messages: roles must alternate between user and assistant"


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
    # Server tools have a type with a date in place of a schema.
    own = [tool for tool in tools if tool.get("type", "custom") == "custom"]
    if any(tool.get("input_schema", {}).get("type") != "object" for tool in own):
        yield "tools: input_schema.type must be object"
    if not tools and any(block["type"] in ("tool_use", "tool_result") for block in all_blocks(body)):
        yield "requests which include tool_use or tool_result blocks must define tools"


STRICT = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems"},
    "string": {"format"},
}
"""What a schema may say besides type, description, title, enum and const, where a tool is strict
(`anthropic/lib/_parse/_transform.py`, and "JSON Schema limitations" of structured outputs)."""
ANY_STRICT = {"type", "description", "title", "enum", "const", "anyOf", "allOf", "$ref", "$defs"}
MOST_STRICT_TOOLS = 20
MOST_OPTIONAL = 24
"""Optional parameters of all strict tools together."""


def _strict_tools(body: Body) -> Iterator[str]:
    strict = [tool for tool in body.get("tools", ()) if tool.get("strict")]
    if len(strict) > MOST_STRICT_TOOLS:
        yield f"tools: at most {MOST_STRICT_TOOLS} may be strict"
    optional = 0
    for tool in strict:
        for schema in _schemas(tool["input_schema"]):
            if extra := schema.keys() - ANY_STRICT - STRICT.get(schema.get("type", ""), set()):
                yield f"tools.{tool['name']}: for strict tools, {min(extra)} is not supported"
            if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
                yield f"tools.{tool['name']}: for strict tools, additionalProperties must be false"
            if schema.get("minItems", 0) not in (0, 1):
                yield f"tools.{tool['name']}: for strict tools, minItems must be 0 or 1"
            optional += len(schema.get("properties", {}).keys() - set(schema.get("required", ())))
    if optional > MOST_OPTIONAL:
        yield f"tools: strict tools may have {MOST_OPTIONAL} optional parameters together"


def _schemas(schema: Block) -> Iterator[Block]:
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("allOf", ())]
    for each in [*inner, schema["items"]] if "items" in schema else inner:
        yield from _schemas(each)


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
    type_complaints,
    _roles,
    _texts,
    _tool_calls,
    _tool_ids,
    _tools,
    _strict_tools,
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
