"""The server on a free port of loopback, in a thread, and a plain HTTP client for it."""

import asyncio
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Self

from fetcher.a2a.application import ServerSettings, load
from fetcher.a2a.questions import Capacity
from fetcher.a2a.server import LoadedApp, Server, ServerApp
from fetcher.a2a.settings import A2ASettings
from fetcher.agent import Answer, Answerer, AskRequest, Progress
from fetcher.clock import SystemClock
from fetcher.serving import listen
from fetcher.settings import AgentSettings

PATIENCE = 30.0
"""Seconds to wait for the server's thread; only a defect uses them up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Serving:
    """A running server; use it as a context manager."""

    def __init__(
        self,
        opener: Callable[[], Answerer],
        *,
        loading: Callable[[ServerSettings, Capacity, Callable[[], Answerer]], LoadedApp] = load,
        local: bool = True,
        agent_settings: AgentSettings | None = None,
        **settings: Any,
    ) -> None:
        chosen = A2ASettings.model_validate({"a2a_shutdown_seconds": 1, **settings})
        self._listener = listen("127.0.0.1", 0)
        self.port = self._listener.getsockname()[1]
        self.capacity = Capacity(chosen.a2a_max_tasks, SystemClock())
        server_settings = ServerSettings(
            settings=chosen, agent_settings=agent_settings or AgentSettings(), port=self.port, local=local
        )
        loaded = loading(server_settings, self.capacity, opener)
        app = ServerApp(loaded, self.capacity, chosen.a2a_shutdown_seconds)
        self._server = Server(app, self._listener, chosen.a2a_shutdown_seconds)
        self._thread = threading.Thread(target=self._run, name="a2a server", daemon=True)
        self.failure: BaseException | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Tells the server to stop, as a signal would."""
        self._loop.call_soon_threadsafe(self._server.stop)

    def ended(self) -> bool:
        """Whether the server comes to its end."""
        self._thread.join(PATIENCE)
        return not self._thread.is_alive()

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return Reply(status=response.status, headers=dict(response.headers), body=response.read())
        finally:
            connection.close()

    def post(self, body: Any, **headers: str) -> Reply:
        """`POST /`: bytes as they are, anything else as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request("POST", "/", content, **{"Content_Type": "application/json", **headers})

    def call(self, method: str, params: Any, call_id: Any = 1, **headers: str) -> Any:
        """One call's JSON-RPC reply."""
        call = {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}
        return self.post(call, **headers).json

    @contextmanager
    def stream(self, method: str, params: Any, **headers: str) -> Iterator[Iterator[Any]]:
        """One call's events, as they come."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        connection.request("POST", "/", json.dumps(call), {"Content-Type": "application/json"} | named)
        with closing(connection), connection.getresponse() as response:
            lines = (line.decode() for line in response)
            yield (json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: "))

    def ping(self) -> Any:
        return self.request("GET", "/ping").json

    def __enter__(self) -> Self:
        self._ready = threading.Event()
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.is_alive():
            self.stop()
        assert self.ended()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - it belongs to the test
            self.failure = error

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ready.set()
        await self._server.run()


class Scripted:
    """An agent whose answers a test chooses; it lives in the server's other thread."""

    def __init__(self, *, hold: bool = False) -> None:
        self.answer: Answer | Exception = Answer(text="答えです。")
        self.steps: tuple[Progress, ...] = ()
        self.hold = hold
        self.requests: list[AskRequest] = []
        self.begun = threading.Semaphore(0)
        self.cancelled = threading.Semaphore(0)
        self.closed = threading.Event()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def opener(self) -> Answerer:
        return self

    def begin_anew(self, answer: Answer | None = None, *steps: Progress) -> Self:
        """Forgets what was asked; for tests that share a server."""
        self.answer, self.steps, self.hold = answer or Answer(text="答えです。"), steps, False
        self.requests.clear()
        self.begun, self.cancelled = threading.Semaphore(0), threading.Semaphore(0)
        return self

    def let_go(self) -> None:
        """Lets the questions that are held be answered."""
        self.hold = False
        for loop, event in self._waiting:
            loop.call_soon_threadsafe(event.set)

    def has_begun(self, number: int = 1) -> bool:
        return all(self.begun.acquire(timeout=PATIENCE) for _ in range(number))

    def was_cancelled(self) -> bool:
        return self.cancelled.acquire(timeout=PATIENCE)

    async def ask(
        self, request: AskRequest, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> Answer:
        self.requests.append(request)
        for step in self.steps:
            on_progress(step)
        if self.hold:
            await self._held()
        else:
            self.begun.release()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def aclose(self) -> None:
        self.closed.set()

    async def _held(self) -> None:
        event = asyncio.Event()
        self._waiting.append((asyncio.get_running_loop(), event))
        self.begun.release()
        try:
            await event.wait()
        except asyncio.CancelledError:
            self.cancelled.release()
            raise


@contextmanager
def serving_scripted(**settings: Any) -> Iterator[tuple[Serving, Scripted]]:
    """A server for many tests, and the agent behind it."""
    agent = Scripted()
    with Serving(agent.opener, **settings) as server:
        yield server, agent
