"""The fake model, as the real SDK sees it."""

import asyncio
from typing import Any

import anthropic
import httpx2
import pytest

from tests.fakes.claude import FakeClaude
from tests.fakes.turns import (
    block,
    break_midway,
    call,
    call_cut_short,
    cite,
    error_event,
    fail,
    malformed,
    max_tokens,
    no_json,
    pause,
    refuse,
    say,
    silence,
    stall,
    stall_midway,
    think,
)

QUESTION: list[Any] = [{"role": "user", "content": "質問"}]
RESULTS = [
    {
        "type": "search_result",
        "source": f"https://{name}.example/",
        "title": name,
        "content": [{"type": "text", "text": f"{name}{number}"} for number in range(3)],
        "citations": {"enabled": True},
    }
    for name in ("a", "b")
]


@pytest.fixture
def claude(running_claude):
    """Here refusals are what is tested."""
    yield running_claude
    running_claude.reset()


@pytest.fixture(scope="module", params=["anthropic", "bedrock"])
def client(running_claude, request):
    """Either client, without a second try."""
    options: dict[str, Any] = {"base_url": running_claude.url, "max_retries": 0, "timeout": 5.0}
    aws: dict[str, Any] = {
        "aws_access_key": "AKIAMADEUP",
        "aws_secret_key": "made up",
        "aws_region": "ap-northeast-1",
    }
    opened = (
        anthropic.Anthropic(api_key="sk-made-up", **options)
        if request.param == "anthropic"
        else anthropic.AnthropicBedrock(**aws, **options)
    )
    with opened:
        yield opened


def streamed(client, messages=QUESTION, **more):
    """The message at the end of a stream, and its pieces of text."""
    with client.messages.stream(model="claude-x", max_tokens=100, messages=messages, **more) as stream:
        pieces = list(stream.text_stream)
        return stream.get_final_message(), pieces


def whole(client, messages=QUESTION, **more):
    return client.messages.create(model="claude-x", max_tokens=100, messages=messages, **more)


def contents(message):
    return [each.to_dict() for each in message.content]


def test_text_is_streamed_in_pieces(claude, client):
    """Text comes in small pieces, and Japanese arrives as it was sent."""
    claude.script(say("答えは四百二十円です。"))
    message, pieces = streamed(client)
    assert pieces == ["答えは", "四百二", "十円で", "す。"]
    assert message.stop_reason == "end_turn"


def test_a_turn_is_the_same_streamed_and_whole(claude, client):
    """What the SDK makes of a stream is what it gets in one piece."""
    turn = say("I look.") + call("fetch_url", {"url": "https://a.example/"}) + call("none")
    claude.script(turn, turn)
    message, _ = streamed(client)
    once = whole(client)
    assert [each.type for each in message.content] == ["text", "tool_use", "tool_use"]
    assert [each.input for each in message.content[1:]] == [{"url": "https://a.example/"}, {}]
    assert len({each.id for each in message.content[1:]}) == 2
    assert [(each.type, getattr(each, "input", None)) for each in message.content] == [
        (each.type, getattr(each, "input", None)) for each in once.content
    ]
    assert message.stop_reason == once.stop_reason == "tool_use"
    assert message.usage.output_tokens == once.usage.output_tokens


@pytest.mark.parametrize(
    ("citation", "index", "start", "end", "cited"),
    [
        (cite("https://b.example/"), 1, 0, 3, "b0b1b2"),
        (cite(0), 0, 0, 3, "a0a1a2"),
        (cite("https://a.example/", 1, 2), 0, 1, 2, "a1"),
    ],
)
def test_a_citation_points_into_the_request(claude, client, citation, index, start, end, cited):
    """Search results are counted over the whole request, those inside tool results too."""
    used = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    messages = [
        {"role": "user", "content": [RESULTS[0]]},
        {"role": "assistant", "content": [used]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [RESULTS[1]]}]},
    ]
    tools = [{"name": "read", "input_schema": {"type": "object"}}]
    claude.script(say("so", citations=[citation]))
    message, _ = streamed(client, messages, tools=tools)
    (location,) = message.content[0].citations
    assert (location.search_result_index, location.start_block_index, location.end_block_index) == (
        index,
        start,
        end,
    )
    assert location.cited_text == cited


def test_a_citation_of_nothing_is_an_error_in_the_test():
    """A test that cites what the request does not have learns of it."""
    with pytest.raises(ExceptionGroup) as raised, FakeClaude() as claude:  # noqa: PT012  # the server raises as it stops
        claude.script(say("so", citations=[cite("https://nowhere.example/")]))
        with (
            anthropic.Anthropic(api_key="k", base_url=claude.url, max_retries=0) as client,
            pytest.raises(anthropic.APIConnectionError),
        ):
            whole(client)
    assert raised.group_contains(LookupError, match="nowhere")


