"""The model's tools: what they give it, what they refuse, what they make."""

import asyncio
import json
import re
import threading
import time

import pytest

from fetcher.agent.files.answer_files import FilePolicy, table_file
from fetcher.agent.safety.provenance import FetchPolicy, Provenance
from fetcher.agent.tools import file_tools
from fetcher.agent.tools.definitions import DEFINITIONS
from fetcher.agent.tools.incomplete import NOTES
from fetcher.agent.tools.open_pages import OpenPages
from fetcher.agent.tools.toolbox import Toolbox, ToolSettings
from fetcher.agent.values import Progress, Step
from fetcher.codes import AgentCode, ErrorCode, Note
from fetcher.settings import WebFetchSettings
from tests.engine import engine
from tests.fakes import answers

PAGE = "http://shop.example/price"
TABLE = "<table><caption>料金表</caption><tr><th>品<th>円<tr><td>豆<td>980<tr><td>=1+1<td>-5</table>"
ARTICLE = "<title>価格</title><article>" + "".join(
    f"<h2>節{number}</h2><p>{'これは本文です。コーヒー豆の値段について書いています。' * 6}{number}番。</p>"
    for number in range(30)
)


@pytest.fixture
def box(internet):
    """A function that makes a toolbox for a conversation that shows some links."""

    def make(*links, max_files=5, max_fetches=8, notes=None, max_page_parts=8, **web):
        seen: list[Progress] = []
        policy = FetchPolicy(
            max_fetches=max_fetches, max_url_chars=2000, allowed_domains=(), blocked_domains=()
        )
        pages = OpenPages(engine(internet, **web), Provenance(links, policy), seen.append)
        files = FilePolicy(max_bytes=10_000, types=("text/csv", "application/json", "text/plain"))
        settings = ToolSettings(
            web=WebFetchSettings(), files=files, max_files=max_files, max_page_parts=max_page_parts
        )
        toolbox = Toolbox(pages, settings, notes)
        toolbox.seen = seen  # type: ignore[attr-defined]  # for the tests of progress
        return toolbox

    return make


