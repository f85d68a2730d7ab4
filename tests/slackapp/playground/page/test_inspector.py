"""What the developer panel shows of a question: every entry, in its thread, without secrets."""

import asyncio
import contextlib
from datetime import UTC, datetime
from typing import Any

import pytest

from fetcher.agent import Answer, AskRequest, GeneratedFile, Progress, Source, Step, Turn
from slackapp.playground.page.inspector import Inspector
from slackapp.playground.page.redaction import HIDDEN, Redaction
from slackapp.playground.page.watched_agent import WatchedAgent

ROOTS = {("C1", "10.1"): "10.1", ("C1", "10.2"): "10.1", ("C1", "20.1"): "20.1"}


@pytest.fixture
def inspector():
    return Inspector(Redaction(), lambda channel, ts: ROOTS.get((channel, ts), ""), max_entries=3)


def _record(number, kind, **fields):
    return {"number": number, "type": kind, "at": "2026-01-10T12:00:00+00:00", "seconds": 0.5, **fields}


def _delivery(number, event, **fields):
    given = {"event": event["type"], "status": 200, "error": "", "attempt": 0, "transport": "http"}
    return _record(number, "delivery", **given | fields, body={"event": event, "event_id": "Ev1"})


def _call(number, method, arguments=None, status=200, response=None):
    answer = {"ok": True} if response is None else response
    return _record(number, "call", method=method, arguments=arguments or {}, status=status, response=answer)


@pytest.mark.parametrize(
    "record",
    [
        _delivery(1, {"type": "message", "channel": "C1", "ts": "10.2", "thread_ts": "10.1"}),
        _delivery(
            1, {"type": "message", "channel": "C1", "subtype": "message_changed", "message": {"ts": "10.2"}}
        ),
        _delivery(1, {"type": "reaction_added", "item": {"channel": "C1", "ts": "10.2"}}),
        _delivery(1, {"type": "agent_session_stopped", "channel": "C1", "thread_ts": "10.1"}),
        _call(1, "chat.postMessage", {"channel": "C1", "thread_ts": "10.1"}),
        _call(1, "chat.update", {"channel": "C1", "ts": "10.2"}),
        _call(1, "chat.postMessage", {"channel": "C1"}, response={"ok": True, "ts": "10.1"}),
        _call(1, "agents.sessions.setStatus", {"channel_id": "C1", "thread_ts": "10.1"}),
        _record(1, "tool", name="fetch", key="T1:C1:10.2", payload={}),
        _record(
            1,
            "delivery",
            event="block_actions",
            status=200,
            error="",
            attempt=0,
            transport="http",
            body={"type": "block_actions", "channel": {"id": "C1"}, "message": {"ts": "10.2"}},
        ),
    ],
    ids=lambda record: str(record.get("event") or record.get("method") or record.get("name")),
)
def test_an_entry_belongs_to_its_thread(inspector, record):
    summary = inspector.add(record)
    assert (summary["channel"], summary["thread"]) == ("C1", "10.1")


@pytest.mark.parametrize(
    "record",
    [
        _call(2, "users.info", {"user": "U1"}),
        _call(2, "upload", {"path": "/upload/F1"}),
        _call(2, "chat.postMessage", {"channel": "C9", "thread_ts": "9.9"}),
        _record(2, "tool", name="fetch", key="T1:trigger:1.2.3", payload={}),
        _record(2, "tool", name="fetch", key="", payload={}),
    ],
)
def test_an_entry_that_names_no_thread_belongs_where_the_one_before_did(inspector, record):
    inspector.add(_call(1, "chat.update", {"channel": "C1", "ts": "20.1"}))
    assert inspector.add(record)["thread"] == "20.1"


@pytest.mark.parametrize(
    ("record", "status", "error"),
    [
        (
            _call(1, "chat.update", response={"ok": False, "error": "message_not_found"}),
            200,
            "message_not_found",
        ),
        (
            _call(1, "chat.update", status=429, response={"ok": False, "error": "ratelimited"}),
            429,
            "ratelimited",
        ),
        (_call(1, "chat.update", status=0, response={}), 0, "connection_dropped"),
        (_delivery(1, {"type": "message"}, status=500, error="http_error"), 500, "http_error"),
    ],
)
def test_what_failed_says_why(inspector, record, status, error):
    summary = inspector.add(record)
    assert (summary["status"], summary["error"]) == (status, error)


@pytest.mark.parametrize(
    ("event", "quiet"),
    [
        ({"type": "app_mention", "user": "U1"}, False),
        ({"type": "message", "subtype": "file_share", "user": "U1"}, False),
        ({"type": "message", "subtype": "message_changed"}, True),
        ({"type": "message", "bot_id": "B1"}, True),
    ],
)
def test_events_about_the_apps_own_work_are_marked(inspector, event, quiet):
    assert inspector.add(_delivery(1, event))["quiet"] is quiet


