"""A turn put together from its events."""

import pytest

from fetcher.agent.model.turn_assembly import NOT_AN_OBJECT, Assembly, MalformedStream
from fetcher.agent.values import Usage
from tests.fakes.request_rules import complaint
from tests.fakes.turns import block, call, call_cut_short, cite, refuse, say
from tests.fakes.wires import Message

QUESTION = {
    "type": "search_result",
    "source": "https://a.example/",
    "title": "A",
    "content": [{"type": "text", "text": "a passage"}],
    "citations": {"enabled": True},
}
BODY = {"messages": [{"role": "user", "content": [QUESTION]}]}
THOUGHT = block(
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "Let me "},
    {"type": "thinking_delta", "thinking": "think"},
    {"type": "signature_delta", "signature": "signed"},
)
HIDDEN = block({"type": "redacted_thinking", "data": "xyz"})
DEEP = '{"n": ' + "[" * 300 + "]" * 300 + "}"
HOLOGRAM = block({"type": "hologram", "size": 3}, {"type": "hologram_delta", "more": 1})


def events(reply, after=None):
    parts = tuple(make(BODY, place) for place, make in enumerate(reply.parts))
    usage = {"input_tokens": 7, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3}
    message = Message(model="m", parts=parts, stop_reason=reply.stop_reason, usage=usage, output_tokens=11)
    return list(message.events(after))


def assembled(stream):
    assembly = Assembly()
    texts = [assembly.add(event) for event in stream]
    return assembly, "".join(texts)


def turn(reply):
    return assembled(events(reply))[0].turn()


def kinds(content):
    return [each["type"] for each in content]


def test_text_is_handed_on_and_kept():
    """Every piece is returned as it comes, and all of them are the block."""
    assembly, text = assembled(events(say("答えは四百二十円です。")))
    assert text == "答えは四百二十円です。"
    assert assembly.spoken
    assert assembly.turn().content == ({"type": "text", "text": text},)


def test_calls_have_their_arguments():
    """Arguments in pieces are one object; a tool without parameters is called with an empty one."""
    content = turn(
        say("I look.") + call("fetch_url", {"url": "https://a.example/日本"}) + call("list")
    ).content
    assert kinds(content) == ["text", "tool_use", "tool_use"]
    assert [each["input"] for each in content[1:]] == [{"url": "https://a.example/日本"}, {}]


def test_what_came_in_usage_is_counted():
    """The numbers at the end of the stream replace those at its start."""
    usage = Usage(calls=1, input_tokens=7, output_tokens=11, cache_read_tokens=5, cache_write_tokens=3)
    assert turn(say("a")).usage == usage


def test_a_turn_can_be_sent_back():
    """Text, citations, thoughts and calls go into the next request as they are; other fields do not."""
    found = cite("https://a.example/")
    reply = (
        THOUGHT
        + HIDDEN
        + HOLOGRAM
        + say("A says so.", citations=[found])
        + say("\n\n")
        + call("read", {"n": 1})
    )
    content = list(turn(reply).content)
    answered = [{"type": "tool_result", "tool_use_id": content[-1]["id"], "content": "done"}]
    spoken = [{"role": "assistant", "content": content}, {"role": "user", "content": answered}]
    tools = [{"name": "read", "input_schema": {"type": "object"}}]
    assert complaint({"max_tokens": 1, "tools": tools, "messages": [*BODY["messages"], *spoken]}) is None
    assert kinds(content) == ["thinking", "redacted_thinking", "text", "tool_use"]
    assert content[0] == {"type": "thinking", "thinking": "Let me think", "signature": "signed"}


def test_citations_keep_what_the_api_takes_back():
    """A location loses fields that may not be sent, and a kind that we never ask for is left out."""
    right = cite("https://a.example/").located(BODY)
    other = {"type": "char_location", "cited_text": "x", "file_id": None}
    (text,) = turn(say("so", citations=[right | {"new": 1}, other])).content
    assert text["citations"] == [right]


