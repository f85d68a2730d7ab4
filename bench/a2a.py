"""The server beside a bare `a2a-sdk` server that answers a constant: requests a second, p99, starting."""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

ROUNDS, REQUESTS, CALLERS = 5, 200, 2
STARTS = 5
HOST = "127.0.0.1"
ALLOWED = 1.5
"""The most that ours may cost, as a multiple of the bare server's."""
PAGE = (
    "<title>Prices</title><article><h1>Prices</h1>"
    + "".join(f"<p>A bag of beans costs twelve hundred yen; {n} bags travel free.</p>" for n in range(2, 12))
    + "</article>"
)


def report() -> str:
    """Markdown tables: what a request costs, and how soon `/ping` is answered."""
    return f"{_requests()}\n\n{_starts()}"


def _requests() -> str:
    from tests.fakes.web import FakeWeb

    with FakeWeb() as web, TemporaryDirectory() as cache:
        url = f"http://{HOST}:{web.port}/price"
        web.page(url, PAGE)
        question = f"{url} what does a bag cost?"
        with _ours(_environment(web.port, cache)) as ours, _bare() as bare:
            asked = {ours: _execute_task(question), bare: _send_message(question)}
            for port, call in asked.items():
                _round(port, call, 20)  # fills the cache and loads what is loaded late
            assert web.count(url) <= CALLERS, "the page was not cached"
            rounds = [
                {port: _round(port, call, REQUESTS) for port, call in asked.items()} for _ in range(ROUNDS)
            ]
    return "\n".join(
        [
            f"| {CALLERS} callers, {ROUNDS} rounds of {REQUESTS} | ours | bare | ours / bare | spread |",
            "|---|--:|--:|--:|---|",
            _row("requests a second", rounds, ours, bare, _rate),
            _row("p99, ms", rounds, ours, bare, lambda times: _p99(times) * 1000),
        ]
    )


def _row(name: str, rounds: list[dict[int, list[float]]], ours: int, bare: int, measure: Any) -> str:
    """The median of the rounds; the ratio is of cost, so more than one is worse in every row."""
    pairs = [(measure(times[ours]), measure(times[bare])) for times in rounds]
    faster = name.startswith("requests")
    ratios = sorted(theirs / own if faster else own / theirs for own, theirs in pairs)
    own, theirs = (median(pair[side] for pair in pairs) for side in (0, 1))
    spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
    return f"| {name} | {own:.1f} | {theirs:.1f} | {median(ratios):.2f} (at most {ALLOWED}) | {spread} |"


def _rate(times: list[float]) -> float:
    return CALLERS * len(times) / sum(times)


def _p99(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.99)]


