"""The documents of the sample web through the whole app: asked about, cited, exported, asked about again."""

import io

import pytest
from python_calamine import load_workbook

from fetcher.agent.tools import prefetching
from fetcher.sample import PAGES
from tests.fakes.turns import call, cite, say
from tests.slackapp.stage import CHANNEL, USER, Stage, claude_agent, sample_agent

REPORT = "http://ir.sample/kessan.pdf"
BOOK = "http://ir.sample/uriage.xlsx"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(prefetching, "SECONDS", 20.0)


@pytest.fixture
def offline(sqlite_settings, sample_port):
    with Stage(sqlite_settings, agent=sample_agent(sample_port)) as running:
        yield running


@pytest.fixture
def modelled(sqlite_settings, sample_port, claude):
    with Stage(sqlite_settings, agent=claude_agent(sample_port, claude)) as running:
        yield running


@pytest.mark.parametrize(
    ("url", "question", "words"),
    [
        (REPORT, "期末配当はいくら？", "35円"),
        (BOOK, "駅前店の開店日は？", "2022-11-15"),
        ("http://ir.sample/tenken.docx", "排気ダクトの清掃は？", "3か月に1回"),
        ("http://city.sample/kisyo.csv", "雨の日は？", "12.4"),
        ("http://city.sample/news.xml", "図書館のお知らせは？", "市立図書館の開館時間を延長します"),
    ],
)
def test_each_kind_of_document_is_asked_about(offline, url, question, words):
    ts = offline.mention(f"<{url}> {question}")
    [reply] = offline.settled(60).replies(ts)
    assert words in reply["text"]


def test_the_table_of_a_page_becomes_a_workbook(offline):
    ts = offline.mention(f"<{REPORT}> 2ページ目の表をExcelで")
    _, made = offline.settled(60).replies(ts)
    content = offline.slack.workspace.files.get(made["files"][0]["id"]).content
    rows = load_workbook(io.BytesIO(content)).get_sheet_by_index(0).to_python()
    assert ["売上高", 1000.0, 1200.0] in rows
    assert ["営業利益", -40.0, 96.0] in rows


def test_a_page_is_cited_and_a_dropped_file_follows(modelled, claude):
    """A question about a link, an export by the model, a file in the thread, and a question about that."""
    claude.script(
        call("export_table", {"url": BOOK, "tables": [1, 2, 3], "format": "xlsx"}),
        say("3枚のシートです。", citations=[cite(f"{BOOK}#page=2")]),
        say("利益は96です。", citations=[cite(1)]),
    )
    ts = modelled.mention(f"<{BOOK}> を1つのExcelにして")
    text, made = modelled.settled(60).replies(ts)
    assert f"<{BOOK}#page=2|uriage.xlsx（シート「店舗」）>" in text["text"]
    content = modelled.slack.workspace.files.get(made["files"][0]["id"]).content
    assert load_workbook(io.BytesIO(content)).sheet_names == ["売上", "店舗", "商品"]
    report = next(page.body() for page in PAGES if page.url == REPORT)
    modelled.slack.say(USER, CHANNEL, "営業利益は？", thread_ts=ts, files=[("短信.pdf", report)])
    assert "短信.pdf（2ページ）" in modelled.settled(60).replies(ts)[-1]["text"]
