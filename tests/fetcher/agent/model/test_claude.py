"""The model, through the real SDK and real sockets."""

import asyncio
import inspect
import logging
import subprocess
import sys
import traceback
from typing import Any

import anthropic
import httpx2
import pytest
from pydantic import SecretStr

from fetcher.agent.errors import ModelRejected, ModelUnavailable
from fetcher.agent.model.claude import BEDROCK_MODEL, BrokenOff, open_model, translated
from fetcher.agent.model.contract import Arrival, ModelCall
from fetcher.settings import AgentSettings
from tests.fakes.turns import (
    block,
    break_midway,
    call,
    call_cut_short,
    cite,
    corrupted,
    error_event,
    fail,
    malformed,
    max_tokens,
    no_json,
    refuse,
    say,
    stall,
    stall_midway,
)

KEY = "sk-made-up-key"
AWS_SECRET = "made-up-secret"
FOUND = {
    "type": "search_result",
    "source": "https://a.example/",
    "title": "A",
    "content": [{"type": "text", "text": "a passage"}],
    "citations": {"enabled": True},
}
TOOLS = ({"name": "read", "description": "reads", "input_schema": {"type": "object"}},)
BROKEN = {
    "stalled": stall_midway,
    "closed": break_midway,
    "ended early": lambda **more: break_midway(cleanly=True, **more),
    "overloaded": error_event,
    "malformed": malformed,
    "corrupted": corrupted,
}
"""All the ways in which a stream does not come to its end."""


@pytest.fixture
def claude(running_claude, monkeypatch):
    """A model's server, and an environment in which only made-up credentials are to be found."""
    for name in ("AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK", "AWS_EC2_METADATA_DISABLED", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/dev/null")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAMADEUP")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", AWS_SECRET)
    yield running_claude
    refusals = list(running_claude.refusals)
    running_claude.reset()
    assert refusals == []


@pytest.fixture(params=["anthropic", "bedrock"])
def provider(request):
    return request.param


def opened(claude, provider="anthropic", **more):
    """A model at the fake's address."""
    settings = AgentSettings(
        **{
            "model_provider": provider,
            "anthropic_api_key": KEY,
            "anthropic_base_url": claude.url,
            "anthropic_model": "claude-x",
            "model_max_retries": 0,
            "bedrock_model_id": "jp.anthropic.claude-x-v1:0",
        }
        | more
    )
    return open_model(settings, bedrock_url=claude.url)


def patience(fault):
    """Seconds to wait: where nothing will come, not long."""
    return 0.3 if fault is stall_midway else 10


def asking(**more):
    usual: dict[str, Any] = {
        "system": (),
        "tools": (),
        "messages": ({"role": "user", "content": [FOUND]},),
        "max_tokens": 100,
    }
    return ModelCall(**usual | more)


def heard(model, *calls):
    """The turns of some calls one after the other, and the text that was handed on."""
    texts: list[str] = []

    def take(arrival):
        if arrival.text or arrival.thinking:
            texts.append(arrival.text)

    async def talk():
        try:
            return [await model.turn(each, take) for each in calls]
        finally:
            await model.aclose()

    return asyncio.run(talk()), texts


def ask(model, call_=None):
    (turn,), texts = heard(model, call_ or asking())
    return turn, texts


def failing(model, error):
    """What a call that must fail raises, and what was handed on before."""
    arrivals: list[Arrival] = []

    async def talk():
        try:
            await model.turn(asking(), arrivals.append)
        finally:
            await model.aclose()

    with pytest.raises(error) as raised:
        asyncio.run(talk())
    return raised.value, arrivals


def test_text_is_handed_on_as_it_arrives(claude, provider):
    """The caller hears each piece, and gets the whole at the end."""
    claude.script(say("答えは四百二十円です。"))
    turn, texts = ask(opened(claude, provider))
    assert texts == ["答えは", "四百二", "十円で", "す。"]
    assert turn.content == ({"type": "text", "text": "答えは四百二十円です。"},)
    assert turn.stop_reason == "end_turn"


