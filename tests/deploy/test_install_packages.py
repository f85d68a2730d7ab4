"""`python -m deploy.install_packages`: what a newcomer reads while packages come, or do not."""

import os
import subprocess
import sys

import pytest

from deploy import install_packages

LOCK = "requirements/run.lock"


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """A pip that prints what it is told and ends with a status."""

    def say(text, status):
        script = tmp_path / "pip.py"
        script.write_text(f"print({text!r})\nraise SystemExit({status})\n")
        monkeypatch.setattr(install_packages, "COMMAND", (str(script),))

    return say


def test_it_says_that_it_downloads_and_how_far_it_is(pip, capsys):
    pip("".join(f"Collecting package{n}==1 (from -r x)\n  Downloading it\n" for n in range(12)), 0)
    assert install_packages.main(LOCK) == 0
    first, step, last = capsys.readouterr().err.splitlines()
    assert first.startswith("Downloading and installing ")
    assert step.startswith("10 of ")
    assert last == "The packages are installed."


def test_another_failure_is_told_in_pips_words(pip, capsys):
    pip("ERROR: the hashes do not match", 1)
    assert install_packages.main(LOCK) == 1
    assert "pip says:\nERROR: the hashes do not match" in capsys.readouterr().err


def test_without_a_network_it_says_so(tmp_path):
    """The real pip, and an index that no connection reaches."""
    lock = tmp_path / "a.lock"
    lock.write_text(f"never-installed==1.0 --hash=sha256:{'0' * 64}\n")
    environ = {"PATH": os.environ["PATH"], "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "deploy.install_packages", str(lock)],
        env=environ | {"PIP_CONFIG_FILE": os.devnull},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].startswith("The packages cannot be downloaded: the package index")
    assert "Retry" not in done.stderr