def _run(toolbox, *calls):
    """The results of some calls, made one after the other, each shown to the model."""

    async def story():
        results = []
        for number, (name, arguments) in enumerate(calls):
            call = {"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments}
            results.append(await toolbox.run(call))
            await toolbox.show(results[-1]["content"])
        return results

    return asyncio.run(story())


def _error(result):
    assert result["is_error"]
    return json.loads(result["content"])


def test_fetch_url_gives_the_page_as_small_citable_passages(internet, box):
    """A8."""
    internet.page(PAGE, ARTICLE)
    [result] = _run(box(PAGE), ("fetch_url", {"url": PAGE}))
    [page, *_] = result["content"]
    assert (page["type"], page["source"], page["title"]) == ("search_result", PAGE, "価格")
    assert page["citations"] == {"enabled": True}
    assert all(len(block["text"]) < 1500 for block in page["content"])
    assert len(page["content"]) > 5


def _long_page(internet, paragraphs=600):
    words = "".join(f"<p>{n}番目の段落です。{'値段と品質について。' * 12}</p>" for n in range(paragraphs))
    internet.page(PAGE, f"<article><h1>長い</h1>{words}</article>")


def test_the_title_and_the_day_of_a_story_come_before_its_first_passage(internet, box):
    """They can be cited and found; what is read on from a later place does not repeat them."""
    above = "<title>豆の話 | 新聞</title><h1>豆の話</h1><p>山田 2026年4月2日</p>"
    story = "".join(
        f"<p>{number}番。{'コーヒー豆の値段について書いています。' * 5}</p>" for number in range(100)
    )
    internet.page(PAGE, f"{above}<article>{story}</article>")
    first, later, found = _run(
        box(PAGE),
        ("fetch_url", {"url": PAGE}),
        ("fetch_url", {"url": PAGE, "start": 3000}),
        ("find_in_page", {"url": PAGE, "query": "いつ書かれましたか 日付"}),
    )
    assert first["content"][0]["content"][0]["text"] == "# 豆の話\n\n山田 2026年4月2日"
    assert "山田" not in json.dumps(later, ensure_ascii=False)
    assert "2026年4月2日" in json.dumps(found, ensure_ascii=False)


def test_a_long_page_is_read_on_from_where_it_continues(internet, box):
    """Every paragraph is shown once, and each result says where the next begins."""
    _long_page(internet)
    toolbox, shown, start = box(PAGE), "", 0
    for _ in range(9):
        [result] = _run(toolbox, ("fetch_url", {"url": PAGE, "start": start}))
        texts = [block["text"] for block in result["content"][0]["content"]]
        assert sum(map(len, texts)) <= 42_000
        shown += "".join(texts)
        place = result["content"][1]["text"]
        if "continues at" not in place:
            break
        [start] = map(int, re.findall(r"start=(\d+)", place))
    assert "This is the end." in place
    assert [int(n) for n in re.findall(r"(\d+)番目の段落", shown)] == list(range(600))


def test_reading_on_beyond_the_end_says_where_it_is(internet, box):
    internet.page(PAGE, ARTICLE)
    [result] = _run(box(PAGE), ("fetch_url", {"url": PAGE, "start": 10**9}))
    assert "The page ends at" in result["content"][0]["text"]


class Notes:
    """Notes that quote the numbers of the paragraphs."""

    def __init__(self, failing=()):
        self.failing = failing
        self.calls = 0

    async def make(self, parts, page, focus):
        self.calls += 1
        found = [re.findall(r"(\d+)番目", "".join(part)) for part in parts]
        return [
            None if number in self.failing else f"{numbers[0]}-{numbers[-1]}"
            for number, numbers in enumerate(found)
        ]


@pytest.mark.parametrize(
    ("most", "failing", "told"),
    [(8, (), "The whole page."), (1, (), "miss the characters"), (8, (1,), "miss the characters")],
)
def test_a_page_is_noted_part_by_part_and_what_is_missing_is_said(internet, box, most, failing, told):
    _long_page(internet)
    toolbox = box(PAGE, notes=Notes(failing), max_page_parts=most)
    read = ("fetch_url", {"url": PAGE})
    result = _run(toolbox, read, ("read_through", {"url": PAGE, "focus": "要約"}))[1]
    notes = [block["text"].splitlines()[1] for block in result["content"][0]["content"]]
    assert notes[0].startswith("0-")
    assert told in result["content"][1]["text"]
    assert bool(toolbox.shortfalls) is (told != "The whole page.")
    if most > 1 and not failing:
        assert notes[-1].endswith("-599")


@pytest.mark.parametrize("failing", [(), range(100)])
def test_notes_of_a_page_are_made_once(internet, box, failing):
    """Each part is a call of the model: one that obeys a page would have them made without end."""
    _long_page(internet)
    notes = Notes(failing)
    toolbox = box(PAGE, notes=notes)
    calls = [
        {"id": f"n{n}", "name": "read_through", "input": {"url": PAGE, "focus": f"{n}"}} for n in range(9)
    ]

    async def side_by_side():
        return await asyncio.gather(*map(toolbox.run, calls))

    _run(toolbox, ("fetch_url", {"url": PAGE}))
    [result] = {json.dumps(result | {"tool_use_id": ""}) for result in asyncio.run(side_by_side())}
    assert ("model_unavailable" in result) is bool(failing)
    assert notes.calls == 1
    assert (
        len(
            _run(toolbox, ("web_fetch", {"url": PAGE, "no_cache": True}), ("read_through", calls[0]["input"]))
        )
        == 2
    )
    assert notes.calls == 2


def test_a_refusal_quotes_a_page_in_one_bounded_line_without_what_nobody_sees(internet, box):
    hidden = "\ufe00\ufe01\ufe02\u3164"
    names = "".join(f"<th>列{number}{hidden}{'あ' * 2000}" for number in range(9))
    internet.page(PAGE, f"{ARTICLE}<table><tr>{names}<tr>{'<td>1' * 9}</table>")
    wanted = {"url": PAGE, "table": 1, "format": "csv", "columns": ["x"]}
    refusal = _run(box(PAGE), ("fetch_url", {"url": PAGE}), ("export_table", wanted))[1]["content"]
    assert json.loads(refusal)["message"].startswith("The table has no column 'x'; it has: 列0あ")
    assert len(refusal) < 2000
    assert not set(hidden) & set(refusal)


def test_a_page_that_is_read_again_is_searched_as_it_is_now(internet, box):
    """A fresh copy, or one that a browser filled, replaces the first one."""
    toolbox = box(PAGE)
    find = ("find_in_page", {"url": PAGE, "query": "定休日"})
    internet.page(PAGE, "<article><h1>店</h1><p>定休日は月曜です。お待ちしています。</p></article>")
    before = _run(toolbox, ("fetch_url", {"url": PAGE}), find)[1]
    internet.page(PAGE, "<article><h1>店</h1><p>定休日は木曜です。お待ちしています。</p></article>")
    after = _run(toolbox, ("web_fetch", {"url": PAGE, "no_cache": True}), find)[1]
    assert "月曜" in json.dumps(before, ensure_ascii=False)
    assert "木曜" in json.dumps(after, ensure_ascii=False)
    assert "月曜" not in json.dumps(after, ensure_ascii=False)


@pytest.mark.parametrize("start", [-5, -1, 0])
def test_a_start_before_the_page_is_its_beginning(internet, box, start):
    """With its tables and links, as without a start."""
    internet.page(PAGE, ARTICLE + TABLE)
    plain, started = _run(
        box(PAGE), ("fetch_url", {"url": PAGE}), ("fetch_url", {"url": PAGE, "start": start})
    )
    assert started["content"] == plain["content"]


def test_a_short_page_needs_no_notes(internet, box):
    internet.page(PAGE, ARTICLE)
    results = _run(
        box(PAGE, notes=Notes()),
        ("fetch_url", {"url": PAGE}),
        ("read_through", {"url": PAGE, "focus": "要約"}),
    )
    assert results[0]["content"] == results[1]["content"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fetch_url", {"URL": PAGE}),
        ("fetch_url", {"Url": PAGE, "headers": {"a": "b"}}),
    ],
)
def test_what_is_unmistakable_is_understood(internet, box, name, arguments):
    """Parameters in another case, and those that no tool has."""
    internet.page(PAGE, ARTICLE)
    [result] = _run(box(PAGE), (name, arguments))
    assert result["content"][0]["source"] == PAGE


