"""Whole invocations: the real boto3 and the real agent over loopback; only what they answer is scripted."""

import asyncio
import base64
import json
import logging
import os
from typing import Any

import pytest

from fetcher import wording
from fetcher.agent import Answer, AskRequest, Limits, limits_of, open_agent
from fetcher.codes import AgentCode
from fetcher.invoke import handler as module
from fetcher.invoke.backends import open_backend
from fetcher.invoke.backends.fetch_agent import FetchAgent
from fetcher.invoke.invoker import Invoker, NoAnswer
from fetcher.invoke.settings import load
from fetcher.settings import AgentSettings, Settings
from tests.engine import engine
from tests.fakes.bedrock_agents import (
    answers,
    breaks,
    chunk,
    citation,
    drips,
    event,
    fails,
    hangs_up,
    model_output,
    says,
    silence,
    stalls,
    trace,
    web_reference,
)
from tests.fakes.lambda_runtime import FunctionFailed, LambdaRuntime
from tests.fakes.search_provider import KEY
from tests.fakes.turns import call, cite, fail, say
from tests.fetcher.invoke.lambda_world import AGENT, REQUEST_ID, SESSION, LambdaContext, Time, asking

ARN = "arn:aws:bedrock-agentcore:us-east-1:123456789012:runtime/web_reader-AbCdEf1234"
RUNTIME, A2A, OURS, CLOSED = "RRRRRRRRRR", "AAAAAAAAAA", "FFFFFFFFFF", "NNNNNNNNNN"
BACKENDS = {
    RUNTIME: {"type": "agentcore", "runtimeArn": ARN, "qualifier": "prod"},
    A2A: {"type": "agentcore", "runtimeArn": ARN, "protocol": "a2a"},
    OURS: "fetch-agent",
    CLOSED: "none",
}
THROTTLED = fails(429, "ThrottlingException")
SECRET = "秘密の質問"
UNENDING = ["stalls late", "stalls at once", "drips", "is silent"]


@pytest.fixture(scope="module")
def environ(running_bedrock, tmp_path_factory):
    """What boto3 finds in the environment: keys, no files, and loopback for AWS."""
    nothing = str(tmp_path_factory.mktemp("aws") / "none")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("AWS_PROFILE", raising=False)
        for name, value in {
            "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_CONFIG_FILE": nothing,
            "AWS_SHARED_CREDENTIALS_FILE": nothing,
            "AWS_ENDPOINT_URL": running_bedrock.url,
            "AWS_REGION": "us-east-1",
            "INVOKE_BACKENDS": json.dumps(BACKENDS),
        }.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def backends(environ, running_bedrock):
    """One set for all stories, as one process has it, and warm: some stories are short of time."""
    open_backend.cache_clear()
    running_bedrock.script(says(chunk("x")), answers('"x"'))
    assert [Story().ask(agentId=agent)["status"] for agent in (AGENT, RUNTIME)] == ["success"] * 2
    running_bedrock.reset()
    yield
    open_backend.cache_clear()


class Story:
    """Events sent to the function, and the time that passes; a backend may stand in for the usual ones."""

    def __init__(self, backend: Any = None) -> None:
        self.time = Time()
        self._open_backend = (lambda _: backend) if backend else open_backend

    def send(self, event: Any, *, remaining_ms: int = 70_000) -> dict[str, Any]:
        invoker = Invoker(load, self._open_backend, self.time.environment())
        answer = invoker.answer(event, LambdaContext(remaining_ms=remaining_ms))
        json.dumps(answer)  # the platform does the same
        return answer

    def ask(self, *, remaining_ms: int = 70_000, **changes: Any) -> dict[str, Any]:
        return self.send(asking(**changes), remaining_ms=remaining_ms)


@pytest.fixture
def story(backends):
    return Story()


