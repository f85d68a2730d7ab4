"""The SDK's methods, and checks that the SDK would fail with a wrong code or without the call's id."""

import re
from typing import Any

from a2a.compat.v0_3.jsonrpc_adapter import JSONRPC03Adapter
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.types import Scope

from fetcher.a2a import card
from fetcher.a2a.errors import InvalidParams, InvalidRequest, UnknownMethod
from fetcher.a2a.http.jsonrpc import JsonRpcCall
from fetcher.agent.remote.wire import complaint

OF_0_3: dict[str, Any] = dict(JSONRPC03Adapter.METHOD_TO_MODEL)
METHODS = frozenset({*JsonRpcDispatcher.METHOD_TO_MODEL, *OF_0_3})
DEEPEST = 32
"""Levels of parameters. Protobuf reads a hundred of its own, and needs up to three for one of JSON's."""
SCALARS = (str, int, float, type(None))
VERSION = "a2a-version"
_PASCAL_CASE = re.compile(r"[A-Z][A-Za-z]+")


def check(call: JsonRpcCall) -> None:
    """Raises CallFailed."""
    if call.method not in METHODS:
        raise UnknownMethod(card.unknown_method(), {"reason": "Method not found"})
    if isinstance(call.id, float):
        raise InvalidRequest(card.no_call(), {"reason": "'id' should be a string or a whole number"})
    level = [call.params]
    for _ in range(DEEPEST):
        items = (item.values() if isinstance(item, dict) else item for item in level)
        level = [inner for outer in items if not isinstance(outer, SCALARS) for inner in outer]
    if not all(isinstance(item, SCALARS) for item in level):
        raise InvalidParams(card.invalid_params(), {"reason": f"params: more than {DEEPEST} levels"})
    if call.method in OF_0_3:
        given = {"jsonrpc": "2.0", "id": call.id, "method": call.method}
        try:
            OF_0_3[call.method].model_validate(
                given | ({} if call.params is None else {"params": call.params})
            )
        except ValidationError as error:
            raise InvalidParams(card.invalid_params(), {"reason": complaint(error)}) from None


def versioned(scope: Scope, call: JsonRpcCall) -> Scope:
    """1.0's methods are written in Pascal case and 0.3's are not: a caller need not say which it speaks."""
    if Headers(scope=scope).get(VERSION, "").strip() or not _PASCAL_CASE.fullmatch(call.method):
        return scope
    others = [(name, value) for name, value in scope["headers"] if name.lower() != VERSION.encode()]
    return {**scope, "headers": [*others, (VERSION.encode(), b"1.0")]}
