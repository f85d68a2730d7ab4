"""From a body's bytes to a JSON-RPC call; pure."""

import json
from dataclasses import dataclass
from typing import Any

from fetcher.a2a import card
from fetcher.a2a.errors import InvalidRequest, Unparsable
from fetcher.text import strict_json


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRpcCall:
    """A well-formed call; its parameters are for the method to judge."""

    id: str | int | float | None
    method: str
    params: Any


def parse(body: bytes) -> JsonRpcCall:
    """The call in a body; raises Unparsable or InvalidRequest, with the call's id where there is one."""
    try:
        text = body.decode()
        value = strict_json(text)
        if "\\ud" in text or "\\uD" in text:  # escapes, and perhaps half a pair, which UTF-8 cannot encode
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        reason = "The body is not JSON in UTF-8, is nested too deeply, or has a number out of all bounds"
        raise Unparsable(card.unreadable(), {"reason": reason}) from None
    call_id = None
    if isinstance(value, list):
        wrong = "Batch requests are not supported"
    elif not isinstance(value, dict):
        wrong = "The body must be a JSON object"
    elif isinstance(value.get("id"), bool) or not isinstance(value.get("id"), str | int | float | None):
        wrong = "'id' must be a string, a number or null"
    else:
        call_id, method = value.get("id"), value.get("method")
        if value.get("jsonrpc") != "2.0":
            wrong = "'jsonrpc' must be exactly '2.0'"
        elif not isinstance(method, str) or not method:
            wrong = "'method' must be a string"
        else:
            return JsonRpcCall(id=call_id, method=method, params=value.get("params"))
    raise InvalidRequest(card.no_call(), {"reason": wrong}, call_id=call_id)
