"""`python -m fetcher` as its user types it."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from fetcher import VERSION, sample
from fetcher.__main__ import main
from fetcher.ask import EXAMPLE
from fetcher.startup.command_line import FAILED, MISCONFIGURED
from tests.fakes import answers, command_line
from tests.fakes.gate import Gate


def _command(*arguments):
    return [sys.executable, "-m", "fetcher", *arguments]


def _run(*arguments, **environ):
    return command_line.run("fetcher", *arguments, environ={"PATH": os.environ["PATH"], **environ})


@pytest.fixture
def url(internet):
    url = f"http://127.0.0.1:{internet.web.port}/"
    internet.web.page(url, "<title>Local</title><h1>Local</h1><p>こんにちは</p>")
    return url


def test_a_local_page_is_read_when_settings_allow_it(url, reach):
    done = _run("fetch", url, **reach)
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert answer["chunks"][0]["text"] == "# Local\n\nこんにちは"


def test_and_is_refused_when_they_do_not(url):
    done = _run("fetch", url)
    assert done.returncode == 1
    assert json.loads(done.stdout)["code"] == "ssrf_blocked"
    assert done.stderr == ""


def test_markdown_is_for_people(url, reach):
    done = _run("fetch", url, "--markdown", **reach)
    assert done.stdout == f"{url}\n\n# Local\n\nこんにちは\n"


def test_options_reach_the_tool(url, reach):
    _run("fetch", url, **reach)
    assert json.loads(_run("fetch", url, **reach).stdout)["notes"] == ["cache_hit"]
    assert json.loads(_run("fetch", url, "--no-cache", **reach).stdout)["notes"] == []
    assert json.loads(_run("fetch", url, "--max-chunk-tokens", "5", **reach).stdout)["code"] == "bad_args"
    without = reach | {"WEBFETCH_BROWSER__CHROMIUM_PATH": "/no/such/chromium"}
    assert json.loads(_run("fetch", url, "--browser", **without).stdout)["code"] == "browser_unavailable"


def test_the_log_is_json_lines_on_stderr(url, reach):
    done = _run("fetch", url + "?secret=1", "--verbose", **reach)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert "fetch_complete" in [line["event"] for line in lines]
    assert "secret" not in done.stderr


def test_a_wrong_setting_is_explained_without_a_trace():
    done = _run("fetch", "http://a.example/", WEBFETCH_SECURITY__BLOCK_LOOPBACK="false")
    assert done.returncode == 2
    assert done.stderr.startswith("Configuration error: SSRF protection cannot be disabled")
    assert "Traceback" not in done.stderr


def test_settings_may_stand_in_a_file(monkeypatch, tmp_path, capsys):
    """`.env` of this directory, as for the Slack app; the environment wins."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("WEBFETCH_TIMEOUT_SECONDS=soon\n")
    monkeypatch.setenv("WEBFETCH_TIMEOUT_SECONDS", "")
    monkeypatch.delenv("WEBFETCH_TIMEOUT_SECONDS")  # so that the one of the file does not stay
    assert main(["fetch", "http://127.0.0.1/"]) == MISCONFIGURED
    assert "WEBFETCH_TIMEOUT_SECONDS" in capsys.readouterr().err
    monkeypatch.setenv("WEBFETCH_TIMEOUT_SECONDS", "1")
    assert main(["fetch", "http://127.0.0.1/"]) == FAILED
    (tmp_path / ".env").write_text("# 時間\n", encoding="shift_jis")
    assert main(["sample"]) == MISCONFIGURED
    assert "Save it as UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["WEBFETCH_CACHE_DIR", "WEBFETCH_BROWSER__CHROMIUM_PATH"])
def test_a_path_that_names_a_variable_that_is_not_set_stops_the_start(url, reach, name):
    done = _run("fetch", url, **reach | {name: "${NO_SUCH_VARIABLE}/x"})
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{name}: " in done.stderr
    assert "NO_SUCH_VARIABLE is not set" in done.stderr


def test_errors_are_sentences_for_people(url):
    """On standard error; standard output stays empty, so that a program that reads it finds no text."""
    done = _run("fetch", url, "--markdown")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{url}: 社内ネットワークなど、公開されていないアドレス")
    assert done.stderr.count("\n") == 1
    done = _run("sample", sample.URL, "--markdown", "--max-chunk-tokens", "5")
    assert "128" in done.stderr
    assert "{" not in done.stderr


def test_the_sample_pages_are_listed_and_read_without_a_network():
    listed = _run("sample").stdout
    assert [line.split()[0] for line in listed.splitlines()] == [p.url for p in sample.PAGES if p.about]
    for command in ("sample", "fetch"):
        done = _run(command, sample.URL, "--markdown")
        assert done.returncode == 0
        assert "| プラン | 内容量 | 月額（税込） |" in done.stdout
    done = _run("sample", "http://a.example/")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Not a page of the sample web" in done.stderr


def test_the_version_and_examples_are_told():
    """The examples of the help work as they stand."""
    assert _run("--version").stdout == f"slack-web-reader {VERSION}\n"
    assert re.findall("  python -m fetcher (.+)", _run("--help").stdout) == [
        "sample",
        f"fetch {sample.URL} --markdown",
        f'ask "{EXAMPLE}" --out files',
    ]


def test_no_command_is_a_usage_error():
    done = _run()
    assert done.returncode == 2
    assert "usage:" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_ctrl_c_a_closed_terminal_and_a_kill_are_clean(internet, url, reach, number):
    gate = Gate()
    internet.web.route(url, gate.before(answers.answer("x")))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which tests in the background are born without
    running = subprocess.Popen(
        _command("fetch", url),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=reach,
    )
    assert gate.wait_until_held(1, within=60)
    running.send_signal(number)
    out, err = running.communicate(timeout=10)
    assert (running.returncode, out) == (128 + number, "")
    assert err.endswith("Stopped.\n")
    assert "Traceback" not in err


def test_switched_off_protection_is_said_on_stderr(url, reach):
    """SRD FR-WF-05b."""
    assert "SSRF protection disabled for: block_loopback" in _run("fetch", url, **reach).stderr


def test_the_output_is_utf8_in_every_locale(url, reach):
    done = subprocess.run(
        _command("fetch", url, "--markdown"),
        capture_output=True,
        env={**reach, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert "こんにちは" in done.stdout.decode("utf-8")


def test_a_reader_that_has_seen_enough_is_no_error_of_ours(url, reach):
    piped = f"{sys.executable} -m fetcher fetch {url} | head -c 1"
    done = subprocess.run(
        piped,
        shell=True,
        capture_output=True,
        text=True,
        env=reach,
        check=True,
    )
    assert "Traceback" not in done.stderr
