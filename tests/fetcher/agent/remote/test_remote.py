"""The agent on the other side of an A2A call: real boto3, a real server, loopback between them."""

import asyncio
import base64
import json
from dataclasses import replace

import pytest

from fetcher import wording
from fetcher.agent import (
    Agent,
    Answer,
    AskRequest,
    AttachedFile,
    GeneratedFile,
    Limits,
    QuestionRejected,
    RemoteAgent,
    RemoteSettings,
    Source,
    Turn,
    Usage,
    load_remote,
    open_answerer,
    open_remote_agent,
)
from fetcher.agent.errors import ModelUnavailable
from fetcher.agent.values import Offer
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings, ConfigurationError, Settings
from fetcher.wording.language import Language
from tests.fetcher.a2a.agentcore import ARN, FakeAgentCore, error
from tests.fetcher.a2a.serving import serving_scripted

CSV = '\ufeff品,円\r\n\'=1+1,"1,200"\r\n'.encode()
ANSWER = Answer(
    text="豆は千円です。 [1]",
    sources=(Source(number=1, title="料金", url="http://shop.example/price"),),
    files=(GeneratedFile(file_name="料金表.csv", mime_type="text/csv", content=CSV),),
    usage=Usage(calls=2, input_tokens=10, output_tokens=5, cache_read_tokens=3, cache_write_tokens=1),
    undone=("一部のページは読んでいません。",),
    offline=True,
    read_urls=("http://shop.example/price",),
    known_urls=("http://shop.example/price", "http://shop.example/?a=1&region=jp&section=2"),
    offers=(Offer(kind="excel", url="http://shop.example/price"),),
)
UNAVAILABLE = wording.note(AgentCode.MODEL_UNAVAILABLE)
REJECTED = wording.note(AgentCode.MODEL_REJECTED)


@pytest.fixture(scope="module")
def running():
    with serving_scripted(a2a_max_tasks=2) as both:
        yield both


@pytest.fixture
def there(running):
    """The agent that answers, on the other side."""
    return running[1].begin_anew(ANSWER)


@pytest.fixture(scope="module")
def service(running):
    """AgentCore, and an agent whose client is opened once: that takes half a second."""
    with pytest.MonkeyPatch.context() as patch, FakeAgentCore(running[0].port) as fake:
        patch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield fake, _open(fake, agent_max_files=2, agent_max_file_bytes=100)


@pytest.fixture
def agentcore(service):
    fake, _ = service
    fake.invoked.clear()
    fake.stopped.clear()
    fake.answer = None
    return fake


@pytest.fixture
def agent(service):
    return service[1]


def _open(fake, **settings):
    remote = RemoteSettings(agent_remote=True, execution_agent_arns={"web-fetch": ARN})
    return open_remote_agent(remote, AgentSettings.model_validate(settings), endpoint_url=fake.url)


def _ask(agent, question="質問です", **more):
    return asyncio.run(agent.ask(AskRequest(question=question, **more)))


def test_files_of_slack_do_not_go_there_and_the_answer_says_so(agentcore, agent, there):
    file = AttachedFile(
        name="a.pdf", url="https://a.slack.com/files/U1/F1/a.pdf", download=lambda *_: b"%PDF-"
    )
    assert _ask(agent, files=(file,)).undone[-1] == wording.note(AgentCode.FILES_NOT_SENT)
    assert "%PDF-" not in str(agentcore.invoked)


def test_the_answer_is_the_same_as_from_the_agent_itself(agentcore, agent, there):
    """Text, sources, notes, usage and the files' bytes survive the way."""
    assert _ask(agent) == ANSWER


def test_the_question_arrives_with_its_conversation(agentcore, agent, there):
    history = (
        Turn(author="田中", text="http://a.example/ は？"),
        Turn(author="", text="千円です。", ours=True),
    )
    limits = Limits(turns=2, fetches=3, seconds=20, output_tokens=300, input_tokens=5000)
    _ask(
        agent,
        "種類は？",
        author="鈴木",
        history=history,
        links=("http://b.example/",),
        language=Language.ENGLISH,
        correlation_id="c-1",
        limits=limits,
    )
    [asked] = there.requests
    assert asked == AskRequest(
        question="種類は？",
        author="鈴木",
        history=history,
        links=("http://b.example/",),
        language=Language.ENGLISH,
        correlation_id="c-1",
        limits=limits,
    )


def test_the_record_of_the_thread_goes_there_and_comes_back(agentcore, agent, there):
    """Bounded on both ways: the other side cannot fill our stores."""
    many = tuple(f"http://shop.example/{number}" for number in range(60))
    there.answer = replace(ANSWER, known_urls=many)
    answer = asyncio.run(agent.ask(AskRequest(question="続けて", known_urls=ANSWER.known_urls)))
    assert there.requests[0].known_urls == ANSWER.known_urls
    assert answer.known_urls == many[:50]