def test_a_turn_may_depend_on_the_request(claude, client):
    """A function in the script sees what reached the model and decides what it says."""
    claude.script(lambda asked: say(f"You said {asked.json['messages'][0]['content']} to {asked.model}"))
    message, _ = streamed(client)
    assert message.content[0].text == "You said 質問 to claude-x"


def test_requests_are_kept(claude, client):
    """Headers and JSON of every request can be looked at afterwards."""
    claude.script(say("a"), say("b"))
    streamed(client)
    whole(client)
    assert [asked.json["messages"] for asked in claude.requests] == [QUESTION, QUESTION]
    assert all("authorization" in asked.headers for asked in claude.requests)
    assert "質問" in claude.requests[0].text
    assert claude.turns_left == 0


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, anthropic.BadRequestError),
        (401, anthropic.AuthenticationError),
        (429, anthropic.RateLimitError),
        (500, anthropic.InternalServerError),
        (529, anthropic.InternalServerError),
    ],
)
def test_a_failure_has_its_status(claude, client, status, error):
    """The SDK raises what it raises for the real thing."""
    claude.script(fail(status))
    with pytest.raises(error) as raised:
        streamed(client)
    assert raised.value.status_code == status


def test_a_failure_says_when_to_try_again(claude):
    """The SDK waits as long as the server asks, which in tests is next to nothing."""
    claude.script(fail(429), fail(529, retry_after=0.002), say("at last"))
    with anthropic.Anthropic(api_key="k", base_url=claude.url, max_retries=2) as client:
        assert whole(client).content[0].text == "at last"
    assert len(claude.requests) == 3


@pytest.mark.parametrize("ask", [streamed, whole])
def test_silence_ends_in_a_timeout(claude, client, ask):
    """A stalled answer lasts until the client gives up."""
    claude.script(stall())
    with pytest.raises(anthropic.APITimeoutError):
        ask(client.with_options(timeout=0.05))
    assert claude.all_hung_up()


@pytest.mark.parametrize(
    "turn", [stall_midway(), break_midway(), malformed()], ids=["stalled", "broken", "malformed"]
)
@pytest.mark.parametrize("ask", [streamed, whole])
def test_a_turn_that_goes_wrong_midway_is_no_answer(claude, client, ask, turn):
    """Stalled, broken and malformed answers raise, streamed or not."""
    claude.script(turn)
    with pytest.raises((httpx2.HTTPError, anthropic.AnthropicError, ValueError)):
        ask(client.with_options(timeout=0.05))


@pytest.mark.parametrize("after", [0, 1, 4])
def test_midway_is_counted_in_deltas(claude, client, after):
    """So many pieces of text arrive before the fault."""
    claude.script(error_event(say("abcdefghijklmno"), after=after))
    pieces = []
    with (
        pytest.raises(anthropic.APIStatusError),
        client.messages.stream(model="claude-x", max_tokens=99, messages=QUESTION) as stream,
    ):
        pieces.extend(stream.text_stream)
    assert len(pieces) == after


@pytest.mark.parametrize(
    ("turn", "stop_reason"),
    [
        (refuse(), "refusal"),
        (refuse("No."), "refusal"),
        (max_tokens("The answer is"), "max_tokens"),
        (say("later", stop_reason="tomorrow"), "tomorrow"),
        (call_cut_short("create_file", '{"content": "a,b'), "max_tokens"),
    ],
)
def test_a_turn_may_stop_for_any_reason(claude, client, turn, stop_reason):
    """Refusals, limits and reasons that nobody knows are passed on as they are."""
    claude.script(turn, turn)
    message, _ = streamed(client)
    assert (message.stop_reason, whole(client).stop_reason) == (stop_reason, stop_reason)


def test_a_turn_may_have_blocks_that_nobody_knows(claude, client):
    """Unknown blocks and deltas go over the wire like any other."""
    claude.script(block({"type": "hologram", "size": 3}, {"type": "hologram_delta", "more": 1}) + say("seen"))
    message, pieces = streamed(client)
    assert [each.type for each in message.content] == ["hologram", "text"]
    assert pieces == ["see", "n"]


def test_an_answer_may_be_a_page(claude, client):
    """A captive portal's page is no message."""
    claude.script(no_json())
    assert whole(client) == "<html><body>Please sign in</body></html>"


def test_the_end_of_the_script_is_told(claude, client):
    """Whoever asks once too often is told so, and the SDK does not try again."""
    with pytest.raises(anthropic.InternalServerError, match="script of the fake model is at its end"):
        streamed(client.with_options(max_retries=5))
    assert len(claude.requests) == 1


