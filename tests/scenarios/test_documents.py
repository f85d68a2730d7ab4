"""Documents through the whole engine and the agent: limits, refusals, citations with pages, workbooks."""

import asyncio
import io
from typing import Any

import pytest
from python_calamine import load_workbook

from fetcher.agent import AskRequest, open_agent
from fetcher.codes import DocumentCode
from fetcher.settings import AgentSettings, Settings
from fetcher.web.errors import DocumentUnreadable, FetchError, ResponseTooLarge
from fetcher.web.fetch_url import fetch_url, quick
from fetcher.web.tool import WebFetchTool
from tests.engine import engine
from tests.fakes import answers, misbehaviour
from tests.fakes.turns import call, cite, say
from tests.fetcher.web.reading.documents.bombs import far_cell_otherwise
from tests.fetcher.web.reading.documents.office_files import archive, rows, workbook
from tests.fetcher.web.reading.documents.pdf_files import Page, pdf

REPORT = "http://ir.example/report.pdf"
ROWS = [["項目", "前期", "当期"], ["売上高", "1,000", "1,200"], ["利益", "△100", "250"]]
ERROR_PAGE = "<!doctype html><title>404</title><p>" + "お探しの資料はありません。" * 9
UNTOLD = {"Content-Type": "application/octet-stream"}
PDF = {"Content-Type": "application/pdf"}


def _report() -> bytes:
    first = Page().text(50, 80, "決算短信", 20).text(50, 120, "当期の概要は次のページの表のとおりです。")
    second = Page().text(50, 80, "業績の表です。売上高は千二百万円になりました。")
    return pdf(first, second.grid([50, 150, 250, 350], [120, 140, 160, 180], ROWS), title="決算短信")


def _read(internet, url=REPORT, **settings):
    return asyncio.run(fetch_url(engine(internet, **settings), url))


def _fetch(internet, url=REPORT, **settings):
    pipeline = engine(internet, **settings)
    return asyncio.run(pipeline.fetch(url, quick(pipeline.settings)))


def _ask(internet, question, claude=None):
    given: dict[str, Any] = {"model_provider": "" if claude else "offline"}
    if claude:
        given |= {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.url, "model_max_retries": 0}

    async def story():
        agent = open_agent(AgentSettings.model_validate(given), Settings(), pipeline=engine(internet))
        return await agent.ask(AskRequest(question=question), lambda _: None)

    return asyncio.run(story())


@pytest.mark.parametrize("content_type", ["application/pdf", "application/octet-stream", "text/html", None])
def test_a_pdf_is_read_whatever_it_is_called(internet, content_type):
    internet.route(REPORT, answers.answer(_report(), headers={"Content-Type": content_type}))
    text = _read(internet)
    assert text.startswith("# 決算短信\n")
    assert "| 売上高 | 1,000 | 1,200 |" in text


def test_web_fetch_refuses_what_it_refuses(internet):
    """The SRD's tool takes no documents, and asks for no byte of their bodies."""
    internet.route(REPORT, answers.answer(_report(), headers=PDF))
    tool = WebFetchTool(Settings(), engine(internet))
    with pytest.raises(FetchError) as caught:
        asyncio.run(tool.execute({"url": REPORT}))
    assert caught.value.code == "unsupported_content_type"


def test_documents_have_limits_of_their_own(internet):
    """A text of this size is cut; a document is read whole, or refused where it is too large for that."""
    body = _report() + b"%" + b" " * (600 * 1024)
    internet.route(REPORT, answers.answer(body, headers=PDF))
    page = _fetch(internet)
    assert not page.cut
    assert "業績の表" in page.document.markdown
    with pytest.raises(ResponseTooLarge) as caught:
        _fetch(internet, documents={"max_bytes": 100_000})
    assert caught.value.details["max_bytes"] == 100_000


def test_a_document_may_take_longer_than_a_page(internet):
    """The quick read's time holds until the first bytes show a document; its own time holds from then on."""
    internet.route(REPORT, misbehaviour.stall_body(_report()[:2000], headers=PDF))
    with pytest.raises(FetchError) as caught:
        _fetch(internet, timeout_seconds=1, documents={"timeout_seconds": 2})
    assert (caught.value.code, caught.value.details["timeout_ms"]) == ("timeout", 2000)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"PK\x03\x04" + bytes(26) + b"photos/1.jpg", "圧縮ファイル"),
        (b"\x1f\x8b\x08" + bytes(20), "圧縮ファイル"),
        (b"\x00\x00\x00\x18ftypmp42", "動画ファイル"),
        (b"ID3\x04" + bytes(20), "音声ファイル"),
        (b"MZ\x90\x00" + bytes(60), "実行ファイル"),
        (b"\x89PNG\r\n\x1a\n", "画像ファイル"),
    ],
)
@pytest.mark.parametrize("content_type", ["text/html", "application/octet-stream"])
def test_what_is_never_read_is_refused_by_its_first_bytes(internet, head, words, content_type):
    """The rest of the body never comes, and the answer does not wait for it."""
    script = misbehaviour.stall_body(head + bytes(2000), headers={"Content-Type": content_type})
    internet.route(REPORT, script)
    assert words in _read(internet)


