"""Pages that are too large to be read whole: what was cut is told wherever the page goes."""

import asyncio
import csv
import io
import json
from typing import Any

import pytest

from fetcher import wording
from fetcher.agent import AskRequest, open_agent
from fetcher.agent.tools.incomplete import CUT, ROWS_MISSING
from fetcher.codes import Note, TruncationReason
from fetcher.settings import AgentSettings, Settings
from fetcher.web.browser_reader import Rendered
from fetcher.web.fetch_url import fetch_url
from fetcher.wording import fixed_ja
from tests.engine import engine
from tests.fakes import command_line
from tests.fakes.turns import call, cite, say
from tests.slackapp.stage import Stage

STOCK = "http://shop.example/stock"
HEAVY: dict[str, Any] = {"rendering": {"js_heavy_domains": ["shop.example"]}}
HALF_MEGABYTE = (
    "「在庫一覧」は大きなページのため、先頭の512KBだけを読み取りました。それより後の内容は含まれていません。"
)


def _row(number):
    stock = f"棚{number:05}番の在庫は{number}個あります</td>"
    return f"<tr><td>商品{number:05}</td><td>{number * 7}円</td><td>{stock}<td>担当{number}</td></tr>\n"


def _page(rows):
    """A page of about 110 bytes a row; every row differs from every other."""
    table = "<table><caption>在庫表</caption><tr><th>品<th>価格<th>在庫<th>担当" + "".join(
        map(_row, range(rows))
    )
    text = "この表は在庫の一覧です。毎朝更新しています。" * 10
    return f"<title>在庫一覧</title><main><h1>在庫一覧</h1><p>{text}</p>{table}</table></main>"


@pytest.fixture(scope="module")
def nine_thousand():
    """9,000 rows, about a megabyte."""
    page = _page(9_000)
    assert 900_000 < len(page.encode()) < 1_200_000
    return page


def _agent(internet, claude=None, *, fetches=8, renderer=None, **web):
    given = {"agent_max_fetches": fetches}
    if claude:
        given |= {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.url, "model_max_retries": 0}
    settings = Settings.model_validate({"webfetch": {"cache_dir": "", **web}})
    pipeline = engine(internet, renderer=renderer, **web)
    return open_agent(AgentSettings.model_validate(given), settings, pipeline=pipeline)


def _ask(agent, question):
    return asyncio.run(agent.ask(AskRequest(question=question)))


def _rows(file):
    return list(csv.reader(io.StringIO(file.content.decode("utf-8-sig"))))


def _whole_table(rows):
    return len(rows) == 9_001 and rows[1][0] == "商品00000" and rows[-1][0] == "商品08999"


def test_the_model_exports_all_rows_of_a_large_page(internet, claude, nine_thousand):
    """The model's tools read more than `fetch_url` does, and the page is fetched once."""
    internet.page(STOCK, nine_thousand)
    claude.script(
        call("fetch_url", {"url": STOCK}),
        call("export_table", {"url": STOCK, "table": 1, "format": "csv"})
        + call("export_table", {"url": STOCK, "table": 1, "format": "json"}),
        say("添付しました。"),
    )
    answer = _ask(_agent(internet, claude, fetches=1), f"{STOCK} の表をCSVとJSONで")
    assert _whole_table(_rows(answer.files[0]))
    assert len(json.loads(answer.files[1].content)) == 9_000
    assert answer.undone == ()
    assert internet.web.count(STOCK) == 1


def test_the_offline_reader_exports_all_rows_too(internet, nine_thousand):
    internet.page(STOCK, nine_thousand)
    answer = _ask(_agent(internet, fetches=1), f"{STOCK} の表をCSVにして")
    [file] = answer.files
    assert _whole_table(_rows(file))
    assert "9000行" in answer.text
    assert answer.undone == ()


def test_the_model_and_the_asker_hear_that_a_page_was_cut(internet, claude, nine_thousand):
    internet.page(STOCK, nine_thousand)

    def looked(asked):
        [result] = asked.tool_results
        assert CUT in [block.get("text") for block in result["content"]]
        return call("find_in_page", {"url": STOCK, "query": "退会の手続き"})

    def answered(asked):
        [result] = asked.tool_results
        assert CUT in [block.get("text") for block in result["content"]]
        return say("表の始めです。", citations=[cite(STOCK, 0, 1)])

    claude.script(call("fetch_url", {"url": STOCK}), looked, answered)
    answer = _ask(_agent(internet, claude, max_download_bytes=512 * 1024), f"{STOCK} を読んで")
    assert answer.undone == (HALF_MEGABYTE,)


def test_a_login_in_place_of_a_page_is_told(internet, claude):
    """With a model and without one: an answer from the words of a login page would look like one."""
    internet.redirect("http://docs.example/d/1", "http://accounts.example/signin?continue=x")
    internet.page(
        "http://accounts.example/signin", "<title>ログイン</title><p>パスワードを入力してください。</p>"
    )
    claude.script(say("ログインが必要です。"))
    for model in (claude, None):
        answer = _ask(_agent(internet, model), "http://docs.example/d/1 を要約して")
        assert answer.undone == (wording.login_page("ログイン"),)


