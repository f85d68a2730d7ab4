"""`python -m fetcher ask` as its user types it."""

import json
import subprocess
import sys

import pytest

from tests.fakes.turns import call, cite, say

PAGE = (
    "<title>料金</title><article><h1>料金</h1>"
    + "<p>豆は千円です。送料は無料です。</p>" * 5
    + "<table><caption>料金表</caption>"
    "<tr><th>品<th>円<tr><td>豆<td>1,000</table></article>"
)


@pytest.fixture
def url(internet):
    url = f"http://127.0.0.1:{internet.web.port}/price"
    internet.web.page(url, PAGE)
    return url


def _ask(environ, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "fetcher", "ask", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env=environ,
        check=False,
    )


def test_without_a_key_the_offline_reader_answers_and_writes_the_file(reach, url, tmp_path):
    """A5: the table is there, byte for byte."""
    done = _ask(reach, f"{url} の料金表をCSVにして", "--out", str(tmp_path / "out"))
    assert done.returncode == 0
    assert (tmp_path / "out" / "料金表.csv").read_bytes() == '\ufeff品,円\r\n豆,"1,000"\r\n'.encode()
    assert "出典" in done.stdout
    assert "ページを開いています" in done.stderr


def test_a_second_file_does_not_overwrite_the_first(reach, url, tmp_path):
    for _ in range(2):
        _ask(reach, f"{url} の料金表をCSVにして", "--out", str(tmp_path))
    assert {path.name for path in tmp_path.glob("*.csv")} == {"料金表.csv", "料金表 (2).csv"}


def test_with_a_key_the_model_answers(reach, url, claude):
    claude.script(call("fetch_url", {"url": url}), say("豆は千円です。", citations=[cite(url, 0, 1)]))
    environ = {**reach, "ANTHROPIC_API_KEY": "sk-test", "ANTHROPIC_BASE_URL": claude.url}
    done = _ask(environ, f"{url} 豆はいくら？", "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert answer["text"] == "豆は千円です。 [1]"
    assert answer["sources"] == [{"number": 1, "title": "料金", "url": url}]
    assert (answer["offline"], answer["usage"]["calls"]) == (False, 2)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", "質問が空"),
        ("こんにちは", "リンクが見つかりません"),
        ("http://10.0.0.1/ は？", "読み取れませんでした"),
    ],
)
def test_a_question_that_leads_nowhere_fails_honestly(reach, question, words):
    done = _ask(reach, question)
    assert done.returncode == 1
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_setting_is_named(reach):
    done = _ask({**reach, "AGENT_MAX_TURN": "3"}, "x")
    assert done.returncode == 2
    assert "AGENT_MAX_TURN" in done.stderr