def test_blank_blocks_go_to_the_next_text():
    """The API refuses blank blocks; the space between two sentences is kept, so no word moves."""
    content = turn(say("一。") + say("\n") + say("\n") + say("二。") + say(" ")).content
    assert [each["text"] for each in content] == ["一。", "\n\n二。"]


def test_blanks_before_a_call_are_dropped():
    """Space that separates nothing is nothing."""
    assert kinds(turn(say("\n\n") + call("read") + say("so")).content) == ["tool_use", "text"]


def test_a_call_cut_short_is_left_out():
    """Half a file is not a file: arguments that end with the tokens are no call."""
    assert turn(say("I write.") + call_cut_short("create_file", '{"content": "a,b')).content == (
        {"type": "text", "text": "I write."},
    )


@pytest.mark.parametrize("after", [0, 1])
def test_a_call_that_has_only_begun_is_left_out(after):
    """A call without arguments counts only once the model has stopped to make it."""
    assembly, _ = assembled(events(call("read", {"n": 1}), after))
    assert assembly.content() == ()
    assert turn(call_cut_short("read", "")).content == ()


def test_a_thought_without_signature_is_left_out():
    """The API would not take it back."""
    thought = block({"type": "thinking", "thinking": "Hm"})
    assert kinds(turn(thought + say("so")).content) == ["text"]


@pytest.mark.parametrize(
    "written", ["{", "[]", '"text"', "null", '{"n": NaN}', "[" * 100_000, '{"n": -1e999}', DEEP]
)
def test_a_call_without_an_object_keeps_what_was_written(written):
    """The tool refuses it by name, and the model can mend it; the API takes only objects back.

    What could not be sent back, such as an infinite number, is refused too.
    """
    start = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    reply = block(start, {"type": "input_json_delta", "partial_json": written}) + call("read")
    wrong, right = turn(reply).content
    assert wrong["input"] == {NOT_AN_OBJECT: written}
    assert right["input"] == {}


def test_half_a_character_is_replaced():
    """Half a surrogate pair could neither be sent back nor posted; a whole one is a character."""
    start = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    written = '{"half": "a\\ud83d", "whole": "\\ud83d\\ude00"}'
    reply = say("a\ud83d") + block(start, {"type": "input_json_delta", "partial_json": written})
    text, used = turn(reply).content
    assert text["text"] == "a\ufffd"
    assert used["input"] == {"half": "a\ufffd", "whole": "\U0001f600"}


def test_a_turn_may_be_empty():
    """A refusal may say nothing at all."""
    assert (turn(refuse()).content, turn(refuse()).stop_reason) == ((), "refusal")


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_stream_without_end_is_malformed(after):
    """The content so far is there, but the turn is not whole."""
    assembly, text = assembled(events(say("abcdef"), after))
    assert "".join(each["text"] for each in assembly.content()) == text == "abcdef"[: after * 3]
    assert assembly.spoken is bool(after)
    with pytest.raises(MalformedStream, match="ended before"):
        assembly.turn()


def test_events_that_nobody_knows_are_passed_over():
    """The API says that there will be new ones."""
    first, *others = events(say("abc"))
    new = {"type": "message_mood", "mood": "sunny"}
    assert assembled([new, first, new, *others, new])[0].turn().content == ({"type": "text", "text": "abc"},)


@pytest.mark.parametrize(
    "event",
    [
        3,
        "text",
        [],
        {},
        {"type": "message_start"},
        {"type": "message_start", "message": None},
        {"type": "content_block_start", "index": 0},
        {"type": "content_block_start", "index": [], "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_start", "index": 0, "content_block": None},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "name": "x"}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "x"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 3}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": 3}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "citations_delta", "citation": {"type": "search_result_location"}},
        },
        {"type": "message_delta"},
    ],
    ids=repr,
)
def test_events_that_are_not_as_they_should_be_are_malformed(event):
    """Every malformed event raises the same error, and what came before it stays."""
    assembly, _ = assembled(events(say("abc"), 1))
    with pytest.raises(MalformedStream):
        assembly.add(event)
    assert assembly.content() == ({"type": "text", "text": "abc"},)
