"""Bedrock's events become one reply."""

from datetime import UTC, datetime

import pytest

from fetcher.invoke.backends.bedrock_agents import ADDRESSES, BedrockTranscript
from fetcher.invoke.backends.contract import TimeLimit
from tests.fakes.bedrock_agents import citation, model_output, web_reference

TEXT = "猫😀犬"


def _reply(*events, session_id="s"):
    transcript = BedrockTranscript(TimeLimit())
    for event in events:
        transcript.add(event)
    return transcript.reply(session_id)


def _begun(event):
    limit = TimeLimit()
    BedrockTranscript(limit).add(event)
    return limit.begun


def _step(kind="orchestrationTrace", **parts):
    return {"trace": {"trace": {kind: parts}}}


@pytest.mark.parametrize("at", [0, 1, 3, 5, 10])
def test_text_may_be_split_anywhere(at):
    """A character is not torn where a chunk ends in it."""
    content = TEXT.encode()
    reply = _reply({"chunk": {"bytes": content[:at]}}, {"chunk": {"bytes": content[at:]}})
    assert (reply.output, reply.missing) == (TEXT, ())


def test_bytes_that_are_no_utf8_are_shown_as_such():
    reply = _reply({"chunk": {"bytes": b"a\xffb"}})
    assert (reply.output, reply.missing) == ("a\ufffdb", ("valid UTF-8",))


@pytest.mark.parametrize(("kind", "name"), ADDRESSES.items())
def test_a_citation_has_the_address_of_its_first_reference_that_has_one(kind, name):
    nowhere = {"content": {"text": "x"}, "location": {"type": "SQL", "sqlLocation": {"query": "SELECT 1"}}}
    there = {"location": {kind: {name: "https://docs.example/a"}}}
    cited = citation("根拠", nowhere, there, web_reference("https://other.example/"))
    [found] = _reply({"chunk": {"bytes": b"x", "attribution": {"citations": [cited]}}}).citations
    assert (found.text, found.source_url, len(found.references)) == ("根拠", "https://docs.example/a", 3)


def test_a_citation_without_an_address_is_kept():
    [found] = _reply({"chunk": {"bytes": b"x", "attribution": {"citations": [citation("根拠")]}}}).citations
    assert (found.text, found.source_url, found.references) == ("根拠", "", ())


@pytest.mark.parametrize("nested", [False, True])
def test_a_citation_that_comes_by_itself_is_kept_too(nested):
    """The document's stream has it; `RetrieveAndGenerateStream` sends it in two forms, the old one nested."""
    cited = citation("根拠", web_reference("https://docs.example/a"))
    event = {"citation": {"citation": cited} if nested else cited}
    [found] = _reply({"chunk": {"bytes": b"x"}}, event).citations
    assert (found.text, found.source_url, len(found.references)) == ("根拠", "https://docs.example/a", 1)


def test_tokens_are_summed_where_the_model_was_called_and_once():
    """Other traces carry sums of the same tokens, and an event may come twice."""
    total = {"metadata": {"usage": {"inputTokens": 33, "outputTokens": 44}}}
    reply = _reply(
        _step("preProcessingTrace", modelInvocationOutput=model_output(1, 1, 2)),
        _step(modelInvocationOutput=model_output(2, 10, 20)),
        _step(modelInvocationOutput=model_output(2, 10, 20)),
        _step(modelInvocationOutput=model_output(3, 10, 20)),
        _step(observation={"finalResponse": total, "agentCollaboratorInvocationOutput": total}),
        _step("routingClassifierTrace", modelInvocationOutput=model_output(1, 100, 200)),
        _step("guardrailTrace", action="NONE", **total),
    )
    assert reply.usage == (121, 242)


def test_without_a_word_of_tokens_there_is_no_usage():
    assert _reply(_step(modelInvocationOutput={"traceId": "1"})).usage is None


def test_the_trace_has_reasoning_queries_and_actions():
    query = {"text": "天気", "knowledgeBaseId": "KB"}
    action = {"actionGroupName": "mail", "function": "send"}
    reply = _reply(
        _step(rationale={"text": "まず調べる。"}),
        _step(invocationInput={"knowledgeBaseLookupInput": query}),
        _step(rationale={"text": "次に送る。"}),
        _step(invocationInput={"actionGroupInvocationInput": action}),
        _step("failureTrace", failureReason="no luck"),
    )
    assert reply.trace == {
        "reasoning": "まず調べる。\n次に送る。",
        "knowledgeBaseQueries": [query],
        "actions": [action],
        "failures": ["no luck"],
    }


def test_files_and_the_return_of_control_are_kept():
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    reply = _reply(
        {"files": {"files": [{"name": "表.csv", "type": "text/csv", "bytes": b"a,b"}]}},
        {"returnControl": {"invocationId": "i", "invocationInputs": [{"at": moment}]}},
    )
    [file] = reply.files
    assert (file.name, file.mime_type, file.content) == ("表.csv", "text/csv", b"a,b")
    assert reply.return_control == {"invocationId": "i", "invocationInputs": [{"at": str(moment)}]}
    assert reply.missing == ()


def test_what_is_missing_is_named():
    assert _reply(session_id=None).missing == ("chunk", "sessionId")


def test_unknown_kinds_are_ignored():
    """As botocore hands them over."""
    unknown = {"SDK_UNKNOWN_MEMBER": {"name": "telepathy"}}
    reply = _reply(unknown, {"trace": {"trace": unknown}}, {"trace": {}}, {"chunk": {"bytes": b"x"}})
    assert (reply.output, reply.trace) == ("x", {})


@pytest.mark.parametrize(
    ("event", "begun"),
    [
        ({"chunk": {"bytes": b"x"}}, True),
        ({"files": {"files": []}}, True),
        ({"citation": {}}, True),
        ({"returnControl": {}}, True),
        (_step(invocationInput={"actionGroupInvocationInput": {"function": "send"}}), True),
        (_step(invocationInput={"agentCollaboratorInvocationInput": {"input": {}}}), True),
        (_step(invocationInput={"knowledgeBaseLookupInput": {"text": "x"}}), False),
        (_step(rationale={"text": "x"}), False),
        ({"somethingNew": {"x": 1}}, False),
    ],
)
def test_an_agent_has_begun_when_it_answers_or_acts(event, begun):
    """What only reads or thinks may be done again."""
    assert _begun(event) is begun