def test_a_conversation_goes_back_as_it_came(claude, provider):
    """Text, citations and calls of one turn are sent back in the next, and the API takes them."""
    claude.script(
        say("A says so.", citations=[cite("https://a.example/")])
        + call("read", {"n": 1})
        + call("read", {"n": 2}),
        lambda asked: say(f"{len(asked.tool_results)} results"),
    )
    first = asking(tools=TOOLS)

    async def talk():
        model = opened(claude, provider)
        one = await model.turn(first, lambda _: None)
        results = [
            {"type": "tool_result", "tool_use_id": each["id"], "content": "done"} for each in one.content[1:]
        ]
        spoken = ({"role": "assistant", "content": list(one.content)}, {"role": "user", "content": results})
        two = await model.turn(asking(tools=TOOLS, messages=first.messages + spoken), lambda _: None)
        await model.aclose()
        return one, two

    one, two = asyncio.run(talk())
    assert one.content[0]["citations"][0]["source"] == "https://a.example/"
    assert [each["input"] for each in one.content[1:]] == [{"n": 1}, {"n": 2}]
    assert one.stop_reason == "tool_use"
    assert two.content == ({"type": "text", "text": "2 results"},)


def test_the_request_is_what_the_call_says(claude, provider):
    """System prompt, tools, messages and limit reach the model, and nothing that was left empty."""
    claude.script(say("a"), say("b"))
    marked = ({"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}},)
    heard(opened(claude, provider), asking(system=marked, tools=TOOLS, max_tokens=7), asking())
    full, bare = (asked.json for asked in claude.requests)
    assert full["system"] == list(marked)
    assert full["tools"] == list(TOOLS)
    assert full["max_tokens"] == 7
    assert bare.keys().isdisjoint({"system", "tools", "tool_choice"})


def test_the_model_thinks_as_much_as_settings_say(claude):
    """Effort and thinking go with every request; the model's own default is left to it."""
    claude.script(*[say("a")] * 3)
    ask(opened(claude, anthropic_model="claude-sonnet-5-5"))
    ask(
        opened(
            claude, anthropic_model="claude-sonnet-5-5", agent_effort="low", agent_thinking="between_tools"
        )
    )
    ask(opened(claude, anthropic_model="claude-sonnet-5-5", agent_effort=""))
    sent = [(asked.json.get("output_config"), asked.json.get("thinking")) for asked in claude.requests]
    assert sent == [
        ({"effort": "medium"}, None),
        ({"effort": "low"}, {"type": "between_tools"}),
        (None, None),
    ]
    assert claude.refusals == []


@pytest.mark.parametrize(
    "model", ["jp.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic.claude-3-haiku-20240307-v1:0"]
)
def test_what_a_model_does_not_take_is_left_out_and_logged(claude, model, caplog):
    strict = (TOOLS[0] | {"strict": True, "input_schema": {"type": "object", "additionalProperties": False}},)
    claude.script(say("a"))
    with caplog.at_level(logging.WARNING):
        ask(opened(claude, "bedrock", bedrock_model_id=model), asking(tools=strict))
    assert claude.refusals == []
    assert "output_config" not in claude.requests[0].json
    assert [record.fields["setting"] for record in caplog.records] == ["AGENT_EFFORT"]


@pytest.mark.parametrize(
    ("model", "version"),
    [
        (BEDROCK_MODEL, "2026-10-21"),
        ("global.anthropic.claude-opus-4-8", "2026-10-21"),
        ("jp.anthropic.claude-sonnet-4-6", "bedrock-2023-05-31"),
        ("jp.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock-2023-05-31"),
        ("arn:aws:bedrock:ap-northeast-1:1:application-inference-profile/abc", "bedrock-2023-05-31"),
    ],
)
def test_bedrock_gets_the_version_that_the_model_knows(claude, model, version):
    claude.script(say("a"))
    ask(opened(claude, "bedrock", bedrock_model_id=model))
    assert claude.requests[0].json["anthropic_version"] == version
    assert claude.refusals == []


def test_thinking_is_reported_and_goes_back_as_it_came(claude):
    """What arrives first is a thought without text; its signature is kept."""
    claude.script(say("a") + call("read"), say("b"))
    model = opened(claude, anthropic_model="claude-sonnet-5-5")
    first = asking(tools=TOOLS, max_tokens=1000)
    seen: list[str] = []

    async def talk():
        one = await model.turn(first, lambda arrival: seen.append(arrival.text))
        result = {"type": "tool_result", "tool_use_id": one.content[-1]["id"], "content": "done"}
        spoken = ({"role": "assistant", "content": list(one.content)}, {"role": "user", "content": [result]})
        await model.turn(
            asking(tools=TOOLS, messages=first.messages + spoken, max_tokens=1000), lambda _: None
        )
        await model.aclose()
        return one

    turn = asyncio.run(talk())
    assert [each["type"] for each in turn.content] == ["thinking", "text", "tool_use"]
    assert turn.content[0]["signature"]
    assert seen[0] == ""
    assert "".join(seen) == "a"
    assert claude.refusals == []


def test_a_refusal_says_why(claude, provider):
    claude.script(refuse("I be", category="cyber", explanation="because"))
    turn, _ = ask(opened(claude, provider))
    assert turn.stop_details == {"type": "refusal", "category": "cyber", "explanation": "because"}


def test_a_call_that_was_cut_is_told(claude, provider):
    claude.script(call_cut_short("read", '{"n": 1'), max_tokens("So"))
    turns, _ = heard(opened(claude, provider), asking(tools=TOOLS), asking(tools=TOOLS))
    assert [(turn.content, turn.call_cut) for turn in turns] == [
        ((), True),
        (({"type": "text", "text": "So"},), False),
    ]


def test_usage_tells_the_cache_apart(claude, provider):
    """What was written to the cache and what was read from it is counted by itself."""
    marked = ({"type": "text", "text": "s" * 400, "cache_control": {"type": "ephemeral"}},)
    claude.script(say("a"), say("a"))
    turns, _ = heard(opened(claude, provider), asking(system=marked), asking(system=marked))
    first, second = (turn.usage for turn in turns)
    assert first.cache_write_tokens == second.cache_read_tokens > 100
    assert (first + second).calls == 2
    assert first.output_tokens > 0


def test_the_settings_choose_the_model(claude):
    """The API gets the model's name in the request, Bedrock in the path."""
    claude.script(say("a"), say("b"))
    ask(opened(claude, anthropic_model="claude-y"))
    ask(opened(claude, "bedrock"))
    api, bedrock = claude.requests
    assert (api.path, api.model) == ("/v1/messages", "claude-y")
    assert bedrock.path.endswith("/invoke-with-response-stream")
    assert bedrock.model == "jp.anthropic.claude-x-v1:0"
    assert bedrock.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIAMADEUP/")


@pytest.mark.parametrize(
    ("turn", "content", "stop_reason"),
    [
        (refuse(), (), "refusal"),
        (max_tokens("So"), ({"type": "text", "text": "So"},), "max_tokens"),
        (say("So", stop_reason="tomorrow"), ({"type": "text", "text": "So"},), "tomorrow"),
        (block({"type": "hologram"}, {"type": "hologram_delta"}), (), "end_turn"),
    ],
    ids=["refusal", "max_tokens", "unknown reason", "unknown block"],
)
def test_turns_end_as_they_end(claude, provider, turn, content, stop_reason):
    """Refusals, limits and unknown reasons end a turn like any other; the caller decides."""
    claude.script(turn)
    answered, _ = ask(opened(claude, provider))
    assert (answered.content, answered.stop_reason) == (content, stop_reason)


@pytest.mark.parametrize("status", [400, 401])
def test_what_is_wrong_with_the_request_is_a_rejection(claude, provider, status):
    """Trying again would change nothing, and nothing is tried again."""
    claude.script(fail(status))
    error, _ = failing(opened(claude, provider, model_max_retries=2), ModelRejected)
    assert not error.retryable
    assert str(status) in error.message
    assert len(claude.requests) == 1


@pytest.mark.parametrize("status", [429, 529])
def test_what_is_wrong_with_the_server_is_unavailability(claude, provider, status):
    """Trying again later may help."""
    claude.script(fail(status))
    error, _ = failing(opened(claude, provider), ModelUnavailable)
    assert error.retryable


@pytest.mark.parametrize(
    ("status", "kind", "failure"),
    [(status, None, ModelRejected) for status in (400, 401, 402, 403, 404, 407, 410, 412, 413, 422, 426, 498)]
    + [
        (status, None, ModelUnavailable)
        for status in (408, 409, 424, 425, 429, 499, 500, 501, 503, 504, 529, 599)
    ]
    + [
        (200, kind, ModelUnavailable)
        for kind in ("overloaded_error", "api_error", "timeout_error", "new_error", None)
    ]
    + [
        (200, kind, ModelRejected)
        for kind in ("invalid_request_error", "authentication_error", "billing_error")
    ],
)
def test_a_status_says_whose_fault_it_was(status, kind, failure):
    """In a stream, whose status is 200, the error's type says it."""
    response = httpx2.Response(status, request=httpx2.Request("POST", "https://api.example/"))
    error = anthropic.APIStatusError("so", response=response, body={"error": {"type": kind, "message": "so"}})
    assert type(translated(error)) is failure


@pytest.mark.parametrize("status", [429, 529])
def test_the_sdk_tries_again(claude, provider, status):
    """A server that recovers within the tries was never unavailable; it says itself when to come back."""
    claude.script(fail(status), fail(status), say("at last"))
    turn, _ = ask(opened(claude, provider, model_max_retries=2))
    assert turn.content[0]["text"] == "at last"


def test_tries_have_an_end(claude):
    """After the last try the model is unavailable."""
    claude.script(*[fail(529)] * 4)
    failing(opened(claude, model_max_retries=2), ModelUnavailable)
    assert claude.turns_left == 1


def test_silence_ends_in_time(claude, provider):
    """A server that never answers is unavailable once the time for a read is over."""
    claude.script(stall())
    error, _ = failing(opened(claude, provider, model_timeout_seconds=0.05), ModelUnavailable)
    assert "Timeout" in error.message
    assert claude.all_hung_up()


def test_nobody_there_is_unavailability():
    """A refused connection says nothing against the request."""
    settings: dict[str, Any] = {"anthropic_api_key": KEY, "anthropic_base_url": "http://127.0.0.1:1"}
    error, _ = failing(open_model(AgentSettings(**settings, model_max_retries=0)), ModelUnavailable)
    assert error.message == "APIConnectionError (ConnectError)"


@pytest.mark.parametrize("fault", BROKEN.values(), ids=BROKEN.keys())
def test_a_stream_that_breaks_off_leaves_what_had_come(claude, provider, fault):
    """Text that was handed on is not asked for again: the caller has it."""
    claude.script(fault(after=2), say("never asked for"))
    model = opened(claude, provider, model_max_retries=2, model_timeout_seconds=patience(fault))
    _, arrivals = failing(model, BrokenOff)
    assert [arrival.text for arrival in arrivals] == ["", "Thi", "s s"]
    assert arrivals[0].usage.tokens > 0  # it must be paid, whatever comes of it
    assert arrivals[-1].content() == ({"type": "text", "text": "This s"},)
    assert claude.turns_left == 1
    assert claude.all_hung_up()


@pytest.mark.parametrize("fault", BROKEN.values(), ids=BROKEN.keys())
def test_a_stream_that_breaks_off_before_all_kinds_is_begun_again(claude, provider, fault):
    """No text was shown yet, so the second try is not noticed."""
    claude.script(fault(after=0), say("whole"))
    model = opened(claude, provider, model_max_retries=1, model_timeout_seconds=patience(fault))
    arrivals: list[Arrival] = []

    async def talk():
        try:
            return await model.turn(asking(), arrivals.append)
        finally:
            await model.aclose()

    turn = asyncio.run(talk())
    assert [arrival.text for arrival in arrivals if arrival.text] == ["who", "le"]
    assert arrivals[-1].usage.tokens > turn.usage.tokens  # what broke off must be paid too


def test_a_stream_is_begun_again_once(claude):
    """A server that breaks off every time is unavailable."""
    claude.script(*[break_midway(after=0)] * 3)
    failing(opened(claude, model_max_retries=5), BrokenOff)
    assert claude.turns_left == 1


def test_without_retries_a_stream_is_not_begun_again(claude):
    """The setting means all tries."""
    claude.script(break_midway(after=0), say("never asked for"))
    failing(opened(claude), BrokenOff)
    assert claude.turns_left == 1


def test_a_call_that_was_whole_survives_a_break(claude):
    """What is left of a turn is what can be sent back."""
    whole = call("read", {"n": 1})
    claude.script(break_midway(whole + call("read", {"n": 2}) + say("so"), after=9))
    _, arrivals = failing(opened(claude), BrokenOff)
    assert [each["input"] for each in arrivals[-1].content()[:-1]] == [{"n": 1}, {"n": 2}]


def test_a_rejection_may_come_in_the_stream(claude, provider):
    """An error event that speaks against the request is not tried again."""
    claude.script(error_event(after=0, kind="invalid_request_error"), say("never asked for"))
    failing(opened(claude, provider, model_max_retries=2), ModelRejected)
    assert claude.turns_left == 1


def test_a_page_instead_of_a_stream_is_unavailability(claude, provider):
    """A proxy's own page is not the model's answer."""
    claude.script(no_json())
    failing(opened(claude, provider), ModelUnavailable)


@pytest.mark.parametrize("turn", [stall(), stall_midway()], ids=["before", "midway"])
def test_a_cancelled_turn_hangs_up(claude, provider, turn):
    """A cancelled turn does not keep the server busy."""

    async def change_ones_mind():
        model = opened(claude, provider)
        spoken = asyncio.Event()
        asking_ = asyncio.create_task(model.turn(asking(), lambda _: spoken.set()))
        await asyncio.to_thread(claude.wait_until_asked)
        if turn is not stall():
            await spoken.wait()
        asking_.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking_
        hung_up = await asyncio.to_thread(claude.all_hung_up)
        await model.aclose()
        return hung_up

    claude.script(turn)
    assert asyncio.run(change_ones_mind())


def test_a_listener_that_fails_is_heard(claude):
    """An error of the caller's own is the caller's, and the connection is closed."""

    def listener(text):
        raise ValueError("not mine to hear")

    async def talk():
        model = opened(claude, model_max_retries=2)
        try:
            await model.turn(asking(), listener)
        finally:
            await model.aclose()

    claude.script(say("a"))
    with pytest.raises(ValueError, match="not mine to hear"):
        asyncio.run(talk())
    assert claude.all_hung_up()


def test_questions_at_the_same_time_share_a_client(claude, provider):
    """The first turns of a process may come together; each gets its own answer."""

    def echo(asked):
        return say(asked.json["messages"][0]["content"])

    async def talk():
        model = opened(claude, provider)
        calls = [asking(messages=({"role": "user", "content": str(n)},)) for n in range(5)]
        turns = await asyncio.gather(*(model.turn(each, lambda _: None) for each in calls))
        await model.aclose()
        return [turn.content[0]["text"] for turn in turns]

    claude.script(*[echo] * 5)
    assert asyncio.run(talk()) == ["0", "1", "2", "3", "4"]


def test_a_closed_model_opens_again(claude):
    """Closing ends connections, not the model."""
    claude.script(say("a"), say("b"))
    model = opened(claude)
    assert [ask(model)[0].content[0]["text"] for _ in range(2)] == ["a", "b"]


@pytest.mark.parametrize("status", [401, 500])
def test_secrets_are_not_told(claude, provider, status):
    """A server that quotes the key back does not make us quote it, not even in a traceback."""
    claude.script(fail(status, message=f"bad key {KEY} {AWS_SECRET} " + "x" * 5000))
    error, _ = failing(opened(claude, provider), (ModelRejected, ModelUnavailable))
    told = "".join(traceback.format_exception(error))
    assert (KEY if provider == "anthropic" else AWS_SECRET) not in told
    assert len(error.message) <= 300


def test_a_text_that_cannot_be_sent_is_a_rejection(claude):
    """Half a surrogate pair cannot be sent; asking again would not help."""

    async def talk():
        model = opened(claude)
        try:
            await model.turn(asking(messages=({"role": "user", "content": "\ud83d"},)), lambda _: None)
        finally:
            await model.aclose()

    with pytest.raises(ModelRejected):
        asyncio.run(talk())


def sdk_errors():
    """Every exception class that the SDK has, wherever it defines it."""

    def below(kind):
        return {kind}.union(*(below(each) for each in kind.__subclasses__()))

    return sorted(below(anthropic.AnthropicError), key=lambda kind: (kind.__module__, kind.__name__))


def made(kind):
    """An exception of a class, without its constructor: each has its own."""
    error = kind.__new__(kind, "so")
    error.message = "so"
    if issubclass(kind, anthropic.APIStatusError):
        error.status_code = getattr(kind, "status_code", 418)
        error.type = error.api_message = None
    return error


def test_no_exception_of_the_sdk_is_left_out():
    """Each means that the model is unavailable or that the request was rejected, and says so in words."""
    failures = [translated(made(kind)) for kind in sdk_errors()]
    assert len(failures) > 50
    assert {type(failure) for failure in failures} == {ModelRejected, ModelUnavailable}
    assert all(failure.message for failure in failures)


@pytest.mark.parametrize(
    ("kind", "failure"),
    [
        (anthropic.APITimeoutError, ModelUnavailable),
        (anthropic.APIConnectionError, ModelUnavailable),
        (anthropic.APIResponseValidationError, ModelUnavailable),
        (anthropic.RetryableError, ModelUnavailable),
        (anthropic.CredentialsError, ModelRejected),
        (anthropic.AnthropicError, ModelRejected),
    ],
)
def test_an_exception_without_status_has_its_meaning(kind, failure):
    """A server that could not be reached may be reached later; missing credentials stay missing."""
    assert type(translated(made(kind))) is failure


def test_exported_exceptions_are_known():
    """What the SDK exports as exceptions all stems from the one class that is caught."""
    exported = [
        each for _, each in inspect.getmembers(anthropic, inspect.isclass) if issubclass(each, Exception)
    ]
    strangers = [each for each in exported if not issubclass(each, anthropic.AnthropicError | Warning)]
    assert strangers == []


def test_offline_there_is_no_model():
    """Without a key, or by name, no model is used; ambient AWS credentials change nothing."""
    assert open_model(AgentSettings()) is None
    assert open_model(AgentSettings(anthropic_api_key=SecretStr(KEY), model_provider="offline")) is None


def test_bedrock_has_a_default_that_lasts(claude, caplog):
    """A current profile of Japan, without a word in the log."""
    claude.script(say("a"))
    with caplog.at_level(logging.WARNING):
        ask(opened(claude, "bedrock", bedrock_model_id=""))
    assert (claude.requests[0].model, caplog.records) == ("jp.anthropic.claude-sonnet-5-5", [])


def test_the_sdk_is_imported_with_the_first_turn():
    """It takes seconds: opening a model does not."""
    code = (
        "import sys; from fetcher.agent.model.claude import open_model;"
        "from fetcher.settings import AgentSettings;"
        "open_model(AgentSettings(anthropic_api_key='k')); open_model(AgentSettings(bedrock_model_id='m'));"
        "print({'anthropic', 'botocore', 'httpx2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