def test_an_answer_of_bedrock_is_the_documents_object(bedrock, story):
    cited = citation("晴れです", web_reference("https://weather.example/"))
    bedrock.script(
        says(
            trace("preProcessingTrace", modelInvocationOutput=model_output(0, 5, 1)),
            trace(rationale={"text": "調べる"}),
            trace(modelInvocationOutput=model_output(1, 10, 20)),
            chunk("今日は晴"),
            chunk("れです。", [cited]),
        )
    )
    assert story.ask(sessionId=SESSION.replace("0f", "1f")) == {
        "status": "success",
        "data": {
            "output": "今日は晴れです。",
            "sessionId": SESSION.replace("0f", "1f"),
            "citations": [
                {
                    "text": "晴れです",
                    "sourceUrl": "https://weather.example/",
                    "retrievedReferences": [web_reference("https://weather.example/")],
                }
            ],
            "trace": {"reasoning": "調べる"},
        },
        "metadata": {
            "requestId": REQUEST_ID,
            "timestamp": "2026-01-10T12:00:00.000Z",
            "executionTimeMs": 0,
            "agentId": AGENT,
            "tokenUsage": {"inputTokens": 15, "outputTokens": 21},
        },
    }
    [asked] = bedrock.requests
    assert asked.agent == (AGENT, "FGHIJ67890", SESSION.replace("0f", "1f"))
    assert asked.json == {"inputText": "天気は？", "enableTrace": True}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_a_stream_may_arrive_in_any_pieces(bedrock, story, size):
    """Neither frames nor characters are whole on the wire."""
    text = "猫😀犬"
    frames = [chunk(bytes([byte])) for byte in text.encode()]
    bedrock.script(says(*frames, pieces_of=size))
    assert story.ask()["data"]["output"] == text


@pytest.mark.parametrize(
    ("alias", "asked_for"),
    [("DRAFT", "TSTALIASID"), ("TSTALIASID", "TSTALIASID"), ("FGHIJ67890", "FGHIJ67890")],
)
def test_the_working_draft_is_reached_by_either_name(bedrock, story, alias, asked_for):
    bedrock.script(says(chunk("x")))
    story.ask(agentAliasId=alias)
    assert bedrock.requests[0].agent[1] == asked_for


def test_a_session_is_made_where_none_is_given(bedrock, story):
    bedrock.script(says(chunk("x")))
    assert story.ask(sessionId=None)["data"]["sessionId"] == SESSION
    assert bedrock.requests[0].session_id == SESSION


def test_files_and_the_return_of_control_reach_the_caller(bedrock, story):
    inputs = [{"functionInvocationInput": {"actionGroup": "mail", "function": "send"}}]
    bedrock.script(
        says(
            event("files", {"files": [{"name": "表.csv", "type": "text/csv", "bytes": "YSxi"}]}),
            event("returnControl", {"invocationId": "i", "invocationInputs": inputs}),
        )
    )
    data = story.ask()["data"]
    assert data["files"] == [{"fileName": "表.csv", "mimeType": "text/csv", "contentBase64": "YSxi"}]
    assert data["returnControl"] == {"invocationId": "i", "invocationInputs": inputs}
    assert data["output"] == ""


def test_throttling_passes(bedrock, story):
    """Twice refused, the third attempt is the answer, in the same session."""
    bedrock.script(THROTTLED, breaks(kind="throttlingException"), says(chunk("ok")))
    answer = story.ask()
    assert answer["data"]["output"] == "ok"
    assert answer["metadata"]["executionTimeMs"] == 1500
    assert story.time.pauses == [0.5, 1.0]
    assert len({asked.session_id for asked in bedrock.requests}) == 1


@pytest.mark.parametrize(("retries", "requests"), [(0, 1), (1, 2), (5, 6), (..., 4)])
def test_throttling_for_ever_is_an_error_after_all_retries(bedrock, story, retries, requests):
    bedrock.script(*[THROTTLED] * 9)
    answer = story.ask(maxRetries=retries, timeout=60)
    assert len(bedrock.requests) == requests
    assert (answer["errorType"], answer["errorCode"]) == ("ThrottlingError", "ThrottlingException")
    assert answer["retryable"] is True


