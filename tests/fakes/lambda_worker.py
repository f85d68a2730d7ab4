"""One execution environment of Lambda: a process under `awslambdaric`, and the Runtime API that it polls.

As on Lambda, the process runs only while it has an invocation: when it asks for the next one and there is
none it is stopped (SIGSTOP), so a thread that was to do something after the answer does nothing.
"""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any, Protocol

from tests.fakes.network import LOOPBACK

ROOT = Path(__file__).parent.parent.parent
INVOCATION = "/2018-06-01/runtime/invocation"
INIT_ERROR = "/2018-06-01/runtime/init/error"
EXITED, TIMED_OUT, BROKEN = "Runtime.ExitError", "Sandbox.Timedout", "Runtime.InitError"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What a worker is given to do."""

    request_id: str
    arn: str
    payload: bytes
    seconds: float
    """After these the worker is killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of it."""

    payload: bytes = b"{}"
    error: str = ""
    """Whose fault it was, in Lambda's words; empty when the function returned."""


class Process(Protocol):
    """What of `subprocess.Popen` is used."""

    @property
    def pid(self) -> int:
        """Its number."""

    def poll(self) -> int | None:
        """Its status, once it is over."""

    def kill(self) -> None:
        """Sends SIGKILL."""

    def wait(self) -> int | None:
        """Returns when it is over."""


Start = Callable[[str, Mapping[str, str], IO[bytes]], Process]
"""Starts `awslambdaric` with a handler, an environment, and a file for what it prints."""


def cold(handler: str, environ: Mapping[str, str], log: IO[bytes]) -> Process:
    """A new interpreter, as on Lambda."""
    command = [sys.executable, "-m", "awslambdaric", handler]
    return subprocess.Popen(command, cwd=ROOT, env=dict(environ), stdout=log, stderr=subprocess.STDOUT)


class Worker:
    """Runs one invocation after another, until it dies."""

    def __init__(self, handler: str, environ: Mapping[str, str], log: IO[bytes], start: Start = cold) -> None:
        self._inbox: queue.Queue[Invocation | None] = queue.Queue()
        self._current: Future[Outcome] = Future()
        self._server = Server(_api_of(self))
        api = {"AWS_LAMBDA_RUNTIME_API": self._server.address}
        self._started = threading.Event()  # a forked process asks for work before it is known here
        self._process = start(handler, dict(environ) | api, log)
        self._started.set()
        self._watcher = threading.Thread(target=self._watch, name="lambda worker", daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def run(self, invocation: Invocation) -> Outcome:
        """Waits until it is over, one way or another."""
        self._current = Future()
        self._inbox.put(invocation)
        if not self.alive:
            self.over(Outcome(error=EXITED))
        try:
            return self._current.result(invocation.seconds)
        except NotYet:
            self.over(Outcome(error=TIMED_OUT))
            self.kill()
            return self._current.result()

    def kill(self) -> None:
        """SIGKILL: nothing of the worker runs any more when this returns."""
        self._process.kill()
        self._process.wait()

    def freeze(self) -> None:
        """SIGSTOP in the middle of an invocation, as where its machine stands still."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        self.kill()
        self._watcher.join()
        self._server.close()

    def next(self) -> Invocation | None:
        """What to do, for the process that asks; it is frozen until there is something. None is the end."""
        self._started.wait()
        with contextlib.suppress(queue.Empty):
            return self._inbox.get_nowait()
        self._signal(signal.SIGSTOP)
        found = self._inbox.get()
        self._signal(signal.SIGCONT)
        return found

    def over(self, outcome: Outcome) -> None:
        """The first word counts."""
        with contextlib.suppress(InvalidStateError):
            self._current.set_result(outcome)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def _watch(self) -> None:
        self._process.wait()
        self.over(Outcome(error=EXITED))
        self._inbox.put(None)


class Server:
    """An HTTP server on loopback, in threads of its own."""

    def __init__(self, handler: "type[Api]") -> None:
        self._http = ThreadingHTTPServer((LOOPBACK, 0), handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self._http.server_address[1]}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class Api(BaseHTTPRequestHandler):
    """What both of Lambda's APIs share."""

    protocol_version = "HTTP/1.1"

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        with contextlib.suppress(ConnectionError):  # whoever asked may have been killed
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, *_: Any) -> None:
        """Says nothing: a test's output is its own."""


def _api_of(worker: Worker) -> type[Api]:
    class RuntimeApi(Api):
        """What `awslambdaric` talks to."""

        def do_GET(self) -> None:
            invocation = worker.next() if self.path == f"{INVOCATION}/next" else None
            if invocation is None:
                self.close_connection = True
                self.answer(410)
            else:
                self.answer(200, invocation.payload, _headers(invocation))

        def do_POST(self) -> None:
            content = self.body()
            self.answer(202)
            if self.path == INIT_ERROR:
                worker.over(Outcome(payload=content, error=BROKEN))
            elif self.path.endswith("/error"):
                worker.over(Outcome(payload=content, error="Unhandled"))
            else:
                worker.over(Outcome(payload=content))

    return RuntimeApi


def _headers(invocation: Invocation) -> dict[str, str]:
    return {
        "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
        "Lambda-Runtime-Invoked-Function-Arn": invocation.arn,
        "Lambda-Runtime-Deadline-Ms": str(int((time.time() + invocation.seconds) * 1000)),
        "Lambda-Runtime-Trace-Id": "Root=1-00000000-000000000000000000000000;Sampled=0",
    }