def test_the_quick_read_keeps_to_a_smaller_limit_that_was_set(internet, nine_thousand):
    internet.page(STOCK, nine_thousand)
    answer = _ask(_agent(internet, max_download_bytes=100 * 1024), f"{STOCK} を読んで")
    assert answer.undone == (HALF_MEGABYTE.replace("512", "100"),)


@pytest.mark.parametrize("modelled", [True, False])
def test_a_file_of_what_is_cut_even_then_says_so(internet, claude, nine_thousand, modelled):
    """A page that is larger than `max_download_bytes` is cut there, and not refused."""
    internet.page(STOCK, nine_thousand)

    def exported(asked):
        [result] = asked.tool_results
        assert ROWS_MISSING in [block["text"] for block in result["content"]]
        return say("添付しました。")

    claude.script(
        call("fetch_url", {"url": STOCK}),
        call("export_table", {"url": STOCK, "table": 1, "format": "csv"}),
        exported,
    )
    agent = _agent(internet, claude if modelled else None, max_download_bytes=800 * 1024)
    answer = _ask(agent, f"{STOCK} の表をCSVにして")
    [file] = answer.files
    assert 6_000 < len(_rows(file)) < 9_000
    assert set(answer.undone) == {
        HALF_MEGABYTE.replace("512", "800"),
        wording.file_cut("在庫表.csv"),
    }


def test_the_agents_web_fetch_reads_the_beginning_of_what_is_too_large(internet, claude, nine_thousand):
    internet.page(STOCK, nine_thousand)

    def read(asked):
        [result] = asked.tool_results
        assert result["content"][0]["type"] == "search_result"
        assert CUT in [block.get("text") for block in result["content"]]
        return say("読みました。")

    claude.script(call("web_fetch", {"url": STOCK}), read)
    answer = _ask(_agent(internet, claude, max_download_bytes=600 * 1024), f"{STOCK} を読んで")
    assert answer.undone == (HALF_MEGABYTE.replace("512", "600"),)


class Partial:
    """A browser in which something is missing from every page."""

    def __init__(self, note, reason):
        self._notes, self._truncation = frozenset({note}), frozenset({reason})

    async def render(self, url, require_permission, *, guard, document, whole, mode, record_response):
        html = f"<title>棚</title><p>{'本文です。' * 200}</p>"
        return Rendered(html=html, final_url=url, notes=self._notes, truncation=self._truncation)


@pytest.mark.parametrize(
    ("note", "reason", "words"),
    [
        (Note.BROWSER_DOM_TRUNCATED, TruncationReason.BROWSER_DOM_TRUNCATED, "終わりの部分を読み取れません"),
        (
            Note.BROWSER_TIMEOUT_DOM_PARTIAL,
            TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL,
            "表示が完了する前に",
        ),
    ],
)
def test_what_the_browser_could_not_show_is_told_too(internet, note, reason, words):
    internet.page(STOCK, "<div id=root></div>")
    agent = _agent(internet, renderer=Partial(note, reason), **HEAVY)
    answer = _ask(agent, f"{STOCK} を読んで")
    [told] = answer.undone
    assert told.startswith("「棚」は")
    assert words in told
    text = asyncio.run(fetch_url(engine(internet, renderer=Partial(note, reason), **HEAVY), STOCK))
    assert text.endswith("... [以下省略]")


def test_a_title_brings_no_link_into_what_is_told(internet, nine_thousand):
    page = nine_thousand.replace("<title>在庫一覧", "<title>賞品 https://evil.example/win")
    internet.page(STOCK, page)
    [told] = _ask(_agent(internet), f"{STOCK} を読んで").undone
    assert "「賞品 https: //evil.example/win」は大きなページ" in told


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_a_slack_user_hears_it(internet, store, nine_thousand):
    internet.page(STOCK, nine_thousand)
    with Stage(store, agent=_agent(internet)) as stage:
        ts = stage.mention(f"<{STOCK}> どんな表ですか？")
        [reply] = stage.settled().replies(ts)
    assert HALF_MEGABYTE in reply["text"]


def _run(environ, *arguments):
    return command_line.run("fetcher", *arguments, environ=environ)


@pytest.fixture
def local(internet, nine_thousand):
    """The page where a process of its own can reach it."""
    url = f"http://127.0.0.1:{internet.web.port}/stock"
    internet.web.page(url, nine_thousand)
    return url


def test_the_command_line_says_it_and_exports_the_whole(reach, local, tmp_path):
    told = _run(reach, "ask", f"{local} どんな表ですか？", "--json")
    assert json.loads(told.stdout)["undone"] == [HALF_MEGABYTE]
    _run(reach, "ask", f"{local} の表をCSVにして", "--out", str(tmp_path / "out"))
    [path] = (tmp_path / "out").iterdir()
    assert _whole_table(list(csv.reader(io.StringIO(path.read_text("utf-8-sig")))))


def test_fetch_marks_the_end_of_a_text_that_was_cut(reach, local):
    """Standard output has the text and its mark; standard error says why."""
    done = _run(reach, "fetch", local, "--markdown")
    assert done.stdout.endswith(f"\n\n{fixed_ja.MORE}\n")
    assert wording.page_truncated(local, TruncationReason.TOOL_OUTPUT_LIMIT) in done.stderr
