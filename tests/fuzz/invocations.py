"""An event for the invocation Lambda with something else in a few places, and what its backend does."""

import base64
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fetcher.invoke.backends.contract import AgentCall, Backend, TimeLimit
from fetcher.invoke.invoker import Invoker, NoAnswer
from fetcher.invoke.response import (
    AgentNotFound,
    AgentReply,
    Citation,
    ReplyFile,
    ServiceFailed,
    Throttled,
    TimedOut,
)
from fetcher.invoke.settings import InvokeSettings
from tests.fetcher.invoke.lambda_world import SESSION, LambdaContext, Time, asking
from tests.fuzz.bounds import at_most
from tests.fuzz.draws import Draws

REQUEST = asking(sessionId=SESSION, timeout=30, maxRetries=2)
BODY = json.dumps(REQUEST)
V2 = {"http": {"method": "POST"}, "domainName": "abc.execute-api.ap-northeast-1.amazonaws.com"}
EVENTS: tuple[dict[str, Any], ...] = (
    REQUEST,
    {"version": "0", "detail-type": "question", "detail": REQUEST},
    {"requestContext": {"stage": "prod"}, "body": BODY, "isBase64Encoded": False},
    {"requestContext": V2, "body": base64.b64encode(BODY.encode()).decode(), "isBase64Encoded": True},
    {"requestContext": V2 | {"domainName": "abc.lambda-url.ap-northeast-1.on.aws"}, "body": BODY},
    {"Records": [{"body": BODY}]},
)
FAILURES = (AgentNotFound, ServiceFailed, Throttled, TimedOut, KeyError)
SUCCESS = {"status", "data", "metadata"}
ERROR = {"status", "errorType", "errorMessage", "errorCode", "metadata", "retryable"}
TYPES = {
    "ValidationError": 400,
    "AgentNotFound": 404,
    "ThrottlingError": 429,
    "TimeoutError": 504,
    "InternalError": 500,
    "UnknownError": 500,
}


class DrawnBackend(Backend):
    """Answers or fails as the bytes say."""

    def __init__(self, draws: Draws) -> None:
        self._failures = [draws.pick((None, *FAILURES)) for _ in range(draws.number(3))]
        self._reply = AgentReply(
            output=draws.text(),
            citations=(Citation(text=draws.text(), source_url=draws.text()),) * draws.number(1),
            trace=draws.pick(({}, {"rationale": [draws.text()]})),
            usage=draws.pick((None, (1, 2))),
            files=(ReplyFile(name=draws.text(), mime_type="text/csv", content=b"\xff"),) * draws.number(1),
        )

    def invoke(self, call: AgentCall, limit: TimeLimit) -> AgentReply:
        failure = self._failures.pop() if self._failures else None
        if failure:
            raise failure("drawn")
        return self._reply


def check(data: bytes) -> None:
    """For every event and every act of the agent, the answer is one of the documented objects."""
    draws = Draws(data)
    context = draws.pick((None, LambdaContext(remaining_ms=draws.number(70_000))))
    event = _event(draws)
    backend = DrawnBackend(draws)
    with _silence(), at_most(1):
        try:
            answer = Invoker(InvokeSettings, lambda _: backend, Time().environment()).answer(event, context)
        except NoAnswer as error:
            answer = json.loads(str(error))
            assert "detail-type" in event
            assert answer["status"] == "error"
    json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()
    _assert_documented(answer)


@contextmanager
def _silence() -> Iterator[None]:
    """Keeps what goes wrong as it should out of the fuzzer's own log."""
    logging.disable()
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _event(draws: Draws) -> Any:
    if draws.number(7) == 0:
        return draws.value()
    event = draws.edited(draws.pick(EVENTS))
    if isinstance(body := event.get("body"), str) and draws.number(1):
        sent = json.dumps(draws.edited(REQUEST))
        event["body"] = base64.b64encode(sent.encode()).decode() if event.get("isBase64Encoded") else sent
        assert body is not None
    return event


def _assert_documented(answer: dict[str, Any]) -> None:
    body, status = answer, None
    if "statusCode" in answer:
        assert set(answer) == {"statusCode", "headers", "body", "isBase64Encoded"}
        body, status = json.loads(answer["body"]), answer["statusCode"]
    metadata = body["metadata"]
    assert metadata["requestId"]
    assert metadata["timestamp"].endswith("Z")
    assert len(metadata.get("agentId", "")) <= 64
    if body["status"] == "success":
        assert set(body) == SUCCESS
        assert set(body["data"]) >= {"output", "sessionId"}
        assert status in (None, 200)
    else:
        assert set(body) == ERROR
        assert status in (None, TYPES[body["errorType"]])
        assert body["errorMessage"]
        assert isinstance(body["retryable"], bool)