def test_questions_one_after_another_share_a_session(agentcore, agent, there):
    """A session is a machine with a warm cache."""
    for _ in range(3):
        _ask(agent)
    assert len(agentcore.invoked) == 3
    assert len(set(agentcore.invoked)) == 1


def test_questions_at_the_same_time_do_not(agentcore, agent, there):
    there.hold = True

    async def story():
        asking = [asyncio.create_task(agent.ask(AskRequest(question="質問"))) for _ in range(2)]
        assert await asyncio.to_thread(there.has_begun, 2)
        there.let_go()
        await asyncio.gather(*asking)

    asyncio.run(story())
    assert len(set(agentcore.invoked)) == 2


def test_cancelling_ends_the_session_and_with_it_the_work(agentcore, agent, there):
    there.hold = True

    async def story():
        asking = asyncio.create_task(agent.ask(AskRequest(question="質問")))
        assert await asyncio.to_thread(there.has_begun)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        there.let_go()
        await agent.aclose()  # waits until the session has been ended

    asyncio.run(story())
    assert agentcore.stopped == agentcore.invoked


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_rejected_here(agentcore, agent, there, question):
    with pytest.raises(QuestionRejected):
        _ask(agent, question)
    assert agentcore.invoked == []


def test_links_alone_are_a_question(agentcore, agent, there):
    _ask(agent, "", links=("http://a.example/",))
    assert there.requests[0].question == "http://a.example/"


def test_half_a_surrogate_pair_does_not_stop_a_question(agentcore, agent, there):
    _ask(agent, "質問\ud800です")
    assert there.requests[0].question == "質問?です"


def test_what_the_other_side_says_about_a_failure_is_passed_on(agentcore, agent, there):
    there.answer = ModelUnavailable("secret")
    answer = _ask(agent)
    assert (answer.text, answer.answered) == (UNAVAILABLE, False)


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (error(429, "ThrottlingException"), UNAVAILABLE),
        (error(500, "InternalServerException"), UNAVAILABLE),
        (error(424, "RuntimeClientError"), UNAVAILABLE),
        (error(409, "RetryableConflictException"), UNAVAILABLE),
        (error(403, "AccessDeniedException"), REJECTED),
        (error(404, "ResourceNotFoundException"), REJECTED),
        (error(400, "ValidationException"), REJECTED),
        (error(402, "ServiceQuotaExceededException"), REJECTED),
        ((200, {}, b"no JSON"), UNAVAILABLE),
        ((200, {}, b"[]"), UNAVAILABLE),
        ((200, {}, b"[" * 100_000), UNAVAILABLE),
        ((200, {}, b"{}"), UNAVAILABLE),
        ((200, {}, b'{"result": {"task": 5}}'), UNAVAILABLE),
        ((200, {}, b'{"result": {"task": {"status": "x"}}}'), UNAVAILABLE),
        ((200, {}, b'{"result": {"task": {"status": {"state": []}}}}'), UNAVAILABLE),
        ((200, {}, b'{"result": {"message": {}}}'), UNAVAILABLE),
        ((200, {}, b'{"result": {"task": {"status": {"state": "TASK_STATE_WORKING"}}}}'), UNAVAILABLE),
        ((200, {}, b'{"result": {"task": {"status": {"state": "TASK_STATE_COMPLETED"}}}}'), UNAVAILABLE),
        (
            (200, {}, b'{"result": {"task": {"status": {"state": "TASK_STATE_FAILED", "message": 1}}}}'),
            UNAVAILABLE,
        ),
        ((200, {}, b'{"error": {"code": -32602, "message": "x"}}'), REJECTED),
        ((200, {}, b'{"error": {"code": -32603, "message": "x"}}'), UNAVAILABLE),
        ((200, {}, b'{"error": {"code": "secret", "message": "x"}}'), UNAVAILABLE),
        ((200, {}, b'{"error": 5}'), UNAVAILABLE),
    ],
)
def test_every_failure_of_the_way_is_one_japanese_sentence(agentcore, agent, there, reply, sentence):
    agentcore.answer = reply
    answer = _ask(agent)
    assert (answer.text, answer.answered, answer.files) == (sentence, False, ())


def test_a_service_that_is_not_there_is_one_japanese_sentence(agentcore, agent, there):
    url = agentcore.url
    remote = RemoteSettings(agent_remote=True, execution_agent_arns={"web-fetch": ARN})
    agent = open_remote_agent(remote, AgentSettings(), endpoint_url=url.rpartition(":")[0] + ":1")
    answer = asyncio.run(agent.ask(AskRequest(question="質問")))
    assert (answer.text, answer.answered) == (UNAVAILABLE, False)


