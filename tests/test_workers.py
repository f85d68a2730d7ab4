"""Tests that run in forked workers are reported as pytest itself would report them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
MODULES = {
    "test_a_crash.py": """
import os

def test_that_ends_its_process():
    os._exit(7)

def test_that_comes_after_it():
    pass
""",
    "test_all_outcomes.py": """
import pytest

@pytest.fixture(scope="module")
def made():
    made = []
    yield made
    assert len(made) == 1

def test_that_passes(made, capfd, tmp_path):
    made.append(tmp_path)
    print("heard")
    assert capfd.readouterr().out == "heard\\n"

def test_that_fails(made):
    print("printed before")
    assert [1, len(made)] == [1, 2]

@pytest.mark.skip(reason="for a reason")
def test_that_is_skipped():
    pass

def test_without_its_fixture(request):
    request.getfixturevalue("unknown")
""",
    "test_another_module.py": "def test_that_passes_too():\n    pass\n",
}


def test_every_outcome_is_reported(tmp_path):
    """Also that of a worker that ends in a test: another one takes the next module."""
    for name, source in MODULES.items():
        (tmp_path / name).write_text(source, "utf-8")
    options = ["-c", "/dev/null", "--rootdir", str(tmp_path), "-p", "no:cacheprovider", "-rfEs"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.workers", "--workers", "1", *options, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 1
    for said in (
        "3 failed, 2 passed, 1 skipped",
        "The worker ended with status 7. Later tests of this module have not run.",
        "assert [1, 1] == [1, 2]",
        "printed before",
        "for a reason",
        "fixture 'unknown' not found",
    ):
        assert said in done.stdout, said