def test_retries_end_where_the_time_does(bedrock, story):
    bedrock.script(*[THROTTLED] * 9)
    answer = story.ask(maxRetries=5, timeout=2)
    assert answer["errorType"] == "ThrottlingError"
    assert story.time.pauses == [0.5, 1.0]


@pytest.mark.parametrize(
    ("turn", "kind", "code", "requests"),
    [
        (fails(404, "ResourceNotFoundException"), "AgentNotFound", "ResourceNotFoundException", 1),
        (fails(400, "ValidationException"), "ValidationError", "ValidationException", 1),
        (fails(403, "AccessDeniedException"), "UnknownError", "AccessDeniedException", 1),
        (fails(418, "TeapotException"), "UnknownError", "TeapotException", 1),
        (fails(500, "InternalServerException"), "InternalError", "InternalServerException", 2),
        (fails(503, "Whatever"), "InternalError", "Whatever", 2),
        (fails(424, "DependencyFailedException"), "InternalError", "DependencyFailedException", 2),
        (hangs_up(), "InternalError", None, 2),
        (breaks(kind="resourceNotFoundException"), "AgentNotFound", "ResourceNotFoundException", 1),
        (breaks(kind="internalServerException"), "InternalError", "InternalServerException", 2),
        (breaks(chunk("x"), kind="internalServerException"), "InternalError", "InternalServerException", 1),
        (breaks(chunk("x"), kind="throttlingException"), "ThrottlingError", "ThrottlingException", 1),
        (hangs_up(chunk("x")), "InternalError", None, 1),
    ],
)
def test_failures_have_their_type_and_are_repeated_only_before_any_output(
    bedrock, story, turn, kind, code, requests
):
    bedrock.script(turn, turn)
    answer = story.ask(maxRetries=1)
    assert (answer["status"], answer["errorType"], answer["errorCode"]) == ("error", kind, code)
    assert len(bedrock.requests) == requests
    assert answer["retryable"] is (requests == 2)


def test_an_agent_that_has_acted_is_not_asked_again(bedrock, story):
    """The mail it sent would be sent twice."""
    acted = trace(invocationInput={"actionGroupInvocationInput": {"function": "send"}})
    bedrock.script(breaks(acted, kind="internalServerException"), says(chunk("ok")))
    answer = story.ask()
    assert (answer["errorType"], answer["retryable"]) == ("InternalError", False)
    assert "twice" in answer["errorMessage"]
    assert len(bedrock.requests) == 1


UNENDING_TURNS = [stalls(chunk("x")), stalls(), drips(chunk("x")), silence()]


@pytest.mark.parametrize("turn", UNENDING_TURNS, ids=UNENDING)
def test_a_stream_that_does_not_end_is_a_timeout(bedrock, story, turn):
    """Of whichever kind; it is not tried again here, and the caller may unless there was output."""
    bedrock.script(turn)
    answer = story.ask(remaining_ms=2000)
    has_output = turn in (UNENDING_TURNS[0], UNENDING_TURNS[2])
    assert (answer["errorType"], answer["retryable"]) == ("TimeoutError", not has_output)
    assert len(bedrock.requests) == 1


@pytest.mark.parametrize("turn", [stalls(chunk("x")), drips(chunk("x"))], ids=["stalls", "drips"])
def test_a_late_stream_is_closed(bedrock, story, turn):
    """The next invocation of the process finds no stranger."""
    bedrock.script(turn)
    story.ask(remaining_ms=1250)
    assert bedrock.all_hung_up()


def test_without_time_bedrock_is_not_even_asked(bedrock, story):
    assert story.ask(remaining_ms=900)["errorType"] == "TimeoutError"
    assert bedrock.requests == []


