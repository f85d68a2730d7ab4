"""The app as a plain server runs it: another process, a user without a home, secrets in files, signals."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from tests.fetcher.web.browser.programs import until
from tests.slackapp.stage import is_answered

ROOT = Path(__file__).parent.parent.parent
NOBODY = "54321"
"""A user id that no file of accounts has."""
AS_NOBODY = ["unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}"]


@pytest.fixture
def as_nobody():
    """A command that starts another one with a user id that has no account; skips where there is none."""
    check = [*AS_NOBODY, sys.executable, "-c", f"import os; assert os.getuid() == {NOBODY}"]
    if not shutil.which("unshare") or subprocess.run(check, check=False, capture_output=True).returncode:
        pytest.skip("this system has no user namespaces for us")
    return AS_NOBODY


def _healthz(port):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except OSError:
        return 0, {}
    finally:
        connection.close()


def test_a_user_without_a_home_is_served_until_the_signal(as_nobody, tmp_path):
    """As a container with `--user` is run: no account, no HOME, one writable directory, tokens in files."""
    secrets, state = tmp_path / "secrets", tmp_path / "state"
    for folder in (secrets, state):
        folder.mkdir()
    for name, token in {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}.items():
        (secrets / name).write_text(f"{token}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "CREDENTIALS_DIRECTORY": str(secrets),
        "HEALTH_ADDRESS": f"127.0.0.1:{port}",
        "SQLITE_PATH": str(state / "store.sqlite3"),
        "ACCESS_MODE": "open",
        "MODEL_PROVIDER": "offline",
        "WEBFETCH_BROWSER__ENABLED": "false",
        "WEBFETCH_CACHE_DIR": str(state / "pages"),
    }
    with LocalSlack() as slack:
        slack.install(App(bot_token="xoxb-1", app_token="xapp-1"))
        command = [*as_nobody, sys.executable, "-m", "slackapp"]
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environ | {"SLACK_API_URL": slack.api_url},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            until(lambda: process.poll() is not None or _healthz(port)[0] == 200, 30)
            _, told = _healthz(port)
            assert (told["store_answers"], told["socket_connected"]) == (True, True)
            ts = slack.say("U0TANAKA", "general", f"<@{slack.app.bot_user}> おすすめは何ですか？")
            assert slack.wait_until(lambda: is_answered(slack, "general", ts), 20)
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()
            output = process.communicate()[0].decode()
    assert "Traceback" not in output
    assert "xoxb-1" not in output
    assert _healthz(port)[0] == 0
