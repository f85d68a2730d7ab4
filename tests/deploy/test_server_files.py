"""The files of a plain server: the images' Dockerfile, the service's unit, the health check of a container.

No container engine and no running systemd is needed. The steps of the Dockerfile were run by hand; rules of
`hadolint` are checked here as far as they concern the file.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fetcher.loopback import LocalHandler, LocalServer
from fetcher.startup import secret_files
from slackapp.settings import SlackSettings
from tests.test_documentation import KNOWN

ROOT = Path(__file__).parent.parent.parent
UNIT = ROOT / "deploy" / "slack-web-reader.service"
PROBE = ROOT / "deploy" / "health_probe.py"
BASE = re.compile(r"python:(\d+\.\d+)\.\d+-slim-([a-z]+)(@sha256:[0-9a-f]{64})?")
EXPOSURE = 29
"""Tenths, as `systemd-analyze security --threshold` takes them."""
OTHERS = {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "MALLOC_ARENA_MAX"}
"""Variables of Python and of the C library."""


def _stages():
    """Each stage's name to its base and its instructions, continued lines joined and comments left out."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    stages: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    name = ""
    for word, _, rest in (line.partition(" ") for line in lines if line.strip()):
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            stages[name] = (base, [])
        elif name:
            stages[name][1].append((word, rest.strip()))
    return stages


STAGES = _stages()


def _said(stage, word):
    """The instructions of that kind in a stage and in those below it, the lowest first."""
    base, rows = STAGES[stage]
    below = _said(base, word) if base in STAGES else []
    return below + [rest for kind, rest in rows if kind == word]


def test_the_base_is_an_exact_version():
    """One for all stages, of a Python that the locks are for; how to pin its digest stands beside it."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    [base] = re.findall(r"^ARG BASE=(\S+)$", text, re.MULTILINE)
    found = BASE.fullmatch(base)
    assert found
    assert found[1] == "3.11"
    assert found[2] == "trixie"  # the stable Debian, which has its security team
    assert {base for base, _ in STAGES.values()} - set(STAGES) == {"${BASE}"}
    assert "imagetools inspect" in text
    assert "@sha256:" in text


def test_both_images_share_their_packages_and_their_code():
    assert (STAGES["slack"][0], STAGES["a2a"][0]) == ("code", "code")
    assert STAGES["a2a-packages"][0] == "packages"
    assert "--from=packages /venv /venv" in _said("slack", "COPY")
    assert "--from=a2a-packages /venv /venv" in _said("a2a", "COPY")
    assert list(STAGES)[-1] == "a2a"  # the one that is built if none is named


@pytest.mark.parametrize("stage", STAGES)
def test_what_is_copied_exists_and_is_sent_to_the_engine(stage):
    """`.dockerignore` leaves everything out that it does not name."""
    sent = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE)
    copied = [row.split()[0] for row in _said(stage, "COPY") if not row.startswith("--from")]
    assert [path for path in copied if not (ROOT / path).exists()] == []
    assert set(copied) <= set(sent)


@pytest.mark.parametrize("stage", ["slack", "a2a"])
def test_an_image_runs_as_a_number_without_a_shell(stage):
    """Kubernetes checks `runAsNonRoot` by the number; a shell would keep signals to itself."""
    user = _said(stage, "USER")[-1]
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    for started in _said(stage, "ENTRYPOINT") + _said(stage, "CMD"):
        assert isinstance(json.loads(started), list)


@pytest.mark.parametrize("stage", STAGES)
def test_packages_are_locked_and_nothing_needless_is_kept(stage):
    """hadolint's DL3009, DL3013, DL3015, DL3042 and its like."""
    for row in _said(stage, "RUN"):
        if "pip install" in row:
            assert {"--require-hashes", "--no-deps", "--no-cache-dir", "--only-binary"} <= set(row.split())
        if "apt-get install" in row:
            assert {"--yes", "--no-install-recommends"} <= set(row.split())
            assert row.startswith("apt-get update")
            assert row.endswith("rm -rf /var/lib/apt/lists/*")
    assert _said(stage, "ADD") == []


def test_the_variables_of_an_image_are_settings():
    """The store is on the volume, and the health address is the port that is published."""
    told = dict(pair.split("=", 1) for row in _said("slack", "ENV") for pair in row.split())
    assert set(told) - OTHERS <= KNOWN
    settings = SlackSettings(sqlite_path=told["SQLITE_PATH"], health_address=told["HEALTH_ADDRESS"])
    assert str(settings.sqlite_file.parent) == _said("slack", "VOLUME")[0] == "/data"
    assert settings.health_address.rpartition(":")[2] == _said("slack", "EXPOSE")[0]
    assert "install -d -m 0777 /data" in " ".join(_said("slack", "RUN"))  # for any user id


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1), (None, 1)])
def test_the_health_check_of_a_container(status, code):
    """It asks whether the process lives, not whether Slack does: a restart would not bring Slack back.

    A proxy of the environment must not be asked."""
    check = _said("slack", "HEALTHCHECK")[0].partition("CMD ")[2]
    assert json.loads(check) == ["python", "health_probe.py"]
    asked = []

    class Handler(LocalHandler):
        def do_GET(self):  # noqa: N802  # its name in the base class
            asked.append(self.path)
            self.reply(status, {}, b"{}")

    server = LocalServer(Handler, name="health")
    with server:
        port = server.port
        environ = {"HEALTH_ADDRESS": f"0.0.0.0:{port if status else 1}", "http_proxy": "http://127.0.0.1:1"}
        done = subprocess.run([sys.executable, str(PROBE)], env=environ, capture_output=True, check=False)
    assert done.returncode == code, done
    assert asked == ["/healthz/live"] * bool(status)


def _unit():
    """The directives of the service section, in order; one may come several times."""
    text = UNIT.read_text("utf-8").partition("[Service]")[2].partition("[Install]")[0]
    return re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE)


def test_the_unit_is_told_settings_and_gets_its_secrets_as_files():
    rows = _unit()
    told = dict(value.split("=", 1) for name, value in rows if name == "Environment")
    assert set(told) - OTHERS <= KNOWN
    assert told["MALLOC_ARENA_MAX"] == "2"
    secrets = dict(value.split(":") for name, value in rows if name == "LoadCredential")
    assert set(secrets) == {"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "ANTHROPIC_API_KEY"} <= KNOWN
    assert all(path == f"/etc/slack-web-reader/{name}" for name, path in secrets.items())
    assert secret_files.VARIABLE == "CREDENTIALS_DIRECTORY"  # the name that systemd sets


@pytest.mark.parametrize(
    "directive",
    [
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "ProtectHome=yes",
        "StateDirectory=slack-web-reader",
        "Restart=always",
        "RestartSec=10",
        "OOMPolicy=continue",
    ],
)
def test_the_unit_is_hardened_and_comes_back(directive):
    assert tuple(directive.split("=")) in _unit()


def test_systemd_itself_finds_little_exposed():
    """`systemd-analyze security` gives the old unit of the documentation 9.5."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed here")
    command = [
        "systemd-analyze",
        "security",
        "--offline=true",
        f"--threshold={EXPOSURE}",
        "--no-pager",
        str(UNIT),
    ]
    environ = {"PATH": os.environ["PATH"], "SYSTEMD_COLORS": "0"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if "unrecognized option" in done.stderr:
        pytest.skip("this systemd does not analyse files")
    assert done.returncode == 0, done.stdout[-200:]
