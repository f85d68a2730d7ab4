"""What stands behind the entrance, put together: routes, the SDK's handler, the executor, the agent."""

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
from fetcher.a2a.http.asgi_app import LoadedApp
from fetcher.a2a.http.authentication import CallerCheck
from fetcher.a2a.http.endpoint import JsonRpcEndpoint
from fetcher.a2a.settings import A2ASettings
from fetcher.a2a.tasks.agent_thread import AgentThread
from fetcher.a2a.tasks.answering import QuestionAnswering
from fetcher.a2a.tasks.capacity import Capacity
from fetcher.a2a.tasks.executor import AnswerExecutor
from fetcher.a2a.tasks.sdk_handler import AskHandler
from fetcher.a2a.tasks.task_store import RecentTasks
from fetcher.agent import Answerer, limits_of
from fetcher.settings import AgentSettings

CARD_SECONDS = 300
"""How long a client may use the card without asking again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Where the server is."""

    settings: A2ASettings
    agent_settings: AgentSettings
    port: int
    local: bool
    """Only this machine is meant to reach it, and nobody has said otherwise."""

    @property
    def card(self) -> AgentCard:
        files = self.agent_settings.agent_file_types
        return agent_card(self.settings.card_url(self.port), self.settings.authentication, files)

    @property
    def lock(self) -> CallerCheck:
        settings = self.settings
        return CallerCheck(authentication=settings.authentication, keys=settings.keys, local=self.local)


def load(site: ServerSettings, places: Capacity, opener: Callable[[], Answerer]) -> LoadedApp:
    """The agent's application; its agent starts in a thread of its own."""
    agent = AgentThread(opener)
    work = QuestionAnswering(agent=agent, places=places, limits=limits_of(site.agent_settings))
    store = RecentTasks(site.settings.a2a_kept_tasks)
    card = site.card
    body = card_body(card, site.settings.authentication)
    return assembled(site, work, store, AnswerExecutor(work, store), card, body)


def assembled(
    site: ServerSettings,
    work: QuestionAnswering,
    store: TaskStore,
    executor: AgentExecutor,
    card: AgentCard,
    body: dict[str, Any],
) -> LoadedApp:
    """An application around any executor and any card."""
    handler = AskHandler(executor, store, card, validate_input_modes=True)
    door = JsonRpcEndpoint(
        lock=site.lock,
        work=work,
        dispatcher=JsonRpcDispatcher(handler, enable_v0_3_compat=True),
        max_body_bytes=site.settings.a2a_max_body_bytes,
    )
    routes = [Route("/", door, methods=["POST"]), _card_route(body)]

    async def aclose() -> None:
        await handler.aclose()
        await work.agent.aclose()

    return LoadedApp(application=Starlette(routes=routes), aclose=aclose)


def _card_route(body: dict[str, Any]) -> Route:
    content = json.dumps(body, ensure_ascii=False).encode()
    tag = f'"{hashlib.sha256(content).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": f"public, max-age={CARD_SECONDS}"}

    async def card(request: Request) -> Response:
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, media_type="application/json", headers=headers)

    return Route(AGENT_CARD_WELL_KNOWN_PATH, card, methods=["GET"])
