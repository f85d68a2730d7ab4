"""`POST /`: judges what comes in, and hands it to the method that it names.

Everything that is wrong with a request itself is found here, before the SDK sees it: who calls, what the
body says it is, how large it is, whether it is JSON, whether it is one call. `execute_task` is answered
here; all other methods are the SDK's.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from starlette.authentication import SimpleUser
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from fetcher.a2a import card
from fetcher.a2a.errors import CallFailed, NotAnswered, TooLarge, WrongContentType
from fetcher.a2a.http import jsonrpc
from fetcher.a2a.http.asgi_app import send_json
from fetcher.a2a.http.authentication import CallerCheck
from fetcher.a2a.tasks import execute_task, sdk_methods
from fetcher.a2a.tasks.answering import QuestionAnswering
from fetcher.agent import AskRequest

T = TypeVar("T")


class ClientGone(Exception):
    """The caller has left."""


class _Visit:
    """One request: whose call it is, once that is known, and whether a reply has begun."""

    def __init__(self, send: Send) -> None:
        self.call: jsonrpc.JsonRpcCall | None = None
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

    lock: CallerCheck
    work: QuestionAnswering
    dispatcher: JsonRpcDispatcher
    max_body_bytes: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        visit = _Visit(send)
        try:
            await self._served(visit, scope, receive)
        except CallFailed as failure:
            await visit.refuse(failure)
        except ClientGone:
            pass  # nobody is there to be told
        except asyncio.CancelledError:
            # Only a server that stops does this, once it has waited; uvicorn would take it for a defect.
            await visit.refuse(NotAnswered(card.stopping(), {"reason": "stopping", "retryable": True}))

    async def _served(self, visit: _Visit, scope: Scope, receive: Receive) -> None:
        caller = self._admitted(Headers(scope=scope))
        body = await self._read(receive)
        call = visit.call = jsonrpc.parse(body)
        if call.method == execute_task.METHOD:
            request = execute_task.request_of(call, self.work.limits)
            result = await _unless_hung_up(self._asked(request), receive)
            await send_json(jsonrpc.reply(call, result), 200, visit.send)
        else:
            sdk_methods.check(call)
            # The SDK keeps the tasks of each user apart from those of all others.
            known = {**sdk_methods.versioned(scope, call), "user": SimpleUser(caller)}
            asked = Request(known, _replay(body))
            response = await self.dispatcher.handle_requests(asked)
            await response(scope, receive, visit.send)

    def _admitted(self, headers: Headers) -> str:
        """Who calls, if they may and send JSON; raises CallFailed."""
        caller = self.lock.admit(headers)
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise WrongContentType(card.json_only())
        return caller

    async def _read(self, receive: Receive) -> bytes:
        body = bytearray()
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self.max_body_bytes:
                raise TooLarge(card.too_large(self.max_body_bytes))
        return bytes(body)

    async def _asked(self, request: AskRequest) -> dict[str, Any]:
        with self.work.place():
            return execute_task.result_of(await self.work.answer(request, lambda _: None))


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
            raise ClientGone
        return working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
        with suppress(asyncio.CancelledError, CallFailed):
            await working


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
