"""Whether a request is what the SDK's own parameter types describe.

The authority is the installed SDK (`anthropic/types/message_create_params.py`, `content_block_param.py`). Its
clients do not check what they are given, so a wrong field would be found only by the real API.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError

from tests.fakes.search_results import Body, blocks

BEDROCK_FIELDS = frozenset({"anthropic_version", "anthropic_beta"})
"""What only Bedrock has in the body; it has model and stream in the path."""


def type_complaints(body: Body) -> Iterator[str]:
    """What a request has that the SDK's types do not, and the other way round."""
    rest = {name: value for name, value in body.items() if name not in BEDROCK_FIELDS}
    given = {"model": "in the path", "stream": True} | rest
    # Blocks have types of their own: here they would also pass as the SDK's responses, with any fields.
    bare = [message | {"content": "checked below"} for message in body["messages"]]
    yield from _complaints(given | {"messages": bare}, _request(streaming=given["stream"] is True), "")
    known = _blocks()
    for place, message in enumerate(body["messages"]):
        for number, block in enumerate(blocks(message["content"])):
            kind, path = block.get("type"), f"messages.{place}.content.{number}."
            if kind in known:
                yield from _complaints(block, known[kind], path)
            else:
                yield f"{path}type: a block of type {kind!r} is not permitted"


def _complaints(given: Any, adapter: TypeAdapter[Any], path: str) -> Iterator[str]:
    try:
        understood = _whole(adapter.validate_python(given))
    except ValidationError as error:
        first = error.errors()[0]
        yield f"{path}{'.'.join(map(str, first['loc']))}: {first['msg']}"
        return
    yield from (f"{extra}: extra inputs are not permitted" for extra in _unknown(given, understood, path))


@cache
def _request(*, streaming: bool) -> TypeAdapter[Any]:
    from anthropic.types.message_create_params import (
        MessageCreateParamsNonStreaming,
        MessageCreateParamsStreaming,
    )

    return TypeAdapter(MessageCreateParamsStreaming if streaming else MessageCreateParamsNonStreaming)


@cache
def _blocks() -> dict[str, TypeAdapter[Any]]:
    """The types of content blocks that a caller may send, by what stands in `type`."""
    from anthropic.types.content_block_param import ContentBlockParam

    return {
        kind: TypeAdapter(block)
        for block in get_args(ContentBlockParam)
        for kind in get_args(get_type_hints(block)["type"])
    }


def _whole(value: Any) -> Any:
    """The value with its iterators read: pydantic checks what they give only then."""
    if isinstance(value, dict):
        return {name: _whole(inner) for name, inner in value.items()}
    if isinstance(value, str | bytes | int | float | None):
        return value
    return [_whole(inner) for inner in value]


def _unknown(given: Any, understood: Any, path: str) -> Iterator[str]:
    """Where a request has fields that validation has left out."""
    if isinstance(given, dict) and isinstance(understood, dict):
        for name, value in given.items():
            if name not in understood:
                yield f"{path}{name}"
            else:
                yield from _unknown(value, understood[name], f"{path}{name}.")
    elif isinstance(given, list) and isinstance(understood, list):
        for number, (one, other) in enumerate(zip(given, understood, strict=True)):
            yield from _unknown(one, other, f"{path}{number}.")
