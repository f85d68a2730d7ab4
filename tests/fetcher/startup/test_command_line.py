"""What every command does around its work: signals, and output that cannot be written."""

import os
import signal
import subprocess
import sys

import pytest

COMMANDS = {
    "fetcher": "-m fetcher sample",
    "help": "-m fetcher --help",
    "slackapp": "-m slackapp manifest --socket",
    "invoke": "-m fetcher.invoke {}",
}


def _shell(command, *, buffered=True):
    environ = {"PATH": os.environ["PATH"]} | ({} if buffered else {"PYTHONUNBUFFERED": "1"})
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} {command}"],
        capture_output=True,
        text=True,
        timeout=60,
        env=environ,
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_full_disk_is_told_in_a_sentence(command):
    done = _shell(f"{command} > /dev/full")
    assert done.returncode == 1
    assert done.stderr.endswith("Nothing more can be written: No space left on device.\n")
    assert "Traceback" not in done.stderr


def test_a_full_disk_is_told_when_nothing_is_buffered():
    done = _shell("-m fetcher sample > /dev/full", buffered=False)
    assert (done.returncode, done.stderr) == (
        1,
        "Nothing more can be written: No space left on device.\n",
    )


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("-m fetcher sample | true", 1),  # the reader has seen enough
        ("-m fetcher sample > /dev/full 2>&1", 1),
        ("-m fetcher sample 2> /dev/full", 0),  # what only accompanies the work may be lost
        ("-m fetcher sample >&-", 0),
        ("-m slackapp manifest --socket 2>&-", 0),
    ],
)
def test_streams_that_are_lost_or_closed_leave_no_traceback(command, status):
    done = _shell(command)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_what_the_caller_ignores_stays_ignored():
    """As `nohup` asks; and a command whose Ctrl+C is ignored ends on a kill all the same."""
    script = """if True:
        import os, signal
        from fetcher.startup import command_line
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        def work():
            os.kill(os.getpid(), signal.SIGHUP)
            print("goes on", flush=True)
            os.kill(os.getpid(), signal.SIGTERM)
            print("never")
        raise SystemExit(command_line.run(work))
    """
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("goes on\n", "Stopped.\n")
    assert done.returncode == 128 + signal.SIGTERM