@pytest.mark.parametrize("name", ["Fetch_URL", "fetchUrl", "fetch-url"])
def test_a_tools_name_is_exact_and_the_right_one_is_told(internet, box, name):
    """SRD FR-WF-01: case-sensitive, no aliases."""
    internet.page(PAGE, ARTICLE)
    [result] = _run(box(PAGE), (name, {"url": PAGE}))
    assert _error(result)["code"] == AgentCode.TOOL_UNKNOWN
    assert _error(result)["message"].endswith("Call it by its exact name: fetch_url")
    assert internet.web.requests == []


@pytest.mark.parametrize(
    "work",
    [
        "fetcher.agent.tools.open_pages.find_links",
        "fetcher.agent.safety.provenance.find_links",
    ],
)
def test_a_large_page_holds_nobody_else_up(internet, box, monkeypatch, work):
    """What takes its time with a page does so beside the event loop, which goes on."""
    internet.page(PAGE, ARTICLE)
    toolbox, went_on = box(PAGE), threading.Event()

    async def story():
        loop = asyncio.get_running_loop()

        def slow(*_):
            loop.call_soon_threadsafe(went_on.set)
            return () if went_on.wait(60) else None

        monkeypatch.setattr(work, slow)
        call = {"type": "tool_use", "id": "t", "name": "fetch_url", "input": {"url": PAGE}}
        result = await toolbox.run(call)
        await toolbox.show(result["content"])
        return result

    assert "is_error" not in asyncio.run(story())
    assert went_on.is_set()


def test_web_fetch_checks_its_arguments(internet, box):
    internet.page(PAGE, ARTICLE)
    results = _run(
        box(PAGE),
        ("web_fetch", {"url": PAGE, "no_cache": True}),
        ("web_fetch", {"url": " "}),
        ("web_fetch", {"url": PAGE, "no_cache": "yes"}),
    )
    assert results[0]["content"][0]["type"] == "search_result"
    assert [_error(result)["code"] for result in results[1:]] == ["bad_args", "bad_args"]


def test_a_browser_that_is_asked_for_is_asked(internet, box):
    internet.page(PAGE, ARTICLE)
    [result] = _run(box(PAGE), ("web_fetch", {"url": PAGE, "force_browser": True}))
    assert _error(result)["code"] == "browser_unavailable"


def test_the_model_hears_that_a_page_may_be_incomplete(internet, box):
    """The page needs a browser, and none is installed: the part that was read must not pass for the whole."""
    internet.page(PAGE, '<div id="root"></div><p>Please enable scripts.</p>')
    [result] = _run(box(PAGE), ("web_fetch", {"url": PAGE}))
    texts = [block["text"] for block in result["content"] if block["type"] == "text"]
    assert texts == [NOTES[Note.BROWSER_UNAVAILABLE_USED_HTTP]]


