"""An agent that runs on AgentCore, asked over A2A 1.0: its settings, the calls, and the answer.

RemoteFailed (an AgentError)
├── RemoteUnavailable   throttled, out of reach, too slow or broken: worth another try
└── RemoteRefused       the ARN, the permissions or the request are wrong: pointless to repeat
"""

import asyncio
import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated
from uuid import uuid4

from pydantic import BeforeValidator, Field, model_validator

from fetcher import aws, wording
from fetcher.agent.errors import AgentError, QuestionRejected
from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.model.thread_messages import links
from fetcher.agent.remote.wire import CONVERSATION, Malformed, answer_of, conversation_of
from fetcher.agent.values import Answer, AskRequest, Progress
from fetcher.agentcore import AgentCoreClient
from fetcher.aws import AwsFault
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings, ConfigurationError, SettingsGroup
from fetcher.startup import environment
from fetcher.wording.language import speaking

log = logging.getLogger(__name__)

WEB_FETCH = "web-fetch"
"""The name under which `EXECUTION_AGENT_ARNS` lists this product's agent."""
_ARN = re.compile(r"arn:[a-z-]+:bedrock-agentcore:[a-z0-9-]+:[0-9]{12}:runtime/\S+")
MOST_AT_A_TIME = 32
"""Connections, and questions."""
LARGEST_REPLY = 64 * 1024 * 1024
PIECE = 256 * 1024
REFUSALS = frozenset({AwsFault.INVALID, AwsFault.NOT_FOUND, AwsFault.SETUP, AwsFault.QUOTA})
"""Failures that a second try does not mend."""
GRACE_SECONDS = 20.0
"""For the way there and back, and for a session that has to be started first."""
INTERNAL = -32603
"""JSON-RPC's code for failures that are not the caller's fault."""
COMPLETED = "TASK_STATE_COMPLETED"
WITH_REASON = frozenset({"TASK_STATE_REJECTED", "TASK_STATE_FAILED"})
"""States in which the remote agent says in Japanese why it did not answer."""


class RemoteSettings(SettingsGroup):
    """`AGENT_REMOTE` and `EXECUTION_AGENT_ARNS`; in process is the default."""

    agent_remote: bool = False
    execution_agent_arns: Annotated[dict[str, str], BeforeValidator(environment.from_json)] = Field(
        default_factory=dict
    )
    """Agents of other kinds may be listed too, with addresses of other kinds."""

    @model_validator(mode="after")
    def _know_where_to_ask(self) -> "RemoteSettings":
        if self.agent_remote and not _ARN.fullmatch(self.arn):
            raise ConfigurationError(
                f"Configuration error: AGENT_REMOTE needs the ARN of an AgentCore runtime as {WEB_FETCH!r} "
                "in EXECUTION_AGENT_ARNS"
            )
        return self

    @property
    def arn(self) -> str:
        return self.execution_agent_arns.get(WEB_FETCH, "")


def load_remote(environ: Mapping[str, str] = os.environ) -> RemoteSettings:
    """The settings of this process; raises ConfigurationError with everything that is wrong."""
    return environment.read(RemoteSettings, environ)


class RemoteFailed(AgentError):
    """The remote agent gave no answer."""


class RemoteUnavailable(RemoteFailed):
    def __init__(self, message: str) -> None:
        super().__init__(AgentCode.MODEL_UNAVAILABLE, message, retryable=True)


class RemoteRefused(RemoteFailed):
    def __init__(self, message: str) -> None:
        super().__init__(AgentCode.MODEL_REJECTED, message)


class Runtime:
    """One agent on AgentCore, called with our own errors and bounds."""

    def __init__(self, client: AgentCoreClient) -> None:
        self._client = client
        self.close = client.close

    def invoke(self, payload: bytes, session: str, seconds: float) -> bytes:
        """The reply to a body; raises RemoteFailed. A read timeout alone never fires on a slow drip."""
        ends = time.monotonic() + seconds
        pieces, size = [], 0
        with _translating():
            body = self._client.invoke(payload, session, "application/json")["response"]
            while piece := body.read(PIECE):
                size += len(piece)
                if size > LARGEST_REPLY:
                    raise RemoteUnavailable(f"the reply has more than {LARGEST_REPLY} bytes")
                if time.monotonic() > ends:
                    raise RemoteUnavailable("the reply took too long")
                pieces.append(piece)
        return b"".join(pieces)

    def stop(self, session: str) -> None:
        """End what runs in a session; raises RemoteFailed."""
        with _translating():
            self._client.stop(session)


@contextmanager
def _translating() -> Iterator[None]:
    """Turns failures of AWS into our own errors, which carry a name and not the service's words."""
    try:
        with aws.translating():
            yield
    except aws.AwsFailed as failure:
        kind = RemoteRefused if failure.fault in REFUSALS else RemoteUnavailable
        raise kind(str(failure) or "unknown") from None


