"""Our A2A server and a bare one of the SDK: requests a second, p99, starting.

Both answer the same constant, which shows what our server costs.
"""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from statistics import median
from types import MappingProxyType
from typing import Any

from bench.figures import quantile, spread

ROUNDS, REQUESTS, CALLERS = 5, 200, 2
STARTS = 5
HOST = "127.0.0.1"
OURS = ["-m", "fetcher", "serve", "--port"]
OURS_CONSTANT = ["-m", "bench.a2a", "ours"]
BARE = ["-m", "bench.a2a", "bare"]
QUESTION = "What does a bag cost?"
ANSWER = "A bag costs twelve hundred yen."
ALLOWED = 1.5
"""The most that our server may cost, as a multiple of the bare one's."""


def report() -> str:
    """Markdown tables: what a request costs, and how soon `/ping` is answered."""
    asked = {"role": "user", "content": [{"type": "text", "text": QUESTION}]}
    sent = {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": QUESTION}]}
    with (
        _serving(OURS_CONSTANT) as executing,
        _serving(OURS_CONSTANT) as sending,
        _serving(BARE) as bare,
    ):
        send = _call("SendMessage", {"message": sent})
        execute = _call("execute_task", {"messages": [asked]})
        calls = {executing: execute, sending: send, bare: send}
        for port, call in calls.items():
            _send_all(port, call, 20)  # loads what is loaded late
        rounds = [
            {port: _send_all(port, call, REQUESTS) for port, call in calls.items()} for _ in range(ROUNDS)
        ]
    lines = [
        f"| {CALLERS} callers, {ROUNDS} rounds of {REQUESTS} | ours | bare | ours / bare | spread |",
        "|---|--:|--:|--:|---|",
    ]
    for what, port in (("SendMessage", sending), ("execute_task", executing)):
        rate = _row(rounds, port, bare, lambda times: CALLERS * len(times) / sum(times), is_rate=True)
        p99 = _row(rounds, port, bare, lambda times: quantile(times, 0.99) * 1000)
        lines += [f"| `{what}`, requests a second | {rate} |", f"| `{what}`, p99, ms | {p99} |"]
    return "\n".join([*lines, "", _starts()])


def _call(method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": "1", "method": method, "params": params}).encode()


def _row(
    rounds: list[dict[int, list[float]]],
    ours: int,
    bare: int,
    measure: Callable[[list[float]], float],
    *,
    is_rate: bool = False,
) -> str:
    """The median of the rounds; the ratio is of cost, so more than one is worse in every row."""
    pairs = [(measure(times[ours]), measure(times[bare])) for times in rounds]
    ratios = [theirs / own if is_rate else own / theirs for own, theirs in pairs]
    own, theirs = (median(pair[side] for pair in pairs) for side in (0, 1))
    return f"{own:.1f} | {theirs:.1f} | {median(ratios):.2f} (at most {ALLOWED}) | {spread(ratios)}"


def _send_all(port: int, call: bytes, number: int) -> list[float]:
    """The seconds of each request; the callers send at the same time, on a connection each."""
    times: list[float] = []

    def send() -> None:
        connection = http.client.HTTPConnection(HOST, port, timeout=30)
        headers = {"Content-Type": "application/json", "A2A-Version": "1.0"}
        for _ in range(number // CALLERS):
            started = time.perf_counter()
            connection.request("POST", "/", call, headers)
            reply = connection.getresponse().read()
            times.append(time.perf_counter() - started)
            assert b"twelve hundred" in reply, reply
        connection.close()

    callers = [threading.Thread(target=send) for _ in range(CALLERS)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    return times


def _starts() -> str:
    def start(command: list[str]) -> float:
        started = time.perf_counter()
        with _serving(command):
            return time.perf_counter() - started

    runs = [(start(OURS), start(BARE)) for _ in range(STARTS)]
    ours, bare = (median(run[side] for run in runs) for side in (0, 1))
    ratios = [run[0] / run[1] for run in runs]
    ratio = f"{median(ratios):.2f} (at most {ALLOWED})"
    return "\n".join(
        [
            "| from start to the first `/ping` | s (median) | ours / bare | spread |",
            "|---|--:|--:|---|",
            f"| `python -m fetcher serve` | {ours:.2f} | {ratio} | {spread(ratios)} |",
            f"| a bare server | {bare:.2f} | 1.00 | |",
        ]
    )


@contextmanager
def _serving(command: list[str], environment: Mapping[str, str] = MappingProxyType({})) -> Iterator[int]:
    """The port of a server in a process of its own, from its first `/ping` on."""
    with socket.create_server((HOST, 0)) as listener:
        port = int(listener.getsockname()[1])
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


def serve_ours(port: int) -> None:
    """Serve with an agent that answers the constant."""
    from fetcher.__main__ import main
    from fetcher.a2a import command
    from fetcher.agent import Answer, AskRequest, Progress

    class Constant:
        async def ask(self, request: AskRequest, on_progress: Callable[[Progress], None]) -> Answer:
            return Answer(text=ANSWER)

        async def aclose(self) -> None:
            """Nothing is open."""

    command.open_agent = lambda *_: Constant()  # type: ignore[attr-defined, assignment]
    main(["serve", "--port", str(port)])


def serve_bare(port: int) -> None:
    """Serve as the SDK's first page shows it."""
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
            await updater.add_artifact([new_text_part(ANSWER)], name="execution_response")
            await updater.complete()

        async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
            """A constant is there before a caller could cancel it."""

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
    if len(sys.argv) > 1:
        {"ours": serve_ours, "bare": serve_bare}[sys.argv[1]](int(sys.argv[2]))
    else:
        print(report())
