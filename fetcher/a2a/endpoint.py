"""`POST /`: checks a request, and hands it to the method that it names.

All that is wrong with a request itself is found here, before the SDK sees it: who calls, what the body says
it is, how large it is, whether it is JSON, whether it is one call. `execute_task` is answered here; all other
methods are the SDK's.
"""

import asyncio
import hmac
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from a2a.compat.v0_3.jsonrpc_adapter import JSONRPC03Adapter
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from pydantic import ValidationError
from starlette.authentication import SimpleUser
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from fetcher.a2a import calls, card, execute_task
from fetcher.a2a.calls import (
    CallFailed,
    InvalidParams,
    InvalidRequest,
    JsonRpcCall,
    NotAdmitted,
    NotAnswered,
    TooLarge,
    UnknownMethod,
    WrongContentType,
    WrongHost,
)
from fetcher.a2a.card import API_KEY_HEADER
from fetcher.a2a.questions import QuestionAnswering
from fetcher.a2a.server import send_json
from fetcher.a2a.settings import Authentication
from fetcher.agent import AskRequest
from fetcher.agent.remote.wire import complaint
from fetcher.serving import is_loopback

EVERYBODY = "everybody"
"""The one name of all callers where callers prove nothing."""
OF_0_3: dict[str, Any] = dict(JSONRPC03Adapter.METHOD_TO_MODEL)
METHODS = frozenset({*JsonRpcDispatcher.METHOD_TO_MODEL, *OF_0_3})
DEEPEST = 32
"""Levels of parameters. Protobuf reads a hundred of its own, and needs up to three for one of JSON's."""
SCALARS = (str, int, float, type(None))
VERSION = "a2a-version"
_PASCAL_CASE = re.compile(r"[A-Z][A-Za-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerCheck:
    """With SigV4 the platform has checked the signature before a call arrives here."""

    authentication: Authentication
    keys: tuple[str, ...] = ()
    local: bool = False
    """Only this machine can call, and need not prove anything."""

    def admit(self, headers: Headers) -> str:
        """The caller's name, to whom tasks belong: one for each key. Raises NotAdmitted."""
        if self.authentication == "api_key":
            given = headers.get(API_KEY_HEADER, "").encode("utf-8", "replace")
            # Every key is compared, so that the time does not tell which one nearly fits.
            fits = [hmac.compare_digest(given, key.encode()) for key in self.keys]
            if not any(fits):
                raise NotAdmitted(card.key_needed())
            return f"key {fits.index(True) + 1}"
        if self.local:
            try:
                name = urlsplit(f"//{headers.get('host', '')}").hostname or ""
            except ValueError:
                name = ""
            if not is_loopback(name):
                # A web page whose name was made to point here must not call with its visitor's hands.
                raise WrongHost(card.this_machine_only())
        return EVERYBODY


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


class ClientGone(Exception):
    """The caller has left."""


class _Reply:
    """The reply to one request: whose call it is, once that is known, and whether it has begun."""

    def __init__(self, send: Send) -> None:
        self.call: JsonRpcCall | None = None
        self._send = send
        self._begun = False

    async def send(self, message: Message) -> None:
        self._begun = True
        await self._send(message)

    async def refuse(self, failure: CallFailed) -> None:
        if self.call:
            failure.call_id = self.call.id
        if not self._begun:
            await send_json(failure.reply, failure.status, self.send)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRpcEndpoint:
    """The ASGI application behind `POST /`."""

    caller_check: CallerCheck
    answering: QuestionAnswering
    dispatcher: JsonRpcDispatcher
    max_body_bytes: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = _Reply(send)
        try:
            headers = Headers(scope=scope)
            caller = self.caller_check.admit(headers)
            if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                raise WrongContentType(card.json_only())
            body, more = bytearray(), True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > self.max_body_bytes:
                    raise TooLarge(card.too_large(self.max_body_bytes))
            call = reply.call = calls.parse(bytes(body))
            if call.method == execute_task.METHOD:
                request = execute_task.request_of(call, self.answering.limits)
                result = await self._ask_unless_client_goes(request, receive)
                await send_json({"jsonrpc": "2.0", "id": call.id, "result": result}, 200, reply.send)
                return
            check(call)

            async def replay() -> Message:
                return {"type": "http.request", "body": bytes(body), "more_body": False}

            # The SDK keeps the tasks of each user apart from those of all others.
            known = {**versioned(scope, call), "user": SimpleUser(caller)}
            response = await self.dispatcher.handle_requests(Request(known, replay))
            await response(scope, receive, reply.send)
        except CallFailed as failure:
            await reply.refuse(failure)
        except ClientGone:
            pass  # a reply would reach no caller
        except asyncio.CancelledError:
            # Only a server that stops does this, once it has waited; uvicorn would take it for a defect.
            await reply.refuse(NotAnswered(card.stopping(), {"reason": "stopping", "retryable": True}))

    async def _ask_unless_client_goes(self, request: AskRequest, receive: Receive) -> dict[str, Any]:
        """The result of `execute_task`. The work stops, and ClientGone is raised, when the caller leaves."""

        async def ask() -> dict[str, Any]:
            with self.answering.capacity.take():
                return execute_task.result_of(await self.answering.answer(request, lambda _: None))

        async def wait_for_disconnect() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        asking = asyncio.create_task(ask())
        leaving = asyncio.create_task(wait_for_disconnect())
        try:
            await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise ClientGone
            return asking.result()
        finally:
            for task in (asking, leaving):
                task.cancel()
            with suppress(asyncio.CancelledError, CallFailed):
                await asking