@pytest.mark.parametrize(
    ("wrap", "remaining_ms", "seconds"),
    [
        (lambda request: request, 70_000, 60.0),
        (lambda request: request, 20_000, 19.0),
        (lambda request: {"detail": request}, 70_000, 60.0),
        (lambda request: {"requestContext": {}, "body": json.dumps(request)}, 70_000, 28.0),
        (lambda request: {"requestContext": {"http": {}}, "body": json.dumps(request)}, 70_000, 29.0),
        (lambda request: {"requestContext": {"http": {}}, "body": json.dumps(request)}, 11_000, 10.0),
    ],
)
def test_the_timeout_is_clamped_to_source_and_remaining_time(wrap, remaining_ms, seconds):
    """What the backend is given is what there really is."""
    given = []

    class Backend:
        def invoke(self, call, limit):
            given.append(call.seconds)
            raise AssertionError("a defect")

    story = Story(Backend())
    story.send(wrap(asking(timeout=60)), remaining_ms=remaining_ms)
    assert given == [seconds]


def test_an_empty_stream_is_a_partial_answer_and_a_warning(bedrock, story, caplog):
    bedrock.script(says(says_session=False))
    with caplog.at_level(logging.WARNING, "fetcher.invoke"):
        answer = story.ask()
    assert answer["status"] == "success"
    assert answer["data"] == {"output": "", "sessionId": SESSION}
    assert [record.fields["missing"] for record in caplog.records] == ["chunk", "sessionId"]


@pytest.mark.parametrize(
    ("turns", "changes", "status", "kind"),
    [
        ([says(chunk("晴れ"))], {}, 200, None),
        ([], {"timeout": 0}, 400, "ValidationError"),
        ([], {"agentId": CLOSED}, 404, "AgentNotFound"),
        ([fails(404, "ResourceNotFoundException")], {}, 404, "AgentNotFound"),
        ([THROTTLED], {"maxRetries": 0}, 429, "ThrottlingError"),
        ([fails(500, "InternalServerException")], {"maxRetries": 0}, 500, "InternalError"),
        ([fails(403, "AccessDeniedException")], {}, 500, "UnknownError"),
    ],
)
@pytest.mark.parametrize("context", [{}, {"http": {}}, {"http": {}, "domainName": "a.lambda-url.b.on.aws"}])
def test_http_callers_get_the_status_of_the_error(bedrock, story, turns, changes, status, kind, context):
    bedrock.script(*turns)
    body = base64.b64encode(json.dumps(asking(**changes)).encode()).decode()
    answer = story.send({"requestContext": context, "body": body, "isBase64Encoded": True})
    assert answer["statusCode"] == status
    assert json.loads(answer["body"]).get("errorType") == kind


def test_http_callers_get_504_for_a_timeout(story):
    answer = story.send({"requestContext": {}, "body": json.dumps(asking())}, remaining_ms=900)
    assert answer["statusCode"] == 504


def test_an_eventbridge_event_is_answered_with_the_object(bedrock, story):
    bedrock.script(says(chunk("晴れ")))
    assert story.send({"source": "my.app", "detail": asking()})["data"]["output"] == "晴れ"


def test_an_event_without_an_answer_fails_for_its_destination(story):
    """Nothing reads what is returned for it: Lambda sends what is raised to the queue of failures."""
    event = {
        "detail-type": "agent.ask",
        "source": "slack-web-reader-dev.invoke",
        "detail": asking(timeout=99),
    }
    with pytest.raises(NoAnswer) as raised:
        story.send(event | {"detail": asking(timeout=99)})
    told = json.loads(str(raised.value))
    assert (told["status"], told["errorType"], told["metadata"]["agentId"]) == (
        "error",
        "ValidationError",
        asking()["agentId"],
    )


def test_no_text_of_the_user_reaches_the_log(bedrock, story, caplog):
    """Neither in success nor in failure, even where AWS quotes it."""
    bedrock.script(
        says(chunk(SECRET)),
        fails(400, "ValidationException", SECRET),
        says(chunk(b"x")),
    )
    with caplog.at_level(logging.DEBUG, "fetcher"):
        story.ask(inputText=SECRET)
        story.ask(inputText=SECRET)
        story.ask(inputText=SECRET, agentId=SECRET)
        story.send({"requestContext": {}, "body": SECRET})
    assert caplog.records
    assert SECRET not in "".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)


