"""`POST /`: checks a request, and hands it to the method that it names.

All that is wrong with a request itself is found here, before the SDK sees it: who calls, what the body says
it is, how large it is, whether it is JSON, whether it is one call. `execute_task` is answered here; all other
methods are the SDK's.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

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


class ClientGone(Exception):
    """The caller has left."""


class _Reply:
    """The reply to one request: whose call it is, once that is known, and whether it has begun."""

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
            call = reply.call = jsonrpc.parse(bytes(body))
            if call.method == execute_task.METHOD:
                request = execute_task.request_of(call, self.answering.limits)
                result = await self._ask_unless_client_goes(request, receive)
                await send_json({"jsonrpc": "2.0", "id": call.id, "result": result}, 200, reply.send)
                return
            sdk_methods.check(call)

            async def replay() -> Message:
                return {"type": "http.request", "body": bytes(body), "more_body": False}

            # The SDK keeps the tasks of each user apart from those of all others.
            known = {**sdk_methods.versioned(scope, call), "user": SimpleUser(caller)}
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
            with self.answering.reserve():
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
