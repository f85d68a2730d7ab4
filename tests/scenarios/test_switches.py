"""Settings that switch reading off, or want it approved, do so on every surface, and say so."""

import argparse
import asyncio
import json
import os
import pty
import signal
import subprocess
import sys

import pytest

from fetcher import configuration, wording
from fetcher.a2a import command as serve
from fetcher.agent import AskRequest, Progress, Step, open_agent
from fetcher.agent.model import prompts
from fetcher.invoke.backends.fetch_agent import open_from_environment
from fetcher.settings import AgentSettings, ConfigurationError, Settings
from slackapp.playground.playground import Playground
from slackapp.run.wiring import LazyHandler
from slackapp.settings import SlackSettings
from tests.engine import engine
from tests.fakes import command_line
from tests.fakes.turns import call, say
from tests.slackapp.stage import Stage

PAGE = "http://shop.example/price"
OFF = wording.switched_off()
DEFINED = {"mode": "parse_only", "definitions": [{"name": "web_fetch"}]}


def _agent(internet, tools, claude=None):
    internet.page(PAGE, "<title>料金</title><p>豆は千円です。</p>")
    model = {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.url} if claude else {}
    settings = Settings.model_validate(tools)
    pipeline = engine(internet, tools=tools, **tools.get("webfetch", {}))
    return open_agent(AgentSettings.model_validate(model), settings, pipeline=pipeline)


def _ask(agent):
    return asyncio.run(agent.ask(AskRequest(question=f"{PAGE} 豆はいくら？")))


@pytest.mark.parametrize(
    "tools", [{"mode": "disabled"}, {"mode": "parse_only"}, {"webfetch": {"enabled": False}}]
)
def test_tools_that_are_switched_off_are_not_advertised(internet, claude, tools):
    """SRD FR-WF-CFG-PREC-01 and -03: the model hears of no tool, and both hear why."""
    claude.script(say("読み取りは停止されています。"))
    answer = _ask(_agent(internet, tools, claude))
    [asked] = claude.requests
    assert "tools" not in asked.json
    assert prompts.READING_IS_OFF.strip() in asked.json["system"][0]["text"]
    assert answer.undone == (OFF,)
    assert internet.web.requests == []


def test_parse_only_advertises_what_the_file_lists_and_runs_none_of_it(internet, claude):
    """SRD FR-WF-CFG-PREC-03."""

    def refused(asked):
        [result] = asked.tool_results
        error = json.loads(result["content"])
        assert (error["code"], error["details"]["field"]) == ("bad_args", "tools.mode")
        return say("停止されています。")

    claude.script(call("web_fetch", {"url": PAGE}), refused)
    answer = _ask(_agent(internet, DEFINED, claude))
    assert [tool["name"] for tool in claude.requests[0].json["tools"]] == ["web_fetch"]
    assert answer.undone == (OFF,)
    assert internet.web.requests == []


@pytest.mark.parametrize(
    "tools", [{"mode": "disabled"}, {"webfetch": {"enabled": False}}, {"approval": {"mode": "deny"}}]
)
def test_no_step_says_that_a_page_is_opened_where_none_is(internet, claude, tools):
    steps: list[Progress] = []
    asks = [call("fetch_url", {"url": PAGE})] if "approval" in tools else []
    claude.script(*asks, say("停止されています。"))
    for agent in (_agent(internet, tools), _agent(internet, tools, claude)):
        asyncio.run(agent.ask(AskRequest(question=f"{PAGE} 豆はいくら？"), steps.append))
    assert {step.step for step in steps} <= {Step.COUNTING, Step.THINKING, Step.WRITING}


def test_a_denial_leaves_the_tools_registered_and_runs_none(internet, claude):
    """SRD FR-WF-CFG-PREC-02, FR-WF-OP-02."""
    claude.script(call("fetch_url", {"url": PAGE}), say("停止されています。"))
    answer = _ask(_agent(internet, {"approval": {"mode": "deny"}}, claude))
    assert len(claude.requests[0].json["tools"]) == 6
    assert answer.undone == (OFF,)
    assert internet.web.requests == []


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_a_slack_user_hears_that_reading_is_switched_off(internet, store):
    with Stage(store, agent=_agent(internet, {"mode": "disabled"})) as stage:
        ts = stage.mention(f"<{PAGE}> 豆はいくら？")
        [reply] = stage.settled().replies(ts)
    assert OFF in reply["text"]
    assert "URLをご確認" not in reply["text"]


APPROVAL = [
    ({"WEBFETCH_ALLOW_AUTO_EXECUTION": "false"}, "tools.webfetch.allow_auto_execution=false"),
    ({"WEBFETCH_APPROVAL_MODE": "prompt"}, "tools.approval.mode=prompt"),
]
WANTED = pytest.mark.parametrize(("environ", "setting"), APPROVAL, ids=["no auto", "prompt"])


@pytest.fixture
def url(internet):
    url = f"http://127.0.0.1:{internet.web.port}/price"
    internet.web.page(url, "<title>料金</title><p>豆は千円です。</p>")
    return url


