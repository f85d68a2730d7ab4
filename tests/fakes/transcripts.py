"""Whether a request continues its conversation as it was: the append-only rule.

A thinking block is good only behind the messages that it was made for, and unchanged (Anthropic's "What's new
in Claude Sonnet 5.5": thinking blocks are bound to model and conversation; `types/thinking_block_param.py`).
Here the calls of tools are bound in the same way, so that the rule holds for models that do not think too: a
caller that rewrites earlier messages also loses the cache.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from tests.fakes.search_results import Block, Body, blocks

SIGNED = "signed-"


def fingerprint(body: Body, messages: list[Block]) -> str:
    """Of everything that a turn was made for; where the cache's marks stand makes no difference."""
    seen = [blocks(body.get("system", [])), [message | _content(message) for message in messages]]
    return hashlib.sha256(json.dumps(unmarked(seen), ensure_ascii=False).encode()).hexdigest()[:32]


def signature(body: Body, thinking: str) -> str:
    """The signature of a thought about a request."""
    made_for = fingerprint(body, body["messages"])
    return SIGNED + hashlib.sha256(f"{made_for}{thinking}".encode()).hexdigest()[:32]


def transcript_complaints(body: Body, issued: dict[str, set[tuple[str, str]]]) -> Iterator[str]:
    """What was changed in front of, or in, a turn of the model's own.

    `issued` has the fingerprint and the signature with which each call of a tool was sent.
    """
    for place, message in enumerate(body["messages"]):
        if message["role"] != "assistant":
            continue
        before = body | {"messages": body["messages"][:place]}
        content = blocks(message["content"])
        signatures = {block["signature"] for block in content if block["type"] == "thinking"}
        for block in content:
            signed = block["signature"] if block["type"] == "thinking" else ""
            if signed.startswith(SIGNED) and signed != signature(before, block["thinking"]):
                yield f"messages.{place}: thinking blocks cannot be modified, nor what stands before them"
            if block["type"] == "tool_use" and (sent := issued.get(block["id"])):
                yield from _call_complaints(place, fingerprint(before, before["messages"]), signatures, sent)


def _call_complaints(
    place: int, prefix: str, signatures: set[str], sent: set[tuple[str, str]]
) -> Iterator[str]:
    thoughts = {signed for made_for, signed in sent if made_for == prefix}
    if not thoughts:
        yield f"messages.{place}: the messages before a tool_use are not those that it was made for"
    elif not any(not signed or signed in signatures for signed in thoughts):
        yield f"messages.{place}: expected the thinking block that came with the tool_use"


def unmarked(value: Any) -> Any:
    """A value without the cache's marks, which may move from request to request."""
    if isinstance(value, dict):
        return {name: unmarked(inner) for name, inner in value.items() if name != "cache_control"}
    return [unmarked(inner) for inner in value] if isinstance(value, list) else value


def _content(message: Block) -> Block:
    return {"content": blocks(message["content"])}
