"""Why a call is not answered: one class for each of JSON-RPC's error codes.

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

from typing import Any, ClassVar


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