class RemoteAgent:
    """Has `Agent`'s contract; the remote agent decides which pages to read, and how.

    A session of AgentCore is a machine of its own. A question takes an idle one, which has a warm cache, or
    starts one; a question that is cancelled ends its session, and with it the work.
    """

    def __init__(self, runtime: Runtime, policy: FilePolicy, max_files: int) -> None:
        self._runtime = runtime
        self._policy = policy
        self._max_files = max_files
        self._idle: list[str] = []
        self._threads = _threads()
        self._stopping: set[asyncio.Future[None]] = set()

    async def ask(
        self, request: AskRequest, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> Answer:
        """Ask the remote agent; a failure becomes a sentence to people. Raises QuestionRejected."""
        if not request.question.strip() and not links(request):
            raise QuestionRejected(AgentCode.EMPTY_QUESTION, "The question is empty")
        with speaking(request.language):
            try:
                answer = self._answer(await self._send(request))
            except RemoteFailed as failure:
                fields = {"error_code": failure.code, "correlation_id": request.correlation_id}
                log.warning("remote_agent_failed: %s", failure.message, extra={"fields": fields})
                return Answer(text=wording.note(failure.code), answered=False)
            if not request.files:
                return answer
            return replace(answer, undone=(*answer.undone, wording.note(AgentCode.FILES_NOT_SENT)))

    async def aclose(self) -> None:
        """Close connections; a later question connects anew."""
        await asyncio.gather(*self._stopping, return_exceptions=True)
        threads, self._threads = self._threads, _threads()
        threads.shutdown(wait=False)
        self._runtime.close()

    async def _send(self, request: AskRequest) -> bytes:
        message = {
            "messageId": str(uuid4()),
            "role": "ROLE_USER",
            "parts": [{"text": request.question.strip() or " ".join(links(request))}],
            "metadata": {CONVERSATION: conversation_of(request)},
        }
        call = {"jsonrpc": "2.0", "id": str(uuid4()), "method": "SendMessage", "params": {"message": message}}
        body = json.dumps(call, ensure_ascii=False).encode(errors="replace")
        session = self._idle.pop() if self._idle else str(uuid4())
        seconds = request.limits.seconds + GRACE_SECONDS
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                reply = await loop.run_in_executor(
                    self._threads, self._runtime.invoke, body, session, seconds
                )
        except TimeoutError:
            self._stop(session)
            raise RemoteUnavailable("the remote agent took too long") from None
        except asyncio.CancelledError:
            self._stop(session)
            raise
        self._idle.append(session)
        return reply

    def _stop(self, session: str) -> None:
        """Start to end a session whose answer is not needed any more."""

        def stop() -> None:
            try:
                self._runtime.stop(session)
            except RemoteFailed as failure:
                log.warning("remote_session_not_stopped: %s", failure.message)

        stopping = asyncio.get_running_loop().run_in_executor(self._threads, stop)
        self._stopping.add(stopping)
        stopping.add_done_callback(self._stopping.discard)

    def _answer(self, reply: bytes) -> Answer:
        """The answer in a JSON-RPC reply; raises RemoteFailed."""
        try:
            body = json.loads(reply)
            if error := body.get("error"):
                code = int(error["code"])
                failure = RemoteUnavailable if code == INTERNAL else RemoteRefused
                raise failure(f"the remote agent answered {code}")
            task = body["result"]["task"]
            state = str(task.get("status", {}).get("state"))
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
            raise RemoteUnavailable(f"the reply is not as it should be ({type(error).__name__})") from None
        if state == COMPLETED:
            try:
                return answer_of(task.get("artifacts", ()), self._policy, self._max_files)
            except Malformed as error:
                raise RemoteUnavailable(str(error)) from None
        if state in WITH_REASON:
            try:
                parts = task["status"]["message"]["parts"]
                reason = "\n".join(part["text"] for part in parts if "text" in part)
            except (LookupError, TypeError):
                reason = ""
            if reason:
                return Answer(text=reason, answered=False)
        raise RemoteUnavailable(f"the task ended as {state[:40]}")


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_AT_A_TIME, thread_name_prefix="remote agent")


def open_remote_agent(
    remote: RemoteSettings, settings: AgentSettings, *, endpoint_url: str = ""
) -> RemoteAgent:
    """The remote agent of the settings; it connects with its first question."""
    return RemoteAgent(
        Runtime(
            AgentCoreClient(
                arn=remote.arn,
                region=remote.arn.split(":")[3],
                read_seconds=settings.agent_timeout_seconds + GRACE_SECONDS,
                endpoint_url=endpoint_url,
                connections=MOST_AT_A_TIME,
            )
        ),
        FilePolicy(max_bytes=settings.agent_max_file_bytes, types=settings.agent_file_types),
        settings.agent_max_files,
    )
