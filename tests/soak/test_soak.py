"""The soak itself, for some seconds, and what it looks at besides the books."""

import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.fetcher.web.sandbox.readers import pool_of, told
from tests.soak import residue, testimony
from tests.soak.memory import Scales, resident
from tests.soak.questions import draw, number_in
from tests.soak.readers import Readers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the soak runs on Linux only")
ROOT = Path(__file__).parent.parent.parent


def test_some_seconds_of_it_balance(tmp_path):
    """Questions of every kind, answered by processes of the real app, in the rain; nobody is killed yet."""
    command = ["tests.soak", "--minutes", "0.03", "--seed", "1", "--rate", "5", "--store", "sqlite"]
    done = subprocess.run(
        [sys.executable, "-m", *command, "--logs", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.endswith("The books balance.\n")
    counts = dict(re.findall(r"^([\w ]+): (\d+)", done.stdout, re.MULTILINE))
    assert 2 < int(counts["Answers in threads"]) <= int(counts["Questions"])


def test_a_seed_brings_the_same_questions_back():
    questions = [draw(7, number, 2) for number in range(1, 200)]
    assert questions == [draw(7, number, 2) for number in range(1, 200)]
    assert questions != [draw(8, number, 2) for number in range(1, 200)]
    assert len({question.way for question in questions}) > 8


def test_a_question_is_known_by_its_link():
    """In a thread it is the youngest one."""
    older, younger = draw(7, 3, 2), draw(7, 12, 2)
    assert number_in(f"{younger.url} の件です。\n- {older.url}") == 12
    assert number_in("リンクなし") is None


@pytest.mark.parametrize(("last", "leaks"), [(109.0, False), (111.0, True)])
def test_memory_that_grows_by_more_than_a_tenth_is_a_leak(last, leaks):
    scales = Scales()
    for second in range(180):
        scales.note("worker", second, 50.0 if second < 60 else 100.0 if second < 120 else last)
    [growth] = scales.growth(180)
    assert (growth.settled, growth.last, growth.leaks) == (100.0, last, leaks)


@pytest.mark.parametrize(("until", "leaks"), [(5, False), (10, True)])
def test_memory_that_grows_in_the_second_half_is_a_leak(until, leaks):
    scales = Scales()
    for second in range(600):
        scales.note("worker", second, 100.0 + 5 * min(second // 60, until))
    [growth] = scales.growth(600)
    assert growth.leaks is leaks


def test_memory_of_a_short_run_is_not_judged():
    scales = Scales()
    scales.note("worker", 1, 50.0)
    assert scales.growth(100) == []


def test_a_process_has_memory():
    assert 5 < resident(os.getpid()) < 10_000


def test_a_process_that_is_left_is_found(monkeypatch):
    """And only as long as it lives."""
    monkeypatch.setenv(residue.MARK, "somebody else")
    residue.mark("this run")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        until = time.monotonic() + 10
        while not residue.processes("this run") and time.monotonic() < until:
            os.sched_yield()  # the process has its environment only once it runs its program
        assert residue.processes("this run") == [f"process {process.pid}"]
        assert residue.processes("another run") == []
        process.communicate(b"\n")
    assert residue.processes("this run") == []


def test_a_reader_is_found_and_killed_and_missed_no_more():
    """The children of a worker are its own; what runs elsewhere is left alone."""
    with pool_of() as pool:
        told(pool, "")
        readers = Readers(chance=random.Random(1), kills=Counter())
        readers.strike([1])
        assert readers.kills.total() == 0
        readers.strike([os.getpid()])
        assert readers.kills.total() == 1
        assert readers.left()
    assert not {f"reader process {pid}" for pid in pool.pids} & set(readers.left())


def test_a_temporary_file_that_is_left_is_found(tmp_path):
    (tmp_path / "left").mkdir()
    assert residue.temporary(tmp_path) == ["temporary file left"]


LINES = [
    {"level": "info", "event": "answered", "key": "T:1"},
    {"level": "warning", "event": "refusal_not_told", "key": "T:2"},
    {"level": "error", "event": "reply_not_posted", "key": "T:3", "retryable": False},
    {"level": "error", "event": "reply_not_posted", "key": "T:4", "retryable": True},
    {"level": "warning", "event": "whisper_not_repeated", "key": "T:5"},
]


def test_logs_say_who_could_not_be_told(tmp_path):
    (tmp_path / "a.log").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    heard = testimony.hear(tmp_path)
    assert heard.untold == {"T:2", "T:3", "T:5"}
    assert heard.complaints == ()
    assert heard.events["reply_not_posted"] == 2


def test_logs_say_what_nobody_foresaw(tmp_path):
    """A failure at the rim, and whatever is no log line; a line that a kill cut off is neither."""
    failed = {"level": "error", "event": "question_failed", "key": "T:1", "exception": "Traceback"}
    (tmp_path / "a.log").write_text(json.dumps(failed) + "\nTraceback (most recent call last):\n" + '{"ev')
    assert testimony.hear(tmp_path).complaints == (
        "a.log:1: question_failed T:1",
        "a.log:2: not a log line",
    )