def test_the_end_of_an_invocation_is_logged(bedrock, story, caplog):
    bedrock.script(THROTTLED, says(trace(modelInvocationOutput=model_output(1, 3, 4)), chunk("ok")))
    with caplog.at_level(logging.INFO, "fetcher.invoke"):
        story.ask()
    failed, ended = (record.fields for record in caplog.records)
    assert (failed["attempt"], failed["error_type"], failed["pause_seconds"]) == (1, "ThrottlingError", 0.5)
    assert ended == {
        "request_id": REQUEST_ID,
        "source": "direct",
        "agent_id": AGENT,
        "execution_ms": 500,
        "status": "success",
        "attempts": 2,
        "token_usage": {"inputTokens": 3, "outputTokens": 4},
    }


def test_a_defect_is_an_answer_and_its_place_is_logged(caplog):
    class Backend:
        def invoke(self, call, limit):
            raise RuntimeError(SECRET)

    answer = Story(Backend()).ask()
    assert (answer["errorType"], answer["retryable"]) == ("UnknownError", False)
    [record] = caplog.records
    assert record.fields["exception"] == "RuntimeError"
    assert "test_invoke.py" in record.fields["places"][-1]
    assert SECRET not in str(vars(record)) + str(answer)


def test_an_answer_too_large_for_lambda_is_an_error(bedrock, story):
    bedrock.script(says(*[chunk("あ" * 250_000)] * 5))
    answer = story.ask()
    assert (answer["errorType"], answer["retryable"]) == ("UnknownError", False)
    assert "larger" in answer["errorMessage"]


def test_an_agent_without_a_backend_is_not_found(bedrock, story):
    answer = story.ask(agentId=CLOSED)
    assert (answer["errorType"], answer["errorCode"], answer["retryable"]) == ("AgentNotFound", None, False)
    assert answer["metadata"]["agentId"] == CLOSED
    assert bedrock.requests == []


def test_an_agent_on_agentcore_is_asked(bedrock, story):
    bedrock.script(answers('{"result": ', '"晴れ"}'))
    answer = story.ask(agentId=RUNTIME)
    assert answer["data"] == {"output": "晴れ", "sessionId": SESSION}
    [asked] = bedrock.requests
    assert ARN in asked.path
    assert (asked.query["qualifier"], asked.session_id) == (["prod"], SESSION)
    assert asked.json == {"prompt": "天気は？", "sessionId": SESSION}


def test_an_agent_on_agentcore_may_stream(bedrock, story):
    text = 'data: "晴"\n\ndata: "れ"\n\n'.encode()
    bedrock.script(answers(text[:8], text[8:], content_type="text/event-stream; charset=utf-8"))
    assert story.ask(agentId=RUNTIME)["data"]["output"] == "晴れ"


def test_our_own_agent_on_agentcore_is_asked_by_execute_task(bedrock, story):
    file = {"kind": "file", "fileName": "表.csv", "mimeType": "text/csv", "contentBase64": "YSxi"}
    message = {"role": "agent", "content": [{"type": "text", "text": "表です。"}]}
    result = {"messages": [message], "artifacts": [{"name": "generated_file", "parts": [file]}]}
    bedrock.script(answers(json.dumps({"jsonrpc": "2.0", "id": SESSION, "result": result})))
    data = story.ask(agentId=A2A)["data"]
    assert data["output"] == "表です。"
    assert data["files"] == [{"fileName": "表.csv", "mimeType": "text/csv", "contentBase64": "YSxi"}]
    [asked] = bedrock.requests
    assert "qualifier" not in asked.query
    assert (asked.json["method"], asked.json["params"]["context"]) == (
        "execute_task",
        {"correlation_id": REQUEST_ID},
    )
    assert asked.json["params"]["messages"][0]["content"] == [{"type": "text", "text": "天気は？"}]