def test_find_in_page_finds_japanese_passages_of_a_read_page(internet, box):
    special = "<h2>解約</h2><p>解約は次回発送日の七日前までにお手続きください。違約金はありません。</p>"
    internet.page(PAGE, ARTICLE + special + ARTICLE)
    results = _run(
        box(PAGE), ("fetch_url", {"url": PAGE}), ("find_in_page", {"url": PAGE, "query": "解約の締め切り"})
    )
    found = results[1]["content"][0]
    assert found["source"] == PAGE
    assert any("七日前" in block["text"] for block in found["content"])
    assert len(found["content"]) <= 8


def test_find_in_page_needs_a_page_that_was_read(box):
    [result] = _run(box(PAGE), ("find_in_page", {"url": PAGE, "query": "x"}))
    assert _error(result)["code"] == AgentCode.PAGE_NOT_READ


def test_tables_are_told_apart_and_none_is_passed_over_in_silence(internet, box):
    """Tables of the same columns are known by their first rows, those beyond the list by their numbers."""
    row = "<table><tr><th>時間<th>料金<tr><td>{}<td>500円<tr><td>x<td>9円</table>"
    internet.page(
        PAGE, f"<main><h1>料金</h1><p>本文</p>{''.join(row.format(f'{at}時') for at in range(22))}</main>"
    )
    [result] = _run(box(PAGE), ("fetch_url", {"url": PAGE}))
    listed = result["content"][-1]["text"].splitlines()
    assert "2. 時間 / 料金 (first row: 1時 / 500円): 2 rows" in listed
    assert listed[-1] == "Tables 21 to 22 are not listed; export_table takes their numbers."


def test_export_table_makes_the_file_without_retyping(internet, box):
    """A6, S9: byte for byte."""
    internet.page(PAGE, f"<main><h1>料金</h1><p>本文</p>{TABLE}</main>")
    toolbox = box(PAGE)
    results = _run(
        toolbox,
        ("fetch_url", {"url": PAGE}),
        ("export_table", {"url": PAGE, "table": 1, "format": "csv"}),
        ("export_table", {"url": PAGE, "table": 1, "format": "json", "file_name": "../../料金"}),
    )
    assert "1. 料金表: 2 rows" in results[0]["content"][-1]["text"]
    csv, as_json = toolbox.files
    assert csv.content == "\ufeff品,円\r\n豆,980\r\n'=1+1,-5\r\n".encode()
    assert (csv.file_name, csv.mime_type) == ("料金表.csv", "text/csv")
    assert json.loads(as_json.content) == [{"品": "豆", "円": "980"}, {"品": "=1+1", "円": "-5"}]
    assert "/" not in as_json.file_name


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_table_that_is_not_there_is_refused(internet, box, number):
    internet.page(PAGE, f"<main><p>本文</p>{TABLE}</main>")
    results = _run(
        box(PAGE),
        ("fetch_url", {"url": PAGE}),
        ("export_table", {"url": PAGE, "table": number, "format": "csv"}),
    )
    assert _error(results[1])["code"] == AgentCode.NO_SUCH_TABLE


def test_files_come_in_the_order_in_which_they_were_asked_for(internet, box, monkeypatch):
    """The calls of one turn run side by side, and the first file can take longest."""
    internet.page(PAGE, f"<article><h1>価格</h1>{TABLE}</article>")

    def make_csv_slowly(*given, kind, **options):
        time.sleep(0.1 if kind == "csv" else 0)
        return table_file(*given, kind=kind, **options)

    monkeypatch.setattr(file_tools, "table_file", make_csv_slowly)
    toolbox = box(PAGE)
    _run(toolbox, ("fetch_url", {"url": PAGE}))

    async def together():
        wanted = [{"url": PAGE, "table": 1, "format": kind} for kind in ("csv", "json")]
        calls = [{"type": "tool_use", "id": "t", "name": "export_table", "input": each} for each in wanted]
        await asyncio.gather(*map(toolbox.run, calls))

    asyncio.run(together())
    assert [file.file_name for file in toolbox.files] == ["料金表.csv", "料金表.json"]


