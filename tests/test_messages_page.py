"""All that a Slack user may be told, in both languages; `make messages` prints it as a page."""

import ast
import inspect
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fetcher.agent.errors import ToolRefused
from fetcher.agent.values import OFFER_KINDS as OFFERS
from fetcher.codes import AgentCode, DocumentCode, ErrorCode, TruncationReason
from fetcher.web.errors import (
    DnsFailed,
    DocumentUnreadable,
    HttpClientError,
    NetworkFailed,
    SsrfBlocked,
    UnsupportedContentType,
)
from fetcher.wording import fixed_ja
from fetcher.wording import messages as engine
from fetcher.wording.language import Language, speaking
from slackapp import wording as slack
from slackapp.codes import RefusalCode
from slackapp.listeners.payloads import LONGEST_URL
from slackapp.slack.errors import CODES, UploadRefused
from tests.fetcher.samples import SAMPLES

ROOT = Path(__file__).parent.parent
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
    "url": "https://example.com/price",
    "kilobytes": 512,
    "percent": 40,
    "page": 12,
    "sheet": "4月",
    "why": engine.note(AgentCode.FILE_GONE),
    "pages": 4,
    "rows": 5000,
    "name": "見積書.pdf",
    "error": UnsupportedContentType(content_type="video/mp4"),
    "left_out": 2,
    "most": 8,
    "table": "料金表",
    "tables": ("支店", "営業時間"),
    "formats": ("PowerPoint",),
    "sentence": engine.note(AgentCode.FETCH_LIMIT),
    "queries": ("コーヒー豆 定期便", "珈琲 頒布会"),
    "moment": datetime(2026, 5, 10, 9, 30, tzinfo=UTC),
    "reaction": "newspaper",
    "questions": 12,
    "tokens": 34_567,
    "contact": "U0123",
    "reason": slack.refusal(RefusalCode.USER_NOT_ALLOWED),
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
IN_ENGLISH = ARGUMENTS | {
    "question": "https://example.com/price make a CSV of the price table",
    "title": "Prices",
    "file_name": "prices.csv",
    "names": "prices.csv",
    "sheet": "April",
    "why": "it is gone.",
    "name": "offer.pdf",
    "table": "Prices",
    "tables": ("Branches", "Hours"),
    "sentence": "Some pages were not read.",
    "queries": ("coffee beans", "subscription"),
    "label": "public relations",
    "reason": "Your account may not use the app.",
}
OTHERWISE: dict[str, dict[str, Any]] = {
    "app_home, without a reaction": {"reaction": ""},
    "home_allowed, without a limit": {"questions": None, "tokens": None},
    "home_refused, without a contact": {"contact": ""},
    "home_refused, with a channel": {"contact": "C0123"},
    "home_thread, in direct messages": {"channel": "D0123"},
    "home_usage, of direct messages": {"channel": ""},
    "home_policy_heading, open to everyone": {"mode": "open"},
    "home_listed, a user": {"entity": "user", "entity_id": "U0123", "label": ""},
    "home_listed, a workspace": {"entity": "team", "entity_id": "T0123", "in_environment": False},
    "home_health, with a problem": {
        "is_ready": False,
        "store_answers": False,
        "model": "anthropic:claude",
        "has_browser": False,
    },
    "home_last_error, without one": {"event": "", "at": 0},
}
"""Messages that say something else with other parameters."""
TABLES = ("refusal", "suggested_prompts", "next_prompt", "upload_failed")
"""Functions with more than one message, which have tables of their own."""
ENGINE_TABLES = ("failure", "note", "answered_instead", "page_truncated")
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
BROWSER_TRUNCATION = (TruncationReason.BROWSER_DOM_TRUNCATED, TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL)
JAPANESE = re.compile("[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")
INTRODUCTION = """# What the app says

Every sentence that a Slack user may read, in Japanese and in English, and the code that stands in the log
beside it. The locale of the user's Slack chooses the language: English if it is English, Japanese for all
others. The answer itself has the language of the question. What an operator should do about a refusal stands
in docs/operations.md.
"""


def _functions(owner, without=()):
    """The messages of a catalogue, or the methods of one."""
    is_message = inspect.isfunction if inspect.ismodule(owner) else inspect.ismethod
    named = inspect.getmembers(owner, is_message)
    home = owner.__name__ if inspect.ismodule(owner) else type(owner).__module__
    return {
        name: function
        for name, function in named
        if function.__module__ == home and name not in without and not name.startswith("_")
    }


