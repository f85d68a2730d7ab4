"""docs/messages.md is made from the two catalogues: everything that a Slack user may be told."""

import inspect
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fetcher import messages_ja as engine
from fetcher.agent.errors import ToolRefused
from fetcher.codes import AgentCode, DocumentCode, ErrorCode, TruncationReason
from fetcher.web.errors import (
    DnsFailed,
    DocumentUnreadable,
    HttpClientError,
    NetworkFailed,
    SsrfBlocked,
    UnsupportedContentType,
)
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
    "in_environment": True,
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
ENGINE_TABLES = ("failure", "labelled_failure", "note", "answered_instead", "page_truncated")
NOT_IN_SLACK = (
    "fetching",
    "reading",
    "thinking",
    "written",
    "not_written",
    "sources_heading",
    "asking_example",
    "example_question",
)
"""Said on the command line and to callers of A2A."""
ENGINE_ARGUMENTS = ARGUMENTS | {
    "url": "https://example.com/price",
    "kilobytes": 512,
    "percent": 40,
    "page": 12,
    "sheet": "4月",
    "why": engine.note(AgentCode.FILE_GONE),
    "pages": 1200,
    "read": 1000,
    "shown": 60,
    "rows": 5000,
    "date": "2026-05-10",
    "name": "見積書.pdf",
    "error": UnsupportedContentType(content_type="video/mp4"),
    "left_out": 2,
    "most": 8,
    "table": "料金表",
    "tables": ("支店", "営業時間"),
    "formats": ("PowerPoint",),
    "queries": ("コーヒー豆 定期便", "珈琲 頒布会"),
}
OVERRIDES: dict[str, dict[str, Any]] = {
    "document_date": {"name": "CreationDate"},
    "file_refused": {"error": ToolRefused(AgentCode.FILE_TOO_LARGE, "")},
}


def _functions(owner, without):
    of_its_own = inspect.isfunction if inspect.ismodule(owner) else inspect.ismethod
    return {
        name: function
        for name, function in inspect.getmembers(owner, of_its_own)
        if not name.startswith("_")
        and name not in without
        and function.__module__ in (slack.__name__, engine.__name__)
    }


SPOKEN = _functions(slack, TABLES)
OF_ENGINE = _functions(engine, (*ENGINE_TABLES, *NOT_IN_SLACK))
OFFLINE = _functions(engine.OFFLINE, ())
BROWSER_TRUNCATION = (TruncationReason.BROWSER_DOM_TRUNCATED, TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL)
INTRODUCTION = """# What the app says

Every sentence that a Slack user may read, and the code that stands in the log beside it. This page is made
from `fetcher/messages_ja.py` and `slackapp/messages_ja.py` by `UPDATE_GOLDENS=1 pytest
tests/test_messages_page.py`. What an operator should do about a refusal stands in
[operations.md](operations.md).
"""


def _said(function):
    given = ENGINE_ARGUMENTS | OVERRIDES.get(function.__name__, {})
    return function(**{name: given[name] for name in inspect.signature(function).parameters})


def _table(heading, rows):
    def cell(text):
        return text.replace("|", "\\|").replace("\n", "<br>")

    lines = [f"| `{name}` | {cell(text)} |" for name, text in rows]
    return "\n".join([f"\n## {heading}\n", "| Name | Sentence |", "|---|---|", *lines, ""])


def _after_redirect():
    error = SsrfBlocked("", blocked_ip="10.0.0.5", cidr="10.0.0.0/8", toggle=None)
    error.after_redirect = True
    return error


NEVER_READ = (
    "application/pdf",
    "audio/mpeg",
    "video/mp4",
    "application/zip",
    "application/x-elf",
    "application/msword",
)


VARIANTS = {
    "ssrf_blocked, after a redirect": _after_redirect(),
    "dns_failed, without a network": DnsFailed(host="x.example", error="", is_certain=False),
    "http_4xx, 401 or 403": HttpClientError(status=401, status_text=""),
    "http_4xx, 404": HttpClientError(status=404, status_text=""),
    "http_4xx, 429": HttpClientError(status=429, status_text="", retry_after=30),
    "network, another answer": NetworkFailed("", error="", status=304, retryable=False),
    "network, no answer that HTTP knows": NetworkFailed("", error="", retryable=False),
    "any other unsupported_content_type": UnsupportedContentType(content_type="font/woff2"),
}
"""Errors that have another sentence than their code's."""


def _partly():
    for reason in BROWSER_TRUNCATION:
        yield reason, engine.page_truncated(ARGUMENTS["title"], reason)
    yield from ((name, _said(function)) for name, function in OF_ENGINE.items())


def _refused_files():
    codes = [*CODES[UploadRefused].split(), "posting_to_channel_denied", "any other"]
    return [(code, slack.upload_failed(ARGUMENTS["file_name"], code)) for code in codes]


def _page():
    refusals = [(code, slack.refusal(code, wait_seconds=12)) for code in RefusalCode]
    failures = [
        *((code, engine.failure(SAMPLES[code])) for code in ErrorCode),
        *((name, engine.failure(error)) for name, error in VARIANTS.items()),
    ]
    documents = [
        *((code, engine.failure(DocumentUnreadable(code, error=""))) for code in DocumentCode),
        *((kind, engine.failure(UnsupportedContentType(content_type=kind))) for kind in NEVER_READ),
    ]
    notes = [(code, engine.note(code)) for code in AgentCode]
    instead = [(code, engine.answered_instead(code)) for code in AgentCode]
    instead = [row for row, note in zip(instead, notes, strict=True) if row != note]
    return "".join(
        [
            INTRODUCTION,
            _table("Refusals of the guard", refusals),
            _table("Pages that cannot be read", failures),
            _table("Documents that cannot be read", documents),
            _table("What the agent left undone", notes),
            _table("Answers without the model", instead),
            _table("The offline reader", [(name, _said(said)) for name, said in OFFLINE.items()]),
            _table("Pages that were read in part, and what stands beside an answer", _partly()),
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


BANNED = ("ウェブ", "ボット", "取得", "つきで", "オフライン・リーダー", "ホームページ")
"""Other words for Web, アプリ, 読み取り, 出典付き and オフラインリーダー: one thing has one name."""
PAGES = ("docs/messages.md", "manifest.yml", "slackapp/playground/page/static/words.js")


@pytest.mark.parametrize("page", PAGES)
def test_one_thing_has_one_name(page):
    text = (PAGE.parent.parent / page).read_text("utf-8")
    assert [word for word in BANNED if word in text] == []


def test_people_are_asked_for_links_and_not_for_urls():
    sentences = [engine.failure(error) for error in (*SAMPLES.values(), *VARIANTS.values())]
    sentences += [engine.note(code) for code in AgentCode]
    assert [sentence for sentence in sentences if "URL" in sentence] == []


def test_only_callers_of_the_document_get_its_labels():
    """Slack gets sentences."""
    labelled = {engine.labelled_failure(error) for error in SAMPLES.values()}
    labels = {text.partition("：")[0] for text in labelled if "：" in text}
    assert labels == {
        "URLスキームエラー",
        "プライベートIPアクセス拒否",
        "タイムアウト",
        "HTTPエラー",
        "ネットワークエラー",
    }
    assert not any(text.startswith(tuple(labels)) for text in map(engine.failure, SAMPLES.values()))