def test_without_credentials_the_administrator_is_named(agentcore, there, monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    assert _ask(_open(agentcore)).text == REJECTED


def test_a_remote_agent_that_hangs_is_given_up_and_its_session_ended(agentcore, agent, there, monkeypatch):
    monkeypatch.setattr("fetcher.agent.remote.agent.GRACE_SECONDS", 0.2)
    there.hold = True

    async def story():
        answer = await agent.ask(AskRequest(question="質問", limits=Limits(seconds=0.1)))
        there.let_go()
        await agent.aclose()
        return answer

    answer = asyncio.run(story())
    assert (answer.text, answer.answered) == (UNAVAILABLE, False)
    assert agentcore.stopped == agentcore.invoked


def _task(*files, text="答え", data=None):
    parts = [{"text": text}, {"data": data or {}}]
    artifacts = [{"name": "execution_response", "parts": parts}]
    artifacts += [{"name": "generated_file", "parts": [file]} for file in files]
    task = {"status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": artifacts}
    return 200, {}, json.dumps({"result": {"task": task}}).encode()


def _part(content, name="a.txt", kind="text/plain"):
    return {"raw": base64.b64encode(content).decode(), "filename": name, "mediaType": kind}


@pytest.mark.parametrize(
    ("file", "code"),
    [
        (_part(b"x" * 101), AgentCode.FILE_TOO_LARGE),
        (_part(b"x", "a.sh", "application/x-sh"), AgentCode.FILE_TYPE_NOT_ALLOWED),
        (_part(b"{", "a.json", "application/json"), AgentCode.FILE_INVALID),
        (_part(b"\xff"), AgentCode.FILE_INVALID),
        ({"raw": "***", "filename": "a", "mediaType": "text/plain"}, AgentCode.FILE_INVALID),
        ({"raw": "あいう", "filename": "a", "mediaType": "text/plain"}, AgentCode.FILE_INVALID),
    ],
)
def test_a_file_that_could_not_be_made_here_is_left_out_and_said(agentcore, agent, there, file, code):
    """The same policy as for files of our own."""
    agentcore.answer = _task(file, _part(b"fine", "../b.txt"))
    answer = _ask(agent)
    [made] = answer.files
    assert made.content == b"fine"
    assert "/" not in made.file_name
    assert answer.undone == (wording.note(code),)


def test_more_files_than_may_be_are_cut_and_said(agentcore, agent, there):
    agentcore.answer = _task(*[_part(b"x", f"{n}.txt") for n in range(4)])
    answer = _ask(agent)
    assert len(answer.files) == 2
    assert answer.undone == (wording.note(AgentCode.FILE_LIMIT),)


@pytest.mark.parametrize(
    "data",
    [
        {"sources": [{"number": 1, "title": "x", "url": "javascript:alert(1)"}]},
        {"sources": [{"number": "x", "title": "x", "url": "http://a.example/"}]},
        {"sources": "x"},
        {"undone": [1]},
    ],
)
def test_data_that_is_not_as_it_should_be_is_no_answer(agentcore, agent, there, data):
    agentcore.answer = _task(data=data)
    assert _ask(agent).text == UNAVAILABLE


@pytest.mark.parametrize(
    ("environ", "remote"),
    [
        ({}, False),
        ({"EXECUTION_AGENT_ARNS": json.dumps({"web-fetch": ARN})}, False),
        ({"EXECUTION_AGENT_ARNS": json.dumps({"web-fetch": ARN}), "AGENT_REMOTE": "true"}, True),
        ({"EXECUTION_AGENT_ARNS": json.dumps({"web-fetch": ARN, "x": "y"}), "AGENT_REMOTE": "1"}, True),
        ({"AGENT_REMOTE": "off"}, False),
        ({"AGENT_REMOTE": " "}, False),
    ],
)
def test_in_process_is_the_default(environ, remote):
    assert load_remote(environ).agent_remote is remote


@pytest.mark.parametrize(("remote", "kind"), [(False, Agent), (True, RemoteAgent)])
def test_the_settings_choose_who_is_asked(remote, kind):
    settings = RemoteSettings(agent_remote=remote, execution_agent_arns={"web-fetch": ARN})
    assert isinstance(open_answerer(AgentSettings(), Settings(), settings), kind)


@pytest.mark.parametrize(
    "environ",
    [
        {"AGENT_REMOTE": "true"},
        {"AGENT_REMOTE": "true", "EXECUTION_AGENT_ARNS": '{"other": "x"}'},
        {"AGENT_REMOTE": "perhaps"},
        {"EXECUTION_AGENT_ARNS": "{"},
        {"EXECUTION_AGENT_ARNS": "[]"},
        {"EXECUTION_AGENT_ARNS": '{"web-fetch": 5}'},
    ],
)
def test_settings_that_make_no_sense_are_refused(environ):
    with pytest.raises(ConfigurationError):
        load_remote(environ)


@pytest.mark.parametrize(
    "arn",
    ["", "x", "arn:aws:lambda:ap-northeast-1:123456789012:function:x", ARN.replace("123456789012", "1")],
)
def test_an_address_that_is_no_runtimes_is_refused(arn):
    with pytest.raises(ConfigurationError, match="ARN"):
        RemoteSettings(agent_remote=True, execution_agent_arns={"web-fetch": arn})