def _typed(environ, answer, *arguments):
    """The command at a terminal where somebody types; its status, its output, and what the terminal shows."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "fetcher", *arguments]
    with subprocess.Popen(
        command, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, env=environ
    ) as process:
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        out, _ = process.communicate(timeout=30)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    return process.returncode, out.decode(), shown


@WANTED
def test_the_command_line_asks_before_it_fetches(internet, reach, url, environ, setting):
    """SRD FR-WF-OP-02, NFR-WF-OP-03: with the summary, which has no query."""
    status, out, shown = _typed(reach | environ, "y", "fetch", f"{url}?key=secret")
    assert f"web_fetch {url} (http mode)" in shown
    assert "secret" not in shown
    assert (status, json.loads(out)["title"]) == (0, "料金")


@WANTED
@pytest.mark.parametrize("answer", ["n", "", "maybe"])
def test_what_is_not_approved_is_not_fetched(internet, reach, url, environ, setting, answer):
    status, out, shown = _typed(reach | environ, answer, "fetch", url)
    assert (status, out) == (1, "")
    assert "Not fetched." in shown
    assert internet.web.requests == []


def test_ctrl_c_at_the_question_stops_the_program(internet, reach, url):
    ours, theirs = pty.openpty()
    environ = reach | {"WEBFETCH_APPROVAL_MODE": "prompt"}
    command = [sys.executable, "-m", "fetcher", "fetch", url]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which tests in the background are born without
    with subprocess.Popen(
        command, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, env=environ
    ) as process:
        shown = b""
        while b"[y/N]" not in shown:
            shown += os.read(ours, 1024)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    os.close(theirs)
    os.close(ours)
    assert process.returncode == 130
    assert internet.web.requests == []


def _run(environ, module, *arguments):
    return command_line.run(module, *arguments, environ=environ)


@WANTED
def test_without_a_terminal_nobody_can_approve(internet, reach, url, environ, setting):
    done = _run(reach | environ, "fetcher", "fetch", url)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"Not fetched: {setting}" in done.stderr
    assert internet.web.requests == []


@WANTED
@pytest.mark.parametrize("arguments", [("ask", "http://a.example/ は？"), ("serve", "--port", "0")])
def test_what_runs_unattended_does_not_start(reach, environ, setting, arguments):
    done = _run(reach | environ, "fetcher", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert setting in done.stderr
    assert "WEBFETCH_ALLOW_AUTO_EXECUTION=true" in done.stderr
    assert "Listening" not in done.stderr
    assert "Traceback" not in done.stderr


@WANTED
def test_the_slack_app_does_not_start_either(environ, setting, tmp_path):
    settings = SlackSettings.model_validate({"sqlite_path": str(tmp_path / "store.sqlite3")})
    with pytest.raises(ConfigurationError, match=setting):
        LazyHandler(settings, environ=environ).get()


@pytest.mark.parametrize("start", ["app", "serve"])
def test_protection_that_is_off_is_said_at_start(start, tmp_path, caplog):
    """SRD FR-WF-05b: before any page is asked for; on Lambda the app starts in the same way."""
    environ = {
        "WEBFETCH_SECURITY__BLOCK_LOOPBACK": "false",
        "WEBFETCH_SECURITY__ALLOW_INSECURE_OVERRIDES": "true",
    }
    if start == "app":
        settings = SlackSettings.model_validate({"sqlite_path": str(tmp_path / "store.sqlite3")})
        lazy_handler = LazyHandler(settings, environ=environ)
        lazy_handler.get()
        lazy_handler.close()
    else:
        no_port = argparse.Namespace(host="127.0.0.1", port=70_000)
        with pytest.raises(ConfigurationError):
            asyncio.run(serve.run(no_port, configuration.load_unattended(environ)))
    assert caplog.messages.count("SSRF protection disabled for: block_loopback") == 1


@WANTED
def test_the_playground_does_not_open(environ, setting):
    with pytest.raises(ConfigurationError, match=setting), Playground(environ):
        pytest.fail("it opened")


def test_the_slack_app_whose_agent_reads_elsewhere_does(tmp_path):
    """The settings of the other process count there."""
    arn = "arn:aws:bedrock-agentcore:ap-northeast-1:123456789012:runtime/reader-1"
    environ = {
        "WEBFETCH_APPROVAL_MODE": "prompt",
        "AGENT_REMOTE": "true",
        "EXECUTION_AGENT_ARNS": json.dumps({"web-fetch": arn}),
    }
    settings = SlackSettings.model_validate({"sqlite_path": str(tmp_path / "store.sqlite3")})
    lazy_handler = LazyHandler(settings, environ=environ)
    lazy_handler.get()
    lazy_handler.close()


@WANTED
def test_the_invocation_lambdas_own_agent_does_not_open(monkeypatch, environ, setting):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=setting):
        open_from_environment()


def test_auto_execution_that_was_set_wins_over_prompt(reach, url):
    """SRD FR-WF-OP-02: it bypasses prompts."""
    chosen = {"WEBFETCH_APPROVAL_MODE": "prompt", "WEBFETCH_ALLOW_AUTO_EXECUTION": "true"}
    assert _run(reach | chosen, "fetcher", "fetch", url).returncode == 0


def test_a_denial_is_not_asked_about(reach, url):
    """SRD FR-WF-OP-02: it overrides whatever else is set."""
    denied = {"WEBFETCH_APPROVAL_MODE": "deny", "WEBFETCH_ALLOW_AUTO_EXECUTION": "false"}
    done = _run(reach | denied, "fetcher", "fetch", url)
    assert json.loads(done.stdout)["details"]["field"] == "tools.approval.mode"
