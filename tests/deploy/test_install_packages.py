"""`python -m deploy.install_packages`: what a newcomer reads while packages come, or do not."""

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


def test_without_a_network_it_says_so(pip, capsys):
    """In place of pip's words, as pip 23 to 26 has them."""
    pip(
        "WARNING: Retrying (Retry(total=1, connect=None)) after connection broken by 'NewConnectionError('"
        "<pip._vendor.urllib3.connection.HTTPSConnection object>: Failed to establish a new connection: "
        "[Errno -3] Temporary failure in name resolution')': /simple/ada-url/\n"
        "ERROR: Could not find a version that satisfies the requirement ada-url==4.0.0 "
        "(from versions: none)\n"
        "ERROR: No matching distribution found for ada-url==4.0.0",
        1,
    )
    assert install_packages.main(LOCK) == 1
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith("Downloading and installing ")
    assert last.startswith("The packages cannot be downloaded: the package index cannot be reached.")


def test_a_venv_with_an_older_python_is_named(tmp_path):
    """One that was made before: nothing is installed into it."""
    old = tmp_path / "bin/python"
    old.parent.mkdir()
    old.write_text(
        f"#!/bin/sh\nexec {sys.executable} -c 'import sys; sys.version_info = (3, 10, 1); "
        'sys.version = "3.10.1 (main)"; exec(sys.argv[1])\' "$2"\n'
    )
    old.chmod(0o755)
    made = subprocess.run(
        ["make", "install", f"VENV={tmp_path}"], capture_output=True, text=True, check=False
    )
    assert made.returncode == 2
    assert made.stderr.startswith(
        f"Python 3.11 or newer is needed, this is 3.10.1; remove {tmp_path} if it is there, and name another"
    )
    assert not (tmp_path / ".run").exists()
