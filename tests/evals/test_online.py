"""Questions go to a model, its answers are judged, and a record of both replays without a key."""

import json

import pytest

from tests.evals.__main__ import main
from tests.evals.loop_figures import loop_figures
from tests.evals.online import CRITERIA, questions_to_ask
from tests.fakes.claude import FakeClaude
from tests.fakes.search_results import cite
from tests.fakes.turns import call, fail, say

GOOD = dict.fromkeys(CRITERIA, True) | {"why": "as the passage says"}


@pytest.fixture
def claude(monkeypatch):
    with FakeClaude() as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


def test_answers_are_judged_and_written_down(claude, tmp_path, capsys):
    claude.script(say("1,980円です。", citations=[cite(0, 0)]), call("verdict", GOOD))
    out = tmp_path / "online.json"
    assert main(["--online", "--limit", "1", "--out", str(out)]) == 0
    results = json.loads(out.read_text("utf-8"))
    [judged] = results["answers"]
    assert results["shares"] == dict.fromkeys(CRITERIA, 1.0)
    assert judged["cited"]
    assert judged["calls"] == 1
    assert "right      1.00" in capsys.readouterr().out
    shown = claude.requests[1].text
    assert questions_to_ask(1)[0].gold[0] in shown
    assert judged["cited"][0].split()[-1] in shown


def test_a_record_replays_without_a_key(claude, tmp_path, monkeypatch):
    claude.script(
        say("はい、できます。"),
        call("verdict", GOOD),
        say("いいえ。"),
        call("verdict", GOOD | {"right": False}),
    )
    first, again, record = tmp_path / "first.json", tmp_path / "again.json", tmp_path / "record.jsonl"
    assert main(["--online", "--limit", "2", "--out", str(first), "--record", str(record)]) == 0
    assert len(claude.requests) == 4
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert main(["--replay", str(record), "--limit", "2", "--out", str(again)]) == 0
    assert len(claude.requests) == 4
    assert json.loads(again.read_text("utf-8")) == json.loads(first.read_text("utf-8"))
    assert "sk-test" not in record.read_text("utf-8")


def test_a_record_of_other_prompts_says_so(tmp_path):
    record, out = tmp_path / "record.jsonl", tmp_path / "out.json"
    record.write_text("", "utf-8")
    assert main(["--replay", str(record), "--limit", "1", "--out", str(out)]) == 1
    assert "not among the recorded" in json.loads(out.read_text("utf-8"))["answers"][0]["why"]


def test_without_a_model_nothing_is_asked(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert main(["--online", "--out", str(tmp_path / "out.json")]) == 2
    assert "No model is set" in capsys.readouterr().out


def test_a_judge_that_fails_counts_for_nothing(claude, tmp_path):
    claude.script(say("はい。"), fail(529))
    out = tmp_path / "out.json"
    assert main(["--online", "--limit", "1", "--out", str(out)]) == 1
    results = json.loads(out.read_text("utf-8"))
    assert (results["asked"], results["judged"]) == (1, 0)


def test_an_answer_in_another_language_is_seen_without_a_judge(claude, tmp_path):
    claude.script(say("Yes, it is possible."), call("verdict", GOOD))
    out = tmp_path / "out.json"
    assert main(["--online", "--limit", "1", "--out", str(out)]) == 0
    assert json.loads(out.read_text("utf-8"))["shares"]["language"] == 0


def test_questions_without_an_answer_are_asked_too():
    asked = questions_to_ask()
    absent = [question for question in asked if not question.gold]
    assert len(absent) >= 15
    assert any(question.is_english for question in absent)


def test_the_loop_needs_one_call_for_a_page_that_fits():
    """The page is read before the first call; `make eval` prints the figures."""
    figures = loop_figures()
    assert figures.calls <= 1.05
    assert figures.shown >= 0.98