def test_a_wrong_request_is_refused_and_costs_no_turn(claude, client):
    """What the real API would refuse is refused, and the script goes on with the next request."""
    claude.script(say("fine"))
    answered: list[Any] = [*QUESTION, {"role": "assistant", "content": "a"}]
    with pytest.raises(anthropic.BadRequestError, match="end with a user message"):
        streamed(client, answered)
    assert claude.refusals == ["messages: must end with a user message"]
    assert streamed(client)[0].content[0].text == "fine"


def test_usage_is_made_from_the_request(claude, client):
    """Longer requests cost more; what is marked for the cache is written once and read afterwards."""
    marked = [{"type": "text", "text": "s" * 400, "cache_control": {"type": "ephemeral"}}]
    claude.script(*[say("a")] * 3)
    plain, first, second = (
        streamed(client, **more)[0].usage for more in ({}, {"system": marked}, {"system": marked})
    )
    assert plain.cache_creation_input_tokens == plain.cache_read_input_tokens == 0
    assert first.cache_creation_input_tokens == second.cache_read_input_tokens > 100
    assert first.cache_read_input_tokens == second.cache_creation_input_tokens == 0
    assert first.input_tokens == second.input_tokens < plain.input_tokens + 20


def test_a_reset_forgets_everything(claude, client):
    """Script, records and cache of one test are not the next one's."""
    claude.script(say("a"), say("b"))
    streamed(client)
    claude.reset()
    assert (claude.requests, claude.turns_left) == ([], 0)


def test_one_can_wait_for_a_request(claude):
    """A test knows when its request has arrived, and when nobody is connected any more."""

    async def ask_and_leave():
        async with anthropic.AsyncAnthropic(api_key="k", base_url=claude.url) as client:
            asking = asyncio.create_task(client.messages.create(model="m", max_tokens=1, messages=QUESTION))
            assert await asyncio.to_thread(claude.wait_until_asked)
            asking.cancel()
            await asyncio.wait([asking])

    claude.script(stall())
    asyncio.run(ask_and_leave())
    assert claude.all_hung_up()


SONNET: Any = {"model": "claude-sonnet-5-5", "max_tokens": 1000}
READ = {"name": "read", "input_schema": {"type": "object"}}


@pytest.fixture(scope="module")
def api(running_claude):
    with anthropic.Anthropic(api_key="sk-made-up", base_url=running_claude.url, max_retries=0) as opened:
        yield opened


def asking(api, messages=QUESTION, **more):
    return api.messages.create(**{**SONNET, "messages": messages, **more})


def continued(message, *, content=None):
    """The conversation with the model's turn and a result for each of its calls."""
    sent = [each.to_dict() for each in message.content] if content is None else content
    results = [
        {"type": "tool_result", "tool_use_id": each["id"], "content": "done"}
        for each in sent
        if each["type"] == "tool_use"
    ]
    sent = [each for each in sent if each["type"] != "text" or each["text"].strip()]
    return [*QUESTION, {"role": "assistant", "content": sent}, {"role": "user", "content": results}]


def test_a_model_that_thinks_does_so_unasked_and_at_the_cost_of_its_answer(claude, api):
    claude.script(say("四百円です。"), think(990, say("四百円です。" * 10)), think(2000, say("四百円です。")))
    whole_answer, cut, gone = asking(api), asking(api), asking(api)
    assert [each.type for each in whole_answer.content] == ["thinking", "text"]
    assert whole_answer.usage.output_tokens_details.thinking_tokens == 160
    assert (cut.stop_reason, cut.usage.output_tokens) == ("max_tokens", 1000)
    assert (gone.stop_reason, [each.type for each in gone.content]) == ("max_tokens", ["thinking"])


