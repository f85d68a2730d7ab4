"""From a body's bytes to a JSON-RPC call; pure."""

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn

from fetcher.a2a import card
from fetcher.a2a.errors import InvalidRequest, Unparsable

Id = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRpcCall:
    """A well-formed call; its parameters are for the method to judge."""

    id: Id
    method: str
    params: Any


def parse(body: bytes) -> JsonRpcCall:
    """The call in a body; raises Unparsable or InvalidRequest, with the call's id where there is one."""
    value = _decoded(body)
    if isinstance(value, list):
        raise _no_call("Batch requests are not supported")
    if not isinstance(value, dict):
        raise _no_call("The body must be a JSON object")
    call_id = value.get("id")
    if isinstance(call_id, bool) or not isinstance(call_id, str | int | float | None):
        raise _no_call("'id' must be a string, a number or null")
    if value.get("jsonrpc") != "2.0":
        raise _no_call("'jsonrpc' must be exactly '2.0'", call_id)
    if not isinstance(value.get("method"), str) or not value["method"]:
        raise _no_call("'method' must be a string", call_id)
    return JsonRpcCall(id=call_id, method=value["method"], params=value.get("params"))


def reply(call: JsonRpcCall, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": call.id, "result": result}


def _no_call(reason: str, call_id: Id = None) -> InvalidRequest:
    """A sentence for people, and the reason for whoever wrote the caller."""
    return InvalidRequest(card.no_call(), {"reason": reason}, call_id=call_id)


def _decoded(body: bytes) -> Any:
    try:
        text = body.decode()
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        if "\\ud" in text or "\\uD" in text:  # escapes, and perhaps half a pair, which nobody can send on
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        reason = "The body is not JSON in UTF-8, is nested too deeply, or has a number out of all bounds"
        raise Unparsable(card.unreadable(), {"reason": reason}) from None
    return value


def _finite(number: str) -> float:
    """JSON knows numbers that Python can only call infinite, and then not say again."""
    if not math.isfinite(value := float(number)):
        raise ValueError(f"{number} is out of bounds")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