def _round(port: int, call: bytes, number: int) -> list[float]:
    """The seconds of each request, by callers side by side on a connection each."""
    times: list[float] = []
    callers = [
        threading.Thread(target=_ask, args=(port, call, number // CALLERS, times)) for _ in range(CALLERS)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    return times


def _ask(port: int, call: bytes, number: int, times: list[float]) -> None:
    connection = http.client.HTTPConnection(HOST, port, timeout=30)
    headers = {"Content-Type": "application/json", "A2A-Version": "1.0"}
    for _ in range(number):
        started = time.perf_counter()
        connection.request("POST", "/", call, headers)
        reply = connection.getresponse().read()
        times.append(time.perf_counter() - started)
        assert b"twelve hundred" in reply, reply
    connection.close()


def _execute_task(question: str) -> bytes:
    message = {"role": "user", "content": [{"type": "text", "text": question}]}
    return json.dumps(
        {"jsonrpc": "2.0", "id": "1", "method": "execute_task", "params": {"messages": [message]}}
    ).encode()


def _send_message(question: str) -> bytes:
    message = {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": question}]}
    return json.dumps(
        {"jsonrpc": "2.0", "id": "1", "method": "SendMessage", "params": {"message": message}}
    ).encode()


def _starts() -> str:
    runs = [(_start(_ours()), _start(_bare())) for _ in range(STARTS)]
    ours, bare = (median(run[side] for run in runs) for side in (0, 1))
    ratios = sorted(run[0] / run[1] for run in runs)
    told = f"{median(ratios):.2f} (at most {ALLOWED}) | {ratios[0]:.2f} to {ratios[-1]:.2f}"
    return "\n".join(
        [
            "| from start to the first `/ping` | s (median) | ours / bare | spread |",
            "|---|--:|--:|---|",
            f"| `python -m fetcher serve` | {ours:.2f} | {told} |",
            f"| a bare server | {bare:.2f} | 1.00 | |",
        ]
    )


def _start(server: Any) -> float:
    started = time.perf_counter()
    with server:
        return time.perf_counter() - started


def _environment(web: int, cache: str) -> dict[str, str]:
    return {
        "WEBFETCH_SECURITY__ALLOW_INSECURE_OVERRIDES": "true",
        "WEBFETCH_SECURITY__BLOCK_LOOPBACK": "false",
        "WEBFETCH_SECURITY__ALLOWED_PORTS": f"[{web}]",
        "WEBFETCH_CACHE_DIR": cache,
    }


def _ours(environment: dict[str, str] | None = None) -> Any:
    return _serving(["-m", "fetcher", "serve", "--port"], environment or {})


def _bare() -> Any:
    return _serving(["-m", "bench.a2a"], {})


@contextmanager
def _serving(command: list[str], environment: dict[str, str]) -> Iterator[int]:
    """The port of a server in a process of its own, from its first `/ping` on."""
    port = _free_port()
    environ = {"PATH": os.environ["PATH"], "MODEL_PROVIDER": "offline", **environment}
    quiet = subprocess.DEVNULL
    process = subprocess.Popen([sys.executable, *command, str(port)], env=environ, stdout=quiet, stderr=quiet)
    try:
        while not _answers(port):
            assert process.poll() is None, "the server did not start"
            time.sleep(0.002)
        yield port
    finally:
        process.terminate()
        process.wait(20)


def _answers(port: int) -> bool:
    try:
        connection = http.client.HTTPConnection(HOST, port, timeout=5)
        connection.request("GET", "/ping")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def serve_bare(port: int) -> None:
    """What anybody would write who has read the SDK's first page."""
    import uvicorn
    from a2a.helpers import new_task_from_user_message, new_text_part
    from a2a.server.agent_execution import AgentExecutor, RequestContext
    from a2a.server.events import EventQueue
    from a2a.server.request_handlers import DefaultRequestHandler
    from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
    from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
    from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    class Constant(AgentExecutor):
        async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
            assert context.message is not None
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
            updater = TaskUpdater(event_queue, task.id, task.context_id)
            await updater.add_artifact(
                [new_text_part("It costs twelve hundred yen.")], name="execution_response"
            )
            await updater.complete()

        async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
            """A constant is there before anybody could cancel it."""

    async def ping(_: Request) -> JSONResponse:
        return JSONResponse({"status": "Healthy"})

    card = AgentCard(
        name="bare",
        description="Answers a constant.",
        version="1.0.0",
        supported_interfaces=[
            AgentInterface(url=f"http://{HOST}:{port}", protocol_binding="JSONRPC", protocol_version="1.0")
        ],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="constant", name="Constant", description="Answers a constant.", tags=["x"])],
    )
    handler = DefaultRequestHandler(Constant(), InMemoryTaskStore(), card)
    routes = [
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, "/", enable_v0_3_compat=True),
        Route("/ping", ping),
    ]
    uvicorn.run(Starlette(routes=routes), host=HOST, port=port, log_level="warning", access_log=False)


if __name__ == "__main__":
    serve_bare(int(sys.argv[1])) if len(sys.argv) > 1 else print(report())
