"""The Messages API's rules for requests."""

import pytest

from tests.fakes.request_rules import complaint

TOOL = {"name": "fetch_url", "input_schema": {"type": "object"}}
EPHEMERAL = {"type": "ephemeral"}


def text(words, **more):
    return {"type": "text", "text": words, **more}


def user(*content):
    return {"role": "user", "content": list(content)}


def assistant(*content):
    return {"role": "assistant", "content": list(content)}


def strict(schema):
    closed = {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
    return {"name": "strict_tool", "strict": True, "input_schema": closed}


def used(name, tool="fetch_url"):
    return {"type": "tool_use", "id": name, "name": tool, "input": {}}


def result(name, *content):
    return {"type": "tool_result", "tool_use_id": name, "content": list(content) or "done"}


def found(source="https://a.example/", *, title="A", content=None, enabled=True):
    passages = [text("a passage")] if content is None else content
    citations = {"enabled": enabled}
    return {
        "type": "search_result",
        "source": source,
        "title": title,
        "content": passages,
        "citations": citations,
    }


def asked(*messages, **more):
    return {"model": "m", "max_tokens": 10, "messages": list(messages), "tools": [TOOL]} | more


LOCATION = {
    "type": "search_result_location",
    "cited_text": "a passage",
    "source": "https://a.example/",
    "title": "A",
    "search_result_index": 0,
    "start_block_index": 0,
    "end_block_index": 1,
}
THOUGHT = {"type": "thinking", "thinking": "Hm", "signature": "s"}
CALLED = (user(text("q")), assistant(text("I look"), used("t1"), used("t2")))

GOOD = {
    "text as a string": asked({"role": "user", "content": "q"}),
    "two users in a row": asked(user(text("q")), user(text("q"))),
    "a strict tool": asked(user(text("q")), tools=[strict({"type": "string", "enum": ["a"]})]),
    "effort and thinking": asked(
        user(text("q")), output_config={"effort": "medium"}, thinking={"type": "adaptive"}
    ),
    "several turns": asked(user(text("q")), assistant(text("a")), user(text("q"))),
    "all calls answered": asked(*CALLED, user(result("t2"), result("t1"), text("go on"))),
    "a result without content": asked(*CALLED, user(result("t1") | {"content": ""}, result("t2"))),
    "search results": asked(
        *CALLED, user(result("t1", found()), result("t2", found(), found("https://b.example/")))
    ),
    "citations sent back": asked(user(found()), assistant(text("a", citations=[LOCATION])), user(text("q"))),
    "thoughts sent back": asked(user(text("q")), assistant(THOUGHT, text("a")), user(text("q"))),
    "four breakpoints": asked(
        *(user(text("q", cache_control=EPHEMERAL)),) * 1, system=[text("s", cache_control=EPHEMERAL)] * 3
    ),
    "one token": asked(user(text("q")), max_tokens=1),
    "tools that may not be used": asked(user(text("q")), tool_choice={"type": "none"}),
    "no tools, no calls": asked(user(text("q")), tools=[]),
}

BAD = {
    "no tokens": (asked(user(text("q")), max_tokens=0), "max_tokens"),
    "no limit": ({"messages": [user(text("q"))]}, "max_tokens"),
    "no messages": (asked(), "at least one message"),
    "a strange role": (asked({"role": "system", "content": "q"}), "role"),
    "empty content": (asked(user()), "non-empty content"),
    "the assistant first": (asked(assistant(text("a")), user(text("q"))), "first message"),
    "two assistants in a row": (
        asked(user(text("q")), assistant(text("a")), assistant(text("a")), user(text("q"))),
        "alternate",
    ),
    "a field of no request": (asked(user(text("q")), colour="red"), "colour: extra inputs"),
    "an effort of no model": (asked(user(text("q")), output_config={"effort": "huge"}), "effort"),
    "a strict tool with a bound": (
        asked(user(text("q")), tools=[strict({"type": "integer", "minimum": 1})]),
        "minimum is not supported",
    ),
    "a strict tool with a default": (
        asked(user(text("q")), tools=[strict({"type": "boolean", "default": False})]),
        "default is not supported",
    ),
    "a strict tool that is open": (
        asked(user(text("q")), tools=[TOOL | {"strict": True}]),
        "additionalProperties must be false",
    ),
    "empty text": (asked(user(text(""))), "non-empty"),
    "blank text": (asked(user(text(" \n"))), "non-whitespace"),
    "blank text inside a result": (
        asked(*CALLED, user(result("t1", text(" ")), result("t2"))),
        "non-whitespace",
    ),
    "a strange block": (asked(user({"type": "hologram"})), "hologram"),
    "a missing field": (asked(user({"type": "text"})), "Field required"),
    "a field too many": (asked(user(text("q", colour="red"))), "extra inputs"),
    "a citation with a field too many": (
        asked(user(found()), assistant(text("a", citations=[LOCATION | {"file_id": None}])), user(text("q"))),
        "extra inputs",
    ),
    "a thought without signature": (
        asked(user(text("q")), assistant({"type": "thinking", "thinking": "Hm"}, text("a")), user(text("q"))),
        "signature",
    ),
    "a call without result": (asked(*CALLED, user(result("t1"))), "without tool_result blocks: t2"),
    "a result without call": (asked(user(text("q"), result("t9"))), "unexpected tool_use_id"),
    "a result of an earlier call": (
        asked(*CALLED, user(result("t1"), result("t2")), assistant(text("a")), user(result("t1"))),
        "unexpected tool_use_id",
    ),
    "two results for a call": (
        asked(*CALLED, user(result("t1"), result("t1"), result("t2"))),
        "single result",
    ),
    "text before results": (asked(*CALLED, user(text("so"), result("t1"), result("t2"))), "come first"),
    "two calls with one id": (
        asked(user(text("q")), assistant(used("t1"), used("t1")), user(result("t1"))),
        "must be unique",
    ),
    "a tool name with a space": (
        asked(user(text("q")), tools=[TOOL | {"name": "fetch url"}]),
        "name must match",
    ),
    "two tools with one name": (asked(user(text("q")), tools=[TOOL, TOOL]), "names must be unique"),
    "a tool without schema": (asked(user(text("q")), tools=[{"name": "fetch_url"}]), "input_schema"),
    "calls but no tools": (asked(*CALLED, user(result("t1"), result("t2")), tools=[]), "must define tools"),
    "a choice without tools": (asked(user(text("q")), tools=[], tool_choice={"type": "none"}), "tool_choice"),
    "a choice of nothing": (
        asked(user(text("q")), tool_choice={"type": "tool", "name": "x"}),
        "no such tool",
    ),
    "five breakpoints": (
        asked(
            user(*[text("q", cache_control=EPHEMERAL)] * 2), system=[text("s", cache_control=EPHEMERAL)] * 3
        ),
        "maximum of 4",
    ),
    "citations here and there": (
        asked(user(found(), found(enabled=False))),
        "on all search results or on none",
    ),
    "a search result without title": (asked(user(found(title=""))), "must not be empty"),
    "a search result without passages": (asked(user(found(content=[]))), "must not be empty"),
}


@pytest.mark.parametrize("request_", GOOD.values(), ids=GOOD.keys())
def test_what_the_api_takes_is_taken(request_):
    """A request that keeps the rules has nothing wrong with it."""
    assert complaint(request_) is None


@pytest.mark.parametrize(("request_", "reason"), BAD.values(), ids=BAD.keys())
def test_what_the_api_refuses_is_refused(request_, reason):
    """A request that breaks a rule is told which."""
    assert reason in (complaint(request_) or "")
