"""Pages of PDFs without text: the model writes them down, and they are cited like other pages."""

import asyncio
import base64
import json
from typing import Any

import pypdfium2
import pytest

from fetcher import wording
from fetcher.agent import AskRequest, open_agent
from fetcher.agent.tools import prefetching
from fetcher.settings import AgentSettings, Settings
from tests.engine import engine
from tests.fakes import answers
from tests.fakes.turns import call, cite, fail, say
from tests.fetcher.web.reading.documents.pdf_files import Page, pdf

URL = "http://ir.example/scan.pdf"


def _scan() -> Page:
    """A page on which something is drawn that is no text."""
    page = Page()
    page.content.append(b"0 0 0 rg 100 100 200 200 re f")
    return page


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(prefetching, "SECONDS", 20.0)


@pytest.fixture
def ask(internet, claude):
    def run(*pages: Page, **settings: Any):
        internet.route(URL, answers.answer(pdf(*pages), headers={"Content-Type": "application/pdf"}))
        given = {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.url, "model_max_retries": 0}
        given |= settings

        async def story():
            web = Settings()
            agent = open_agent(AgentSettings.model_validate(given), web, pipeline=engine(internet))
            return await agent.ask(AskRequest(question=f"{URL} 金額は？"), lambda _: None)

        return asyncio.run(story())

    return run


def _documents(claude):
    found = []
    for request in claude.requests:
        for block in request.json["messages"][-1]["content"]:
            if block["type"] == "document":
                found.append(base64.b64decode(block["source"]["data"]))
    return found


def test_a_page_without_text_is_written_down_and_cited_with_its_number(ask, claude, caplog):
    """Only that page leaves; the log says what it cost, and the answer's usage has it."""
    caplog.set_level("INFO")
    claude.script(say("契約金額は5,000円です。"), say("5,000円です。", citations=[cite(f"{URL}#page=2")]))
    answer = ask(Page().text(50, 80, "表紙の文字です。"), _scan())
    assert answer.sources[0].url == f"{URL}#page=2"
    assert answer.sources[0].title.endswith("（2ページ）")
    [sent] = _documents(claude)
    assert len(pypdfium2.PdfDocument(sent)) == 1
    [logged] = [record.fields for record in caplog.records if record.message == "scans_read"]
    assert (logged["pages"], logged["pages_read"]) == (1, 1)
    assert logged["input_tokens"] > 0
    assert answer.usage.calls == 2


def test_no_more_pages_go_than_settings_allow(ask, claude):
    claude.script(say("一"), say("二"), say("答えです。"))
    ask(*[_scan() for _ in range(5)], agent_scan_pages=2)
    assert len(_documents(claude)) == 2


def test_no_more_bytes_go_than_settings_allow(ask, claude):
    large = _scan()
    large.content += [
        f"{number * 7919 % 600} {number * 104_729 % 800} 9 9 re f".encode() for number in range(900)
    ]
    claude.script(say("読めませんでした。"))
    ask(large, agent_scan_bytes=1024)
    assert _documents(claude) == []
    assert "document_has_no_text" in json.dumps(claude.requests[-1].json)


def test_one_setting_keeps_scans_in_house(ask, claude):
    claude.script(say("読めませんでした。"))
    ask(_scan(), agent_scan_pages=0)
    assert _documents(claude) == []
    assert "document_has_no_text" in json.dumps(claude.requests[-1].json)


def test_an_empty_page_is_not_sent(ask, claude):
    claude.script(say("答えです。"))
    ask(Page().text(50, 80, "表紙の文字です。"), Page())
    assert _documents(claude) == []


def test_a_scan_that_the_model_does_not_read_is_said_to_be_missing(ask, claude):
    claude.script(fail(500), say("答えです。"))
    answer = ask(Page().text(50, 80, "表紙の文字です。"), _scan())
    assert wording.scans_left_out("scan.pdf", 1) in answer.undone


def test_links_in_a_scan_are_not_fetched(ask, claude, internet):
    """The model wrote them: nobody else has seen that they stand there."""
    other = "http://other.example/secret"
    claude.script(say(f"詳しくは {other}"), call("fetch_url", {"url": other}), say("開けませんでした。"))
    ask(_scan())
    assert "url_not_in_context" in json.dumps(claude.requests[-1].json)
