"""`python -m fetcher ask` as its user types it."""

import errno
import io
import json
import os
from pathlib import Path

import pytest

from fetcher import ask
from fetcher.agent import GeneratedFile
from tests.fakes import command_line
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
    return command_line.run("fetcher", "ask", *arguments, environ=environ)


def test_without_a_key_the_offline_reader_answers_and_writes_the_file(reach, url, tmp_path):
    """A5: the table is there, byte for byte."""
    done = _ask(reach, f"{url} の料金表をCSVにして", "--out", str(tmp_path / "out"))
    assert done.returncode == 0
    assert (tmp_path / "out" / "料金表.csv").read_bytes() == '\ufeff品,円\r\n豆,"1,000"\r\n'.encode()
    assert "出典" in done.stdout
    assert done.stdout.endswith(f"ファイルを保存しました：{tmp_path / 'out' / '料金表.csv'}\n")
    assert "ページを開いています" in done.stderr


def test_a_file_that_cannot_be_written_is_not_said_to_be_there(reach, url, tmp_path):
    """The status, both streams and the JSON say it; nothing half-written is left."""
    (tmp_path / "file").write_text("x")
    for directory, options in ((tmp_path / "file", []), (Path("/dev/full"), ["--json"])):
        done = _ask(reach, f"{url} の料金表をCSVにして", "--out", str(directory), *options)
        assert done.returncode == 1
        assert "ファイルを保存できませんでした" in done.stderr
        assert "ファイルを保存できませんでした" in done.stdout
        assert "添付しました" not in done.stdout
        assert "保存しました" not in done.stdout


class FullDisk(io.BytesIO):
    """Fails when it is closed; Python closes it once more when it is freed."""

    def close(self):
        if not self.closed:
            super().close()
            raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_no_half_of_a_file(tmp_path, monkeypatch):
    """Nor does it take away a file that was there before."""
    (tmp_path / "a.csv").write_text("before")

    def full(self, *_):
        path.touch()
        return FullDisk()

    path = tmp_path / "a (2).csv"
    monkeypatch.setattr(Path, "open", full)
    file = GeneratedFile(file_name="a.csv", mime_type="text/csv", content=b"x")
    assert ask._write_files([file], tmp_path)[0] == []
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


def test_without_a_question_or_a_network_the_sample_web_answers(tmp_path):
    """The first command that a newcomer types, in an empty environment."""
    done = _ask({"PATH": os.environ["PATH"]}, "--out", str(tmp_path))
    assert done.returncode == 0
    assert (tmp_path / "定期便のプラン.csv").exists()
    assert ask.EXAMPLE in done.stderr


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
