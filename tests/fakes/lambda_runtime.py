"""Lambda on loopback: a function under the real `awslambdaric`, and the Invoke API that boto3 calls.

Each invocation has a worker to itself, an idle one or a new one, as on Lambda. `invoke` is what API Gateway
does; an invocation of type `Event`, which a function sends to itself for what may take longer, is accepted
at once and run by another worker. One that fails is tried again as often as `retries` says, without Lambda's
pauses, and then kept in `failed`, as a failure destination would keep it.
"""

import json
import os
import tempfile
import threading
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote

from tests.fakes.lambda_worker import Api, Invocation, Outcome, Server, Start, Worker, cold

REGION = "ap-northeast-1"
PATIENCE = 30.0


class FunctionFailed(Exception):
    """A function raised, or its worker died."""

    def __init__(self, outcome: Outcome) -> None:
        details = json.loads(outcome.payload or b"{}")
        super().__init__(f"{outcome.error}: {details.get('errorMessage', '')}")
        self.error = outcome.error
        self.error_type: str = details.get("errorType", "")


class LambdaRuntime:
    """One function; use it as a context manager."""

    def __init__(
        self,
        handler: str,
        env: Mapping[str, str] | None = None,
        *,
        name: str = "function",
        timeout: float = PATIENCE,
        retries: int = 0,
        start: Start = cold,
    ) -> None:
        self.failed: list[Any] = []
        """Events whose last try failed."""
        self.arn = f"arn:aws:lambda:{REGION}:123456789012:function:{name}"
        self._handler, self._name, self._timeout, self._retries = handler, name, timeout, retries
        self._env, self._start = dict(env or {}), start
        self._idle: list[Worker] = []
        self._busy: list[Worker] = []
        self._running = 0
        self._closing = False
        self._changed = threading.Condition()

    def __enter__(self) -> Self:
        self._log = tempfile.TemporaryFile()
        self._server = Server(_api_of(self))
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._closing = True
        self.kill()
        self.settle()
        self._server.close()
        for worker in self._idle:
            worker.close()
        self._log.close()

    @property
    def url(self) -> str:
        """For boto3's `endpoint_url`; the function's own clients have it in `AWS_ENDPOINT_URL_LAMBDA`."""
        return f"http://{self._server.address}"

    @property
    def log(self) -> str:
        """All that workers have printed."""
        number = self._log.fileno()  # read without moving to where workers write
        return os.pread(number, os.fstat(number).st_size, 0).decode("utf-8", "replace")

    @property
    def closing(self) -> bool:
        with self._changed:
            return self._closing

    @property
    def busy(self) -> int:
        """How many workers are at work."""
        with self._changed:
            return len(self._busy)

    def invoke(self, event: Any) -> Any:
        """The function's answer; raises FunctionFailed."""
        outcome = self.run(json.dumps(event).encode())
        if outcome.error:
            raise FunctionFailed(outcome)
        return json.loads(outcome.payload)

    def kill(self) -> int:
        """Kills every worker that is at work (SIGKILL), dead when this returns; says how many there were."""
        with self._changed:
            busy = list(self._busy)
        for worker in busy:
            worker.kill()
        return len(busy)

    def freeze(self) -> int:
        """Lets every worker that is at work stand still until `thaw`; says how many there are."""
        with self._changed:
            for worker in self._busy:
                worker.freeze()
            return len(self._busy)

    def thaw(self) -> None:
        """Lets workers that were frozen at work go on."""
        with self._changed:
            for worker in self._busy:
                worker.thaw()

    def settle(self, within: float = PATIENCE) -> bool:
        """Whether everything that was accepted is over within some seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, within)

    def run(self, payload: bytes) -> Outcome:
        """One invocation by one worker, which is kept for the next unless it died."""
        worker = self._take()
        request = str(uuid.uuid4())
        outcome = worker.run(
            Invocation(request_id=request, arn=self.arn, payload=payload, seconds=self._timeout)
        )
        self._give_back(worker)
        return outcome

    def run_later(self, payload: bytes) -> None:
        """Accepts an event; it is over when `settle` says so."""
        with self._changed:
            self._running += 1
        threading.Thread(target=self._run_accepted, args=(payload,), name="lambda event", daemon=True).start()

    def _run_accepted(self, payload: bytes) -> None:
        if not any(self._succeeds(payload) for _ in range(1 + self._retries)):
            self.failed.append(json.loads(payload))
        with self._changed:
            self._running -= 1
            self._changed.notify_all()

    def _succeeds(self, payload: bytes) -> bool:
        with self._changed:
            if self._closing:
                return False
        return not self.run(payload).error

    def _take(self) -> Worker:
        with self._changed:
            worker = self._idle.pop() if self._idle else self._new_worker()
            self._busy.append(worker)
            return worker

    def _give_back(self, worker: Worker) -> None:
        with self._changed:
            self._busy.remove(worker)
            if worker.alive:
                self._idle.append(worker)
                return
        worker.close()

    def _new_worker(self) -> Worker:
        own = {
            "PATH": os.environ["PATH"],
            "HOME": tempfile.gettempdir(),
            "AWS_ACCESS_KEY_ID": "AKIDTEST",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL_LAMBDA": self.url,
            "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
            "AWS_LAMBDA_FUNCTION_NAME": self._name,
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1769",
        }
        return Worker(self._handler, own | self._env, self._log, self._start)


def _api_of(function: LambdaRuntime) -> type[Api]:
    class InvokeApi(Api):
        """`POST /2015-03-31/functions/{name or ARN}/invocations`."""

        def do_POST(self) -> None:  # noqa: N802 - its name in the base class
            content, parts = self.body(), Path(unquote(self.path)).parts
            if parts[-1] != "invocations" or parts[-2] not in {function.arn, function.arn.rsplit(":", 1)[1]}:
                self.answer(404, b'{"Message": "Function not found"}', _ERROR)
            elif self.headers.get("X-Amz-Invocation-Type") == "Event":
                function.run_later(content)
                self.answer(202)
            else:
                outcome = function.run(content)
                self.answer(
                    200, outcome.payload, {"X-Amz-Function-Error": "Unhandled"} if outcome.error else None
                )

    return InvokeApi


_ERROR = {"X-Amzn-ErrorType": "ResourceNotFoundException"}
