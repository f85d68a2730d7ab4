"""A JSON-RPC call read from a body, and why a call is not answered: one class for each of the error codes.

CallFailed               an error with code, message and data
├── Unparsable           −32700: not JSON
├── InvalidRequest       −32600: JSON, but not a call
│   └── TooLarge         413
├── UnknownMethod        −32601: a method that does not exist
├── InvalidParams        −32602: a call whose parameters make no sense
├── NotAnswered          −32603: the agent failed, is busy or stops
├── WrongContentType     −32005, 415: the body claims to be another type
└── NotAdmitted          −32000, 401 or 403: the caller is not allowed
"""

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from fetcher.a2a import card
from fetcher.text import strict_json


class CallFailed(Exception):
    """An error with its code, for the caller; `data` says more to programs."""

    code: ClassVar[int] = -32603
    status: ClassVar[int] = 200

    def __init__(
        self, message: str, data: dict[str, Any] | None = None, *, call_id: str | int | float | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.data = data
        self.call_id = call_id
        """Of the call that failed, where that much could be read."""

    @property
    def reply(self) -> dict[str, Any]:
        error = {"code": self.code, "message": self.message} | ({"data": self.data} if self.data else {})
        return {"jsonrpc": "2.0", "id": self.call_id, "error": error}


class Unparsable(CallFailed):
    code = -32700


class InvalidRequest(CallFailed):
    code = -32600


class TooLarge(InvalidRequest):
    status = 413


class UnknownMethod(CallFailed):
    code = -32601


class InvalidParams(CallFailed):
    code = -32602


class NotAnswered(CallFailed):
    code = -32603


class WrongContentType(CallFailed):
    code = -32005
    status = 415


class NotAdmitted(CallFailed):
    code = -32000
    status = 401


class WrongHost(NotAdmitted):
    status = 403


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
