"""docs/messages.md is made from the two catalogues: everything that a Slack user may be told."""

import inspect
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fetcher import messages_ja as engine
from fetcher.codes import AgentCode, DocumentCode, ErrorCode, TruncationReason
from fetcher.web.errors import DocumentUnreadable, UnsupportedContentType
from slackapp import messages_ja as slack
from slackapp.codes import RefusalCode
from slackapp.slack.error_codes import CODES
from slackapp.slack.errors import UploadRefused
from tests.fetcher.samples import SAMPLES

PAGE = Path(__file__).parent.parent / "docs" / "messages.md"
ARGUMENTS: dict[str, Any] = {
    "user": "U0123",
    "question": "https://example.com/price の料金表をCSVにして",
    "host": "example.com",
    "title": "料金表",
    "file_name": "料金表.csv",
    "names": "料金表.csv",
    "count": 3,
    "number": 2,
    "total": 3,
    "url": "https://example.com/",
    "moment": datetime(2026, 5, 10, 9, 30, tzinfo=UTC),
    "reaction": "newspaper",
    "questions": 12,
    "tokens": 34_567,
    "why": slack.refusal(RefusalCode.USER_NOT_ALLOWED),
    "contact": "U0123",
    "channel": "C0123",
    "channels": ("C0123", "C0456"),
    "link": "https://example.slack.com/archives/C0123/p1",
    "at": 1_778_373_000,
    "mode": "whitelist",
    "entity": "channel",
    "entity_id": "C0123",
    "label": "広報",
    "is_ready": True,
    "store": "sqlite",
    "store_answers": True,
    "model": "offline",
    "has_browser": True,
    "event": "model_failed",
}
"""What stands for the parameters of a message."""
TABLES = ("refusal", "suggested_prompts", "upload_failed")
"""Functions with more than one message, which have tables of their own."""
SPOKEN = {
    name: function
    for name, function in inspect.getmembers(slack, inspect.isfunction)
    if function.__module__ == slack.__name__ and name not in TABLES and not name.startswith("_")
}
BROWSER_TRUNCATION = (TruncationReason.BROWSER_DOM_TRUNCATED, TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL)
INTRODUCTION = """# What the app says

Every sentence that a Slack user may read, and the code that stands in the log beside it. This page is made
from `fetcher/messages_ja.py` and `slackapp/messages_ja.py` by `UPDATE_GOLDENS=1 pytest
tests/test_messages_page.py`. What an operator should do about a refusal stands in
[operations.md](operations.md).
"""


def _said(function):
    wanted = inspect.signature(function).parameters
    return function(**{name: ARGUMENTS[name] for name in wanted})


def _table(heading, rows):
    def cell(text):
        return text.replace("|", "\\|").replace("\n", "<br>")

    lines = [f"| `{name}` | {cell(text)} |" for name, text in rows]
    return "\n".join([f"\n## {heading}\n", "| Name | Sentence |", "|---|---|", *lines, ""])


NEVER_READ = (
    "application/pdf",
    "audio/mpeg",
    "video/mp4",
    "application/zip",
    "application/x-elf",
    "application/msword",
)


def _missing():
    yield "page_cut", engine.page_cut(ARGUMENTS["title"], 512)
    for reason in BROWSER_TRUNCATION:
        yield reason, engine.page_truncated(ARGUMENTS["title"], reason)
    yield "file_cut", engine.file_cut(ARGUMENTS["file_name"])
    yield "rows_left_out", engine.rows_left_out(60, 5000)
    yield "pages_left_out", engine.pages_left_out(1000, 1200)
    yield "on_page", engine.on_page(ARGUMENTS["title"], 12)
    yield "document_date", engine.document_date("CreationDate", "2026-05-10")
    yield "switched_off", engine.switched_off()


def _refused_files():
    codes = [*CODES[UploadRefused].split(), "posting_to_channel_denied", "any other"]
    return [(code, slack.upload_failed(ARGUMENTS["file_name"], code)) for code in codes]


def _page():
    refusals = [(code, slack.refusal(code, wait_seconds=12)) for code in RefusalCode]
    failures = [(code, engine.failure(SAMPLES[code])) for code in ErrorCode]
    documents = [
        *((code, engine.failure(DocumentUnreadable(code, error=""))) for code in DocumentCode),
        *((kind, engine.failure(UnsupportedContentType(content_type=kind))) for kind in NEVER_READ),
    ]
    notes = [(code, engine.note(code)) for code in AgentCode]
    return "".join(
        [
            INTRODUCTION,
            _table("Refusals of the guard", refusals),
            _table("Pages that cannot be read", failures),
            _table("Documents that cannot be read", documents),
            _table("What the agent left undone", notes),
            _table("Pages that were read in part, or not at all", _missing()),
            _table("Suggested prompts", slack.suggested_prompts()),
            _table("Files that Slack does not take, by its code", _refused_files()),
            _table("Everything else in Slack", [(name, _said(said)) for name, said in SPOKEN.items()]),
        ]
    )


def test_the_page_of_messages_is_up_to_date():
    if os.environ.get("UPDATE_GOLDENS"):
        PAGE.write_text(_page(), "utf-8")
    assert PAGE.read_text("utf-8") == _page()


@pytest.mark.parametrize("code", list(RefusalCode))
def test_every_refusal_says_what_happened_and_what_to_do(code):
    text = slack.refusal(code, wait_seconds=12)
    assert text.split("\n")[0].endswith("。")
    assert any(ending in text for ending in ("ください", "ません"))


def test_a_refused_rate_names_the_seconds_to_wait():
    """S4."""
    assert "12秒" in slack.refusal(RefusalCode.RATE_LIMITED, wait_seconds=12)
    assert "1秒" in slack.refusal(RefusalCode.RATE_LIMITED, wait_seconds=0)


@pytest.mark.parametrize("said", SPOKEN.values(), ids=SPOKEN)
def test_everything_said_is_said_in_japanese(said):
    assert any("\u3040" <= character <= "\u9fff" for character in _said(said))