def _said(function, arguments):
    given = arguments | ({"error": TOO_LARGE} if function.__name__ == "file_refused" else {})
    return function(**{name: given[name] for name in inspect.signature(function).parameters})


TOO_LARGE = ToolRefused(AgentCode.FILE_TOO_LARGE, "")


def _after_redirect():
    error = SsrfBlocked("", blocked_ip="10.0.0.5", cidr="10.0.0.0/8", toggle=None)
    error.after_redirect = True
    return error


VARIANTS = {
    "ssrf_blocked, after a redirect": _after_redirect(),
    "dns_failed, without a network": DnsFailed(host="x.example", error="", is_certain=False),
    "http_4xx, 401 or 403": HttpClientError(status=401, status_text=""),
    "http_4xx, 404": HttpClientError(status=404, status_text=""),
    "http_4xx, 429": HttpClientError(status=429, status_text="", retry_after=30),
    "network, another status": NetworkFailed("", error="", status=304, answered=True),
    "network, no answer of HTTP": NetworkFailed("", error="", answered=True),
    "any other unsupported_content_type": UnsupportedContentType(content_type="font/woff2"),
}
"""Errors that have another sentence than their code's."""
NEVER_READ = (
    "application/pdf",
    "audio/mpeg",
    "video/mp4",
    "application/zip",
    "application/x-elf",
    "application/msword",
)


def _tables(arguments):
    """The page's tables by their headings: pairs of a name and a sentence."""
    notes = [(code, engine.note(code)) for code in AgentCode]
    instead = [(code, engine.answered_instead(code)) for code in AgentCode]
    uploads = [*CODES[UploadRefused].split(), "posting_to_channel_denied", "any other"]
    prompts = [*slack.suggested_prompts(), *(slack.next_prompt(each, arguments["url"]) for each in OFFERS)]
    named = ["1", "2", "3", *OFFERS]

    def every(owner, without=()):
        return [(name, _said(function, arguments)) for name, function in _functions(owner, without).items()]

    return {
        "Refusals of the guard": [(code, slack.refusal(code, wait_seconds=12)) for code in RefusalCode],
        "Pages that cannot be read": [
            *((code, engine.failure(SAMPLES[code])) for code in ErrorCode),
            *((name, engine.failure(error)) for name, error in VARIANTS.items()),
        ],
        "Documents that cannot be read": [
            *((code, engine.failure(DocumentUnreadable(code, error=""))) for code in DocumentCode),
            *((kind, engine.failure(UnsupportedContentType(content_type=kind))) for kind in NEVER_READ),
        ],
        "What the agent left undone": notes,
        "Answers without the model": [row for row in instead if row not in notes],
        "The offline reader": every(engine.OFFLINE),
        "Pages that were read in part, and what stands beside an answer": [
            *((reason, engine.page_truncated(arguments["title"], reason)) for reason in BROWSER_TRUNCATION),
            *every(engine, (*ENGINE_TABLES, *NOT_IN_SLACK)),
        ],
        "Suggested prompts": [
            (name, f"{title}: {text}") for name, (title, text) in zip(named, prompts, strict=True)
        ],
        "Files that Slack does not take, by its code": [
            (code, slack.upload_failed(arguments["file_name"], code)) for code in uploads
        ],
        "Everything else in Slack": [
            *every(slack, TABLES),
            *(
                (name, _said(getattr(slack, name.partition(",")[0]), arguments | others))
                for name, others in OTHERWISE.items()
            ),
        ],
    }


JAPANESE_TABLES = _tables(ARGUMENTS)
with speaking(Language.ENGLISH):
    ENGLISH_TABLES = _tables(IN_ENGLISH)
SAID = {f"{heading}: {name}": text for heading, rows in JAPANESE_TABLES.items() for name, text in rows}
SAID_IN_ENGLISH = {
    f"{heading}: {name}": text for heading, rows in ENGLISH_TABLES.items() for name, text in rows
}
IN_PAGES = [
    ("rows_left_out", fixed_ja.rows_left_out(60, 5000)),
    ("pages_left_out", fixed_ja.pages_left_out(1000, 1200)),
    ("document_date", fixed_ja.document_date("CreationDate", "2026-05-10")),
    ("feed_columns", ", ".join(fixed_ja.FEED_COLUMNS)),
]