@pytest.mark.parametrize(
    ("turns", "kind", "requests"),
    [
        ([THROTTLED, answers('"ok"')], None, 2),
        ([fails(424, "RuntimeClientError"), answers('"ok"')], None, 2),
        ([fails(404, "ResourceNotFoundException")], "AgentNotFound", 1),
        ([answers('{"error": "boom"}'), answers('"ok"')], "InternalError", 1),
        ([answers('{"error": {"code": -32603, "data": {"reason": "busy"}}}'), answers('"ok"')], None, 2),
        ([hangs_up(b'{"result"'), answers('"ok"')], "InternalError", 1),
    ],
)
def test_agentcore_fails_as_bedrock_does(bedrock, story, turns, kind, requests):
    bedrock.script(*turns)
    assert story.ask(agentId=RUNTIME).get("errorType") == kind
    assert len(bedrock.requests) == requests


def test_an_agent_on_agentcore_that_stalls_is_a_timeout(bedrock, story):
    bedrock.script(stalls(b'{"result"'))
    assert story.ask(agentId=RUNTIME, remaining_ms=1250)["errorType"] == "TimeoutError"
    assert bedrock.all_hung_up()


def test_an_empty_body_is_a_partial_answer_and_a_warning(bedrock, story, caplog):
    bedrock.script(answers("", says_session=False))
    answer = story.ask(agentId=RUNTIME)
    assert answer["data"] == {"output": "", "sessionId": SESSION}
    assert [record.fields["missing"] for record in caplog.records] == ["sessionId", "output"]


SHOP = "http://shop.example/price"


@pytest.fixture
def web(internet):
    text = "コーヒー豆は千二百円です。詳しい説明がここに続きます。" * 5
    table = "<table><tr><th>品名<th>価格<tr><td>豆<td>1200</table>"
    internet.page(SHOP, f"<title>料金</title><article><h1>料金</h1><p>{text}</p>{table}</article>")
    return internet


def _in_process(web, **given):
    settings = AgentSettings.model_validate({"model_max_retries": 0, **given})

    def opener():
        return open_agent(settings, Settings(), pipeline=engine(web)), limits_of(settings)

    return Story(FetchAgent(opener))


def test_the_agent_in_process_answers_with_its_sources(web, claude):
    claude.script(
        call("fetch_url", {"url": SHOP}), say("千二百円", citations=[cite(SHOP, 0, 1)]) + say("です。")
    )
    story = _in_process(web, anthropic_api_key="sk-test", anthropic_base_url=claude.url)
    answer = story.ask(agentId=OURS, inputText=f"{SHOP} はいくら？")
    assert answer["data"]["output"] == "千二百円 [1]です。"
    assert answer["data"]["citations"] == [
        {
            "text": "料金",
            "sourceUrl": SHOP,
            "retrievedReferences": [{"location": {"type": "WEB", "webLocation": {"url": SHOP}}}],
        }
    ]
    assert answer["data"]["sessionId"] == SESSION
    usage = answer["metadata"]["tokenUsage"]
    assert usage["inputTokens"] > usage["outputTokens"] > 0


def test_the_agent_in_process_shows_what_it_searched_for(web, provider):
    provider.pages.append((SHOP, "料金", ""))
    searching = {"search_provider": "brave", "search_api_key": KEY, "search_base_url": provider.url}
    answer = _in_process(web, **searching).ask(agentId=OURS, inputText="コーヒー豆はいくら？")
    assert answer["data"]["output"].endswith("検索：「コーヒー豆はいくら？」")
    assert [cited["sourceUrl"] for cited in answer["data"]["citations"]] == [SHOP]


def test_the_agent_in_process_hands_over_files(web):
    """Without a model, the offline reader answers; a table that is asked for comes as a file."""
    answer = _in_process(web).ask(agentId=OURS, inputText=f"{SHOP} の表をCSVにしてください")
    [file] = answer["data"]["files"]
    assert file["mimeType"] == "text/csv"
    assert "1200" in base64.b64decode(file["contentBase64"]).decode("utf-8-sig")
    assert "tokenUsage" not in answer["metadata"]


def test_the_agent_in_process_refuses_a_blank_question(web):
    answer = _in_process(web).ask(agentId=OURS, inputText=" \n")
    assert (answer["errorType"], answer["retryable"]) == ("ValidationError", False)