@pytest.mark.parametrize(
    ("body", "content_type", "words"),
    [
        (b"", "application/pdf", "壊れている"),
        (_report()[:500], "application/pdf", "壊れている"),
        (ERROR_PAGE.encode(), "application/pdf", "資料はありません"),
        (b" " * 300_000, "application/pdf", "壊れている"),
        (archive({"word/document.xml": "broken"}), None, "壊れている"),
        (pdf(Page()), "application/pdf", "スキャン"),
        (far_cell_otherwise(), None, "大きすぎる"),
    ],
    ids=["zero bytes", "cut", "error page", "spaces", "not a document", "scan", "bomb"],
)
def test_bad_input_ends_in_a_sentence(internet, body, content_type, words):
    internet.route(REPORT, answers.answer(body, headers={"Content-Type": content_type}))
    assert words in _read(internet)


def test_a_bomb_among_pages_holds_nobody_up(internet):
    """Other pages and documents of the same process are read while it is."""
    internet.route("http://evil.example/x", answers.answer(far_cell_otherwise(), headers=UNTOLD))
    internet.route(REPORT, answers.answer(_report(), headers=PDF))
    internet.page("http://shop.example/", "<p>" + "無事な文章です。" * 20)

    async def story():
        pipeline = engine(internet)
        urls = ("http://evil.example/x", REPORT, "http://shop.example/")
        fetches = (pipeline.fetch(url, quick(pipeline.settings)) for url in urls)
        return await asyncio.gather(*fetches, return_exceptions=True)

    bomb, report, shop = asyncio.run(story())
    assert isinstance(bomb, DocumentUnreadable)
    assert bomb.code is DocumentCode.DOCUMENT_TOO_LARGE
    assert "業績" in report.document.markdown
    assert "無事" in shop.document.markdown


def test_a_source_names_the_page_and_links_to_it(internet, claude):
    internet.route(REPORT, answers.answer(_report(), headers=PDF))
    claude.script(
        call("fetch_url", {"url": REPORT}),
        say("売上高は千二百万円です", citations=[cite(f"{REPORT}#page=2", 0, 1)]) + say("。"),
    )
    answer = _ask(internet, f"{REPORT} の売上高は？", claude)
    [source] = answer.sources
    assert (source.title, source.url) == ("決算短信（2ページ）", f"{REPORT}#page=2")
    shown = str(claude.requests[-1])
    assert f"{REPORT}#page=1" in shown
    assert "(page 2)" in shown  # the table's place


def test_the_table_of_a_page_becomes_a_workbook(internet):
    """Without a model too; numbers are numbers."""
    internet.route(REPORT, answers.answer(_report(), headers=PDF))
    answer = _ask(internet, f"{REPORT} の2ページ目の表をExcelで")
    [file] = answer.files
    assert file.file_name.endswith(".xlsx")
    assert load_workbook(io.BytesIO(file.content)).get_sheet_by_index(0).to_python() == [
        ["項目", "前期", "当期"],
        ["売上高", 1000.0, 1200.0],
        ["利益", -100.0, 250.0],
    ]


def test_several_sheets_become_one_workbook(internet):
    url = "http://files.example/book.xlsx"
    sheets = {"売上": rows([["店", "額"], ["本店", 10]]), "在庫": rows([["品", "数"], ["箱", 3]])}
    internet.route(url, answers.answer(workbook(sheets), headers=UNTOLD))
    answer = _ask(internet, f"{url} の表をすべてエクセルでください")
    [file] = answer.files
    assert load_workbook(io.BytesIO(file.content)).sheet_names == ["売上", "在庫"]


def test_a_csv_wish_is_still_a_csv(internet):
    internet.route(REPORT, answers.answer(_report(), headers=PDF))
    [file] = _ask(internet, f"{REPORT} の表をCSVで").files
    assert file.file_name.endswith(".csv")


def test_the_model_may_ask_for_excel(internet, claude):
    internet.route(REPORT, answers.answer(_report(), headers=PDF))
    claude.script(
        call("fetch_url", {"url": REPORT}),
        call("export_table", {"url": REPORT, "table": 1, "format": "xlsx", "file_name": "業績"}),
        say("添付しました。"),
    )
    [file] = _ask(internet, f"{REPORT} の表をExcelで", claude).files
    assert file.file_name == "業績.xlsx"