def _page():
    def cell(text):
        return text.replace("|", "\\|").replace("\n", "<br>")

    parts = [INTRODUCTION]
    for heading, rows in JAPANESE_TABLES.items():
        english = dict(ENGLISH_TABLES[heading])
        lines = [f"| `{name}` | {cell(text)} | {cell(english[name])} |" for name, text in rows]
        parts.append(
            "\n".join([f"\n## {heading}\n", "| Name | Japanese | English |", "|---|---|---|", *lines, ""])
        )
    lines = [f"| `{name}` | {cell(text)} |" for name, text in IN_PAGES]
    heading = "Words in the text of pages, the same for everyone"
    parts.append("\n".join([f"\n## {heading}\n", "| Name | Words |", "|---|---|", *lines, ""]))
    return "".join(parts)


def test_a_message_with_a_choice_is_on_the_page_in_every_form():
    """What a user reads only sometimes is forgotten first."""
    shown = {*TABLES, *(name.partition(",")[0] for name in OTHERWISE)}
    choosing = {
        function.name
        for function in ast.parse(inspect.getsource(slack)).body
        if isinstance(function, ast.FunctionDef)
        and not function.name.startswith("_")
        and any(isinstance(part, ast.If | ast.IfExp | ast.Match) for part in ast.walk(function))
    }
    assert choosing - shown == set()


def test_no_japanese_is_left_in_english():
    assert {name: text for name, text in SAID_IN_ENGLISH.items() if JAPANESE.search(text)} == {}


def test_english_sentences_are_sentences():
    ends = (".", "`", "!", ")", '"', "…")
    tables = ("Refusals of the guard", "Pages that cannot be read", "What the agent left undone")
    told = [text for table in tables for _, text in ENGLISH_TABLES[table]]
    assert [text for text in told if not text.endswith(ends) or not text[0].isupper()] == []


@pytest.mark.parametrize("code", list(RefusalCode))
def test_every_refusal_says_what_happened_and_what_to_do(code):
    text = slack.refusal(code, wait_seconds=12)
    assert text.split("\n")[0].endswith("。")
    assert any(ending in text for ending in ("ください", "ません"))


def test_a_refused_rate_names_the_seconds_to_wait():
    """S4."""
    assert "12秒" in slack.refusal(RefusalCode.RATE_LIMITED, wait_seconds=12)
    assert "1秒" in slack.refusal(RefusalCode.RATE_LIMITED, wait_seconds=0)
    assert "12 seconds" in SAID_IN_ENGLISH["Refusals of the guard: rate_limited"]


def test_the_modal_names_the_longest_link_that_it_takes():
    assert f"{LONGEST_URL:,}" in slack.modal_url_invalid()
    assert f"{LONGEST_URL:,}" in SAID_IN_ENGLISH["Everything else in Slack: modal_url_invalid"]


def test_one_is_not_many_in_english():
    with speaking(Language.ENGLISH):
        assert slack.home_allowed(1, 0).endswith("Left today: 1 question, 0 tokens")
        assert slack.home_usage("C0123", 1, 1) == "• <#C0123>: 1 question (1 token)"


def test_everything_said_is_said_in_japanese():
    names_alone = {name for name, text in SAID.items() if not JAPANESE.search(text)}
    assert names_alone == set()


BANNED = (
    *("ウェブ", "ボット", "取得", "つきで", "オフライン・リーダー", "ホームページ"),
    *("読み込", "ブラウザー", "公開チャンネル", "ほかの組織", "回答を生成"),
)
"""Other words for Web, アプリ, 読み取り, 出典付き, オフラインリーダー, ブラウザ, パブリックチャンネル,
社外 and 作成: one thing has one name."""
PAGES = ("manifest.yml", "slackapp/playground/page/static/words.js")


@pytest.mark.parametrize("text", [_page(), *((ROOT / page).read_text("utf-8") for page in PAGES)])
def test_one_thing_has_one_name(text):
    assert [word for word in BANNED if word in text] == []


def test_people_are_asked_for_links_and_not_for_urls():
    assert {name: text for name, text in SAID.items() if "URL" in text} == {}


def test_only_callers_of_the_document_get_its_labels():
    """Slack gets sentences."""
    labelled = {fixed_ja.labelled_failure(error) for error in SAMPLES.values()}
    labels = {text.partition("：")[0] for text in labelled if "：" in text}
    assert labels == {
        "URLスキームエラー",
        "プライベートIPアクセス拒否",
        "タイムアウト",
        "HTTPエラー",
        "ネットワークエラー",
    }
    assert not any(label in text for label in labels for text in SAID.values())


if __name__ == "__main__":
    print(_page())  # noqa: T201 - a command