def test_the_agent_in_process_answers_without_its_model(web, claude):
    """The offline reader does, and what was left undone is said."""
    claude.script(fail(529))
    story = _in_process(web, anthropic_api_key="sk-test", anthropic_base_url=claude.url)
    answer = story.ask(agentId=OURS, inputText=f"{SHOP} はいくら？")
    assert answer["data"]["citations"][0]["sourceUrl"] == SHOP
    assert answer["data"]["output"].endswith(wording.answered_instead(AgentCode.MODEL_UNAVAILABLE))


class Watchmaker:
    """An agent that only knows how much time it had, and may take more."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.given: list[float] = []
        self.closed = False
        self._seconds = seconds

    async def ask(self, request: AskRequest) -> Answer:
        self.given.append(request.limits.seconds)
        await asyncio.sleep(self._seconds)
        return Answer(text=request.correlation_id)

    async def aclose(self) -> None:
        self.closed = True


@pytest.mark.parametrize(("remaining_ms", "seconds"), [(70_000, 27.0), (11_000, 9.0)])
def test_the_agent_in_process_comes_to_its_end_before_the_invocation_does(remaining_ms, seconds):
    agent = Watchmaker()
    story = Story(FetchAgent(lambda: (agent, Limits())))  # type: ignore[return-value, arg-type]
    assert story.ask(remaining_ms=remaining_ms)["data"]["output"] == REQUEST_ID
    assert agent.given == [seconds]
    assert agent.closed


def test_an_agent_in_process_that_does_not_is_a_timeout():
    agent = Watchmaker(seconds=60)
    story = Story(FetchAgent(lambda: (agent, Limits())))  # type: ignore[return-value, arg-type]
    assert story.ask(remaining_ms=1100)["errorType"] == "TimeoutError"


def test_an_agent_that_cannot_be_opened_is_misconfigured(monkeypatch):
    monkeypatch.setenv("AGENT_TIMEOUT_SECONDS", "soon")
    monkeypatch.setenv("INVOKE_BACKENDS", '{"*": "fetch-agent"}')
    assert Story().ask()["errorType"] == "UnknownError"


def test_the_handler_itself_talks_to_bedrock(bedrock, backends):
    """With the environment of a Lambda function and nothing handed in."""
    module._settings.cache_clear()
    bedrock.script(says(chunk("晴れ")))
    answer = module.handler(asking(), LambdaContext())
    module._settings.cache_clear()
    assert answer["data"]["output"] == "晴れ"
    assert bedrock.requests[0].headers["authorization"].count("us-east-1/bedrock") == 1


def test_the_function_runs_on_lambdas_own_runtime(bedrock, environ):
    """AWS's runtime client loads the handler and hands it events; one that is late does not hurt the next."""
    bedrock.script(says(chunk("x")), stalls(chunk("x")), says(chunk("晴れ")))
    names = [name for name in os.environ if name.startswith(("AWS_", "INVOKE_"))]
    given = {name: os.environ[name] for name in names}
    with LambdaRuntime("fetcher.invoke.handler.handler", given) as function:
        function.invoke(asking())
        late = function.invoke(asking(timeout=1))
        answer = function.invoke({"requestContext": {"http": {}}, "body": json.dumps(asking())})
        with pytest.raises(FunctionFailed) as failed:
            function.invoke({"detail-type": "agent.ask", "source": "x", "detail": {}})
        log = [json.loads(line) for line in function.log.splitlines() if line.startswith("{")]
    assert late["errorType"] == "TimeoutError"
    assert failed.value.error_type == "NoAnswer"
    assert '"errorType": "ValidationError"' in str(failed.value)
    assert answer["statusCode"] == 200
    body = json.loads(answer["body"])
    assert body["data"]["output"] == "晴れ"
    ended = [line for line in log if line["event"] == "invocation_ended"]
    assert [line["status"] for line in ended] == ["success", "error", "success", "error"]
    assert ended[2]["request_id"] == body["metadata"]["requestId"]
