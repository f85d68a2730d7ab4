"""The whole application: routes, the SDK's handler, the executor, the agent."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from a2a.server.agent_execution import AgentExecutor
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from a2a.server.tasks import TaskStore
from a2a.types import AgentCard
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fetcher.a2a.card import agent_card, card_body
from fetcher.a2a.endpoint import CallerCheck, JsonRpcEndpoint
from fetcher.a2a.questions import AgentThread, Capacity, QuestionAnswering
from fetcher.a2a.server import LoadedApp
from fetcher.a2a.settings import A2ASettings
from fetcher.a2a.tasks import AnswerExecutor, AskHandler, RecentTasks
from fetcher.agent import Answerer, limits_of
from fetcher.settings import AgentSettings

CARD_SECONDS = 300
"""How long a client may use the card without asking again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """All settings of one server, and the port that it got."""

    settings: A2ASettings
    agent_settings: AgentSettings
    port: int
    local: bool
    """Only this machine may call: the server listens on loopback, and no setting opens it."""

    @property
    def card(self) -> AgentCard:
        files = self.agent_settings.agent_file_types
        return agent_card(self.settings.card_url(self.port), self.settings.authentication, files)


def load(
    server_settings: ServerSettings, capacity: Capacity, open_agent: Callable[[], Answerer]
) -> LoadedApp:
    """The agent's application; the agent is opened by the first question, in a thread of its own."""
    limits = limits_of(server_settings.agent_settings)
    answering = QuestionAnswering(agent=AgentThread(open_agent), capacity=capacity, limits=limits)
    store = RecentTasks(server_settings.settings.a2a_kept_tasks)
    card = server_settings.card
    body = card_body(card, server_settings.settings.authentication)
    return assemble(server_settings, answering, store, AnswerExecutor(answering, store), card, body)


def assemble(
    server_settings: ServerSettings,
    answering: QuestionAnswering,
    store: TaskStore,
    executor: AgentExecutor,
    card: AgentCard,
    card_json: dict[str, Any],
) -> LoadedApp:
    """An application around any executor and any card."""
    settings = server_settings.settings
    handler = AskHandler(executor, store, card, validate_input_modes=True)
    endpoint = JsonRpcEndpoint(
        caller_check=CallerCheck(
            authentication=settings.authentication, keys=settings.keys, local=server_settings.local
        ),
        answering=answering,
        dispatcher=JsonRpcDispatcher(handler, enable_v0_3_compat=True),
        max_body_bytes=settings.a2a_max_body_bytes,
    )
    content = json.dumps(card_json, ensure_ascii=False).encode()
    tag = f'"{hashlib.sha256(content).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": f"public, max-age={CARD_SECONDS}"}

    async def serve_card(request: Request) -> Response:
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, media_type="application/json", headers=headers)

    async def aclose() -> None:
        await handler.aclose()
        await answering.agent.aclose()

    routes = [
        Route("/", endpoint, methods=["POST"]),
        Route(AGENT_CARD_WELL_KNOWN_PATH, serve_card, methods=["GET"]),
    ]
    return LoadedApp(application=Starlette(routes=routes), aclose=aclose)
