"""`POST /`: judges what comes in, and hands it to the method that it names.

Everything that is wrong with a request itself is found here, before the SDK sees it: who calls, what the
body says it is, how large it is, whether it is JSON, whether it is one call. `execute_task` is answered
here; all other methods are the SDK's.
"""

import asyncio
import json
import re
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from a2a.compat.v0_3.jsonrpc_adapter import JSONRPC03Adapter
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from fetcher.a2a import execute_task, rpc
from fetcher.a2a.errors import CallFailed, InvalidRequest, TooLarge, TooSlow, UnknownMethod, WrongContentType
from fetcher.a2a.lock import Lock
from fetcher.a2a.work import Work
from fetcher.agent import AskRequest

T = TypeVar("T")

BODY_SECONDS = 30.0
"""How long a body may take to arrive."""
VERSION = "a2a-version"
METHODS = frozenset({*JsonRpcDispatcher.METHOD_TO_MODEL, *JSONRPC03Adapter.METHOD_TO_MODEL})
_PASCAL_CASE = re.compile(r"[A-Z][A-Za-z]+")


class HungUp(Exception):
    """The caller has left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The ASGI application behind `POST /`."""

    lock: Lock
    work: Work
    dispatcher: JsonRpcDispatcher
    max_body_bytes: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self._admitted(scope, receive)
            call = rpc.parse(body)
            if call.method == execute_task.METHOD:
                await _respond(await self._executed(call, receive), 200, scope, receive, send)
            else:
                _check_for_the_sdk(call)
                await self._dispatched(call, body, scope, receive, send)
        except CallFailed as failure:
            await _respond(failure.reply, failure.status, scope, receive, send)
        except HungUp:
            pass  # nobody is there to be told

    async def _admitted(self, scope: Scope, receive: Receive) -> bytes:
        """The body, if it may come in; raises CallFailed."""
        headers = Headers(scope=scope)
        self.lock.admit(headers)
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise WrongContentType("The body must be application/json")
        try:
            async with asyncio.timeout(BODY_SECONDS):
                return await self._read(receive)
        except TimeoutError:
            raise TooSlow("The body took too long to arrive") from None

    async def _read(self, receive: Receive) -> bytes:
        body = bytearray()
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise HungUp
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self.max_body_bytes:
                raise TooLarge(f"The body may have at most {self.max_body_bytes} bytes")
        return bytes(body)

    async def _executed(self, call: rpc.Call, receive: Receive) -> dict[str, Any]:
        try:
            request = execute_task.request_of(call, self.work.limits)
            return rpc.reply(call, await _unless_hung_up(self._asked(request), receive))
        except CallFailed as failure:
            failure.call_id = call.id
            raise

    async def _asked(self, request: AskRequest) -> dict[str, Any]:
        with self.work.place():
            return execute_task.result_of(await self.work.answer(request, lambda _: None))

    async def _dispatched(
        self, call: rpc.Call, body: bytes, scope: Scope, receive: Receive, send: Send
    ) -> None:
        response = await self.dispatcher.handle_requests(Request(_versioned(scope, call), _replay(body)))
        await response(scope, receive, send)


def _check_for_the_sdk(call: rpc.Call) -> None:
    """Finds what the SDK would refuse without saying to whom."""
    failure: CallFailed | None = None
    if call.method not in METHODS:
        failure = UnknownMethod("Method not found")
    elif isinstance(call.id, float):
        failure = InvalidRequest("'id' should be a string or a whole number")
    if failure:
        failure.call_id = call.id
        raise failure


def _versioned(scope: Scope, call: rpc.Call) -> Scope:
    """1.0's methods are written in Pascal case and 0.3's are not: a caller need not say which it speaks."""
    if Headers(scope=scope).get(VERSION, "").strip() or not _PASCAL_CASE.fullmatch(call.method):
        return scope
    others = [(name, value) for name, value in scope["headers"] if name.lower() != VERSION.encode()]
    return {**scope, "headers": [*others, (VERSION.encode(), b"1.0")]}


def _replay(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _unless_hung_up(work: Coroutine[Any, Any, T], receive: Receive) -> T:
    """What the work gives; it stops, and HungUp is raised, when the caller leaves."""
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_left(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise HungUp
        return working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
        with suppress(asyncio.CancelledError, CallFailed):
            await working


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _respond(reply: dict[str, Any], status: int, scope: Scope, receive: Receive, send: Send) -> None:
    body = json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode()
    await Response(body, status_code=status, media_type="application/json")(scope, receive, send)
