"""Runs the checks in their order, and prints the report."""

import platform
import stat
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from fetcher import VERSION, configuration
from fetcher.settings import ConfigurationError
from slackapp.commands.terminal import FAILED, say
from slackapp.doctor import (
    access,
    blocks,
    model,
    reading,
    report,
    search,
    socket_connection,
    store,
    tokens,
    trial,
)
from slackapp.doctor.findings import Check, Examination, Finding, Verdict, bad, good, hint
from slackapp.run.wiring import require_unattended
from slackapp.settings import load

CHECKS: tuple[Check, ...] = (
    tokens.check_token,
    tokens.check_scopes,
    socket_connection.check_socket,
    access.check_whitelist,
    access.check_channel,
    store.check_store,
    tokens.check_clock,
    model.check_model,
    reading.check_readers,
    reading.check_web,
)
ONLINE: tuple[Check, ...] = (search.check_search, blocks.check_blocks, trial.check_thread)
SECRETS = Path(".env")
"""The file with the tokens."""
PACKAGES = ("slack_sdk", "slack_bolt", "anthropic", "boto3")


def print_report(environ: Mapping[str, str], *, channel: str = "", online: bool = False) -> int:
    """Print a line for each finding; return the exit status."""
    hidden = report.Redaction(environ)
    used = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)]
    say(f"slack-web-reader {VERSION} doctor, {platform.platform()}, {', '.join(used)}")
    findings: list[Finding] = []
    for finding in examine(environ, channel=channel, online=online):
        findings.append(finding)
        for line in report.lines(finding, hidden):
            say(line)
    say(report.last_line(findings))
    return FAILED if any(finding.verdict is Verdict.BAD for finding in findings) else 0


def examine(environ: Mapping[str, str], *, channel: str = "", online: bool = False) -> Iterator[Finding]:
    """Every finding, in order. A check that fails itself is a finding too."""
    try:
        settings = load(environ)
        configuration.load_agent(environ)
        require_unattended(environ)
    except ConfigurationError as error:
        yield bad(str(error), "Correct the environment or .env; docs/settings.md lists every setting.")
        return
    yield good("the settings are valid")
    if SECRETS.exists() and SECRETS.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        yield hint(f"other users of this machine can read {SECRETS}", f"Run: chmod 600 {SECRETS}")
    examination = Examination(settings=settings, environ=environ, channel=channel)
    for check in (*CHECKS, *(ONLINE if online else ())):
        try:
            yield from check(examination)
        except Exception as error:  # noqa: BLE001 - the doctor goes on with the next check
            said = f"{check.__name__} itself failed: {type(error).__name__}"
            yield bad(said, "Report it with this output.")