def test_only_events_can_be_delivered_again(inspector):
    """A command's address may be used a few times only."""
    assert inspector.add(_delivery(1, {"type": "message"}))["again"] is True
    command = {"event": "/fetch", "status": 200, "error": "", "attempt": 0, "transport": "http"}
    assert inspector.add(_record(2, "delivery", **command, body={"command": "/fetch"}))["again"] is False


@pytest.mark.parametrize(
    ("fields", "began"), [({"seconds": 0.00024}, 11.99976), ({"seconds": 2.0, "closing": True}, 12.0)]
)
def test_an_entry_stands_where_it_began_and_the_last_where_it_ended(inspector, fields, began):
    """To the microsecond: a page may be fetched in the same millisecond in which it was asked for."""
    record = _record(1, "tool", name="fetch", key="", payload={}) | fields
    at = datetime(2026, 1, 10, 12, 0, 12, tzinfo=UTC)
    summary = inspector.add(record | {"at": at.isoformat()})
    assert summary["began"] == pytest.approx(at.timestamp() - 12 + began, abs=1e-6)


def test_other_records_do_not_become_entries(inspector):
    assert inspector.add(_record(1, "message", message={})) is None


def test_only_so_many_entries_are_kept(inspector):
    for number in range(1, 6):
        inspector.add(_call(number, "auth.test"))
    assert [summary["number"] for summary in inspector.summaries] == [3, 4, 5]
    assert (inspector.find(2), inspector.find(5).payload["response"]) == (None, {"ok": True})


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"token": "local"}, {"token": HIDDEN}),
        ({"token": ""}, {"token": ""}),
        ({"response_url": "http://127.0.0.1/response/abc"}, {"response_url": HIDDEN}),
        ({"Authorization": "Bearer x"}, {"Authorization": HIDDEN}),
        ("Bearer xoxb-12-ab", f"Bearer {HIDDEN}"),
        ("xapp-1-A0-z", HIDDEN),
        ("key sk-ant-api03-Ab_c", f"key {HIDDEN}"),
        ("/response/abc-_1", f"/response/{HIDDEN}"),
        (["my secret", {"a": ("my secret",)}], [HIDDEN, {"a": [HIDDEN]}]),
        (
            {"text": "token", "n": 1, "none": None, "yes": True},
            {"text": "token", "n": 1, "none": None, "yes": True},
        ),
    ],
)
def test_secrets_are_hidden_wherever_they_stand(given, shown):
    assert Redaction(["my secret", "", "to"]).redacted(given) == shown


class _Scripted:
    """Reports its progress, then answers or fails."""

    def __init__(self, progress=(), outcome=None):
        self.progress, self.outcome, self.closed = progress, outcome or Answer(text="はい"), False

    async def ask(self, request, on_progress):
        for each in self.progress:
            on_progress(each)
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome

    async def aclose(self):
        self.closed = True


REQUEST = AskRequest(
    question="料金は？", history=(Turn(author="田中", text="前"),), correlation_id="T1:C1:10.1"
)
READ = (
    Progress(step=Step.FETCHING, url="http://a.example/"),
    Progress(step=Step.FETCHING, url="http://b.example/"),
    Progress(step=Step.READING, url="http://a.example/moved", title="甲"),
    Progress(step=Step.WRITING, text="…"),
)


def _watch(inner):
    records: list[dict[str, Any]] = []
    passed_on: list[Progress] = []
    watched = WatchedAgent(inner, lambda kind, **fields: records.append({"type": kind, **fields}))
    with contextlib.suppress(ValueError, asyncio.CancelledError):
        asyncio.run(watched.ask(REQUEST, passed_on.append))
    return records, passed_on


def test_a_question_its_fetches_and_its_answer_are_recorded_in_order():
    """So is a page that was opened and never read."""
    answer = Answer(
        text="980円",
        sources=(Source(number=1, title="甲", url="http://a.example/moved"),),
        files=(GeneratedFile(file_name="表.csv", mime_type="text/csv", content=b"x"),),
    )
    records, passed_on = _watch(_Scripted(READ, answer))
    assert tuple(passed_on) == READ
    assert [(each["name"], each.get("error", "")) for each in records] == [
        ("agent.ask", ""),
        ("fetch", ""),
        ("fetch", "not_read"),
        ("agent.answer", ""),
    ]
    assert {each["key"] for each in records} == {"T1:C1:10.1"}
    assert records[0]["payload"]["question"] == "料金は？"
    assert (records[1]["label"], records[2]["label"]) == ("http://a.example/moved", "http://b.example/")
    assert records[-1]["payload"]["files"] == [{"name": "表.csv", "bytes": 1}]


@pytest.mark.parametrize(
    ("outcome", "error"), [(ValueError("x"), "ValueError"), (asyncio.CancelledError(), "cancelled")]
)
def test_a_question_that_ends_early_says_how(outcome, error):
    records, _ = _watch(_Scripted((), outcome))
    assert (records[-1]["name"], records[-1]["error"]) == ("agent.answer", error)


def test_closing_closes_the_inner_agent():
    inner = _Scripted()
    asyncio.run(WatchedAgent(inner, lambda kind, **_: None).aclose())
    assert inner.closed