def test_create_file_keeps_to_types_sizes_and_numbers(box):
    toolbox = box(max_files=1)
    results = _run(
        toolbox,
        ("create_file", {"file_name": "a.exe", "mime_type": "application/x-msdownload", "content": "MZ"}),
        ("create_file", {"file_name": "a.txt", "mime_type": "text/plain", "content": "x" * 10_001}),
        ("create_file", {"file_name": "a.json", "mime_type": "application/json", "content": "{broken"}),
        ("create_file", {"file_name": "メモ.txt", "mime_type": "text/plain", "content": "こんにちは"}),
        ("create_file", {"file_name": "b.txt", "mime_type": "text/plain", "content": "x"}),
    )
    codes = [_error(result)["code"] for result in (*results[:3], results[4])]
    assert codes == ["file_type_not_allowed", "file_too_large", "file_invalid", "file_limit"]
    assert [file.file_name for file in toolbox.files] == ["メモ.txt"]


def test_a_url_that_nobody_mentioned_is_not_fetched(internet, box):
    """A3."""
    internet.page("http://evil.example/", "x")
    [result] = _run(box(PAGE), ("fetch_url", {"url": "http://evil.example/"}))
    assert _error(result) | {"message": ""} == {
        "code": "url_not_in_context",
        "message": "",
        "retryable": False,
    }
    assert internet.web.requests == []


def test_a_link_of_a_read_page_may_be_followed(internet, box):
    internet.page(PAGE, f"<main><p>{'本文です。' * 40}<a href='/next'>次へ</a></p></main>")
    internet.page("http://shop.example/next", "<p>二頁目</p>")
    results = _run(
        box(PAGE), ("fetch_url", {"url": PAGE}), ("fetch_url", {"url": "http://shop.example/next"})
    )
    assert results[1]["content"][0]["source"] == "http://shop.example/next"


def test_fetches_are_counted(internet, box):
    links = [f"http://shop.example/{number}" for number in range(3)]
    for link in links:
        internet.page(link, "<p>x</p>")
    results = _run(box(*links, max_fetches=2), *(("fetch_url", {"url": link}) for link in links))
    assert _error(results[2])["code"] == AgentCode.FETCH_LIMIT


@pytest.mark.parametrize(
    ("script", "code", "retryable"),
    [
        (answers.answer(status=404), "http_4xx", False),
        (answers.answer(status=503), "http_5xx", True),
        (
            answers.answer("%PDF-", headers={"Content-Type": "application/pdf"}),
            "document_damaged",
            False,
        ),
        (answers.redirect("http://169.254.169.254/"), "ssrf_blocked", False),
    ],
)
def test_a_failed_fetch_is_a_typed_result(internet, box, script, code, retryable):
    """E18: the model is told enough to go on, and no inner address."""
    internet.route(PAGE, script)
    [result] = _run(box(PAGE), ("fetch_url", {"url": PAGE}))
    error = _error(result)
    assert (error["code"], error["retryable"]) == (code, retryable)
    assert "169.254" not in result["content"]


@pytest.mark.parametrize(
    "call",
    [
        ("rm_rf", {}),
        ("fetch_url", {}),
        ("fetch_url", {"url": 7}),
        ("fetch_url", {"url": PAGE, "start": "1"}),
        ("fetch_url", "not an object"),
        ("export_table", {"url": PAGE, "table": "1", "format": "csv"}),
        ("export_table", {"url": PAGE, "table": 1, "format": "pdf"}),
        ("export_table", {"url": PAGE, "table": True, "format": "csv"}),
    ],
)
def test_nonsense_is_answered_and_not_obeyed(box, call):
    [result] = _run(box(PAGE), call)
    assert _error(result)["code"] in {AgentCode.TOOL_UNKNOWN, ErrorCode.BAD_ARGS}


def test_slack_links_are_explained(box):
    link = "https://team.slack.com/archives/C1/p2"
    [result] = _run(box(link), ("fetch_url", {"url": link}))
    assert _error(result)["code"] == AgentCode.SLACK_PERMALINK


def test_whoever_watches_sees_what_is_read(internet, box):
    internet.page(PAGE, ARTICLE)
    toolbox = box(PAGE)
    _run(toolbox, ("fetch_url", {"url": PAGE}))
    seen = [(progress.step, progress.url, progress.title) for progress in toolbox.seen]
    assert seen == [(Step.FETCHING, PAGE, ""), (Step.READING, PAGE, "価格")]


def test_every_tool_has_a_closed_schema():
    """A new tool is named here too, so that none is offered to the model unnoticed."""
    names = {"fetch_url", "web_fetch", "read_through", "find_in_page", "export_table", "create_file"}
    names |= {"search_web"}
    assert set(DEFINITIONS) == names
    for definition in DEFINITIONS.values():
        assert definition["input_schema"]["additionalProperties"] is False
        assert definition["strict"]