def test_thinking_ends_where_it_is_switched_off_and_shrinks_with_the_effort(claude, api):
    claude.script(*[say("a")] * 2)
    assert [each.type for each in asking(api, thinking={"type": "between_tools"}).content] == ["text"]
    low = asking(api, output_config={"effort": "low"})
    assert low.usage.output_tokens_details.thinking_tokens == 40


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"thinking": {"type": "disabled"}}, "disabled is not supported"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, "enabled is not supported"),
        ({"thinking": {"type": "between_tools"}, "output_config": {"effort": "max"}}, "between_tools"),
        (
            {"model": "claude-opus-5", "thinking": {"type": "disabled"}, "output_config": {"effort": "max"}},
            "disabled",
        ),
        ({"model": "claude-opus-5-5", "thinking": {"type": "disabled"}}, "disabled is not supported"),
        ({"tools": [READ], "tool_choice": {"type": "any"}}, "forced tool use"),
        ({"extra_body": {"temperature": 0.5}}, "temperature: extra inputs"),
        ({"model": "anthropic.claude-sonnet-4-5", "output_config": {"effort": "low"}}, "effort"),
        ({"model": "claude-3-haiku", "tools": [READ | {"strict": True}]}, "strict"),
    ],
)
def test_what_a_model_does_not_take_is_refused(claude, api, more, reason):
    with pytest.raises(anthropic.BadRequestError, match=reason):
        asking(api, **more)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda messages: [{"role": "user", "content": "別の質問"}, *messages[1:]],
        lambda messages: continued(None, content=[*messages[1]["content"][1:]]),
        lambda messages: [
            messages[0],
            {"role": "assistant", "content": [messages[1]["content"][0] | {"thinking": "x"}]},
            {"role": "user", "content": "q"},
        ],
    ],
    ids=["an earlier message changed", "a thought left out", "a thought changed"],
)
def test_a_conversation_is_only_added_to(claude, api, spoil):
    claude.script(call("read"), say("a"))
    messages = continued(asking(api, tools=[READ]))
    with pytest.raises(anthropic.BadRequestError, match=r"thinking|before a tool_use"):
        asking(api, spoil(messages), tools=[READ])
    assert asking(api, messages, tools=[READ]).stop_reason == "end_turn"


def test_calls_of_models_that_do_not_think_are_bound_too(claude, api):
    claude.script(call("read"))
    old = {"model": "anthropic.claude-sonnet-4-5", "tools": [READ]}
    messages = continued(asking(api, **old))
    with pytest.raises(anthropic.BadRequestError, match="before a tool_use"):
        asking(api, [{"role": "user", "content": "別の質問"}, *messages[1:]], **old)


def test_a_call_begins_with_white_space_and_a_stream_has_pings(claude, api):
    claude.script(call("read"), call("read"))
    assert [each.type for each in asking(api, tools=[READ]).content] == ["thinking", "text", "tool_use"]
    raw = api.messages.with_raw_response.create(**SONNET, messages=QUESTION, tools=[READ], stream=True)
    assert raw.http_response.read().count(b"event: ping") == 4


def test_a_refusal_has_details_and_silence_has_nothing(claude, api):
    claude.script(refuse("I be", category="cyber", explanation="why"), silence())
    refused, silent = asking(api), asking(api)
    assert (refused.stop_details.category, refused.stop_details.explanation) == ("cyber", "why")
    assert (silent.stop_reason, [each.type for each in silent.content]) == ("end_turn", ["thinking"])


def test_a_paused_turn_is_sent_back_as_it_is(claude, api):
    claude.script(pause("一つ目"), say("二つ目"))
    paused = asking(api)
    sent = [*QUESTION, {"role": "assistant", "content": [each.to_dict() for each in paused.content]}]
    for block_ in sent[1]["content"]:
        block_.pop("citations", None)
    assert asking(api, sent).content[-1].text == "二つ目"


def test_another_choice_of_tools_loses_the_cached_messages(claude, api):
    marked = [{"type": "text", "text": "質問" * 300, "cache_control": {"type": "ephemeral"}}]
    system = [{"type": "text", "text": "system " * 100, "cache_control": {"type": "ephemeral"}}]
    claude.script(*[say("a")] * 3)
    same: Any = {"messages": [{"role": "user", "content": marked}], "system": system, "tools": [READ]}
    first, second, third = (
        asking(api, **same, **more).usage for more in ({}, {}, {"tool_choice": {"type": "none"}})
    )
    assert (first.cache_read_input_tokens, second.cache_creation_input_tokens) == (0, 0)
    assert 0 < third.cache_read_input_tokens < second.cache_read_input_tokens


@pytest.mark.parametrize(
    ("model", "version", "taken"),
    [
        ("jp.anthropic.claude-sonnet-5-5", None, True),
        ("jp.anthropic.claude-sonnet-5-5", "bedrock-2023-05-31", True),
        ("jp.anthropic.claude-sonnet-4-5-20250929-v1:0", None, False),
        ("jp.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock-2023-05-31", True),
        ("jp.anthropic.claude-sonnet-5-5", "2020-01-01", False),
    ],
)
def test_bedrock_takes_the_versions_of_its_models(claude, model, version, taken):
    keys: Any = {"aws_access_key": "A", "aws_secret_key": "b", "aws_region": "ap-northeast-1"}
    body = {"anthropic_version": version} if version else {}
    claude.script(say("a"))
    with anthropic.AnthropicBedrock(base_url=claude.url, max_retries=0, **keys) as bedrock:
        if taken:
            assert asking(bedrock, model=model, extra_body=body).content[-1].text == "a"
        else:
            with pytest.raises(anthropic.BadRequestError, match="anthropic_version"):
                asking(bedrock, model=model, extra_body=body)
