"""Runs the checks in their order, and prints the report, which holds no secret."""

import platform
import re
import stat
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from urllib.parse import unquote, urlsplit

from fetcher import VERSION, configuration
from fetcher.settings import ConfigurationError
from slackapp.commands.terminal import FAILED, say
from slackapp.doctor import machine_checks, slack_checks
from slackapp.doctor.findings import Check, Examination, Finding, Verdict, bad, good, hint
from slackapp.run.wiring import require_unattended
from slackapp.settings import load

CHECKS: tuple[Check, ...] = (
    slack_checks.check_bot_token,
    slack_checks.check_app_token,
    machine_checks.check_store,
    slack_checks.check_whitelist,
    slack_checks.check_channel,
    machine_checks.check_model,
    machine_checks.check_pages,
    machine_checks.check_search,
)
TOKENS = Path(".env")
PACKAGES = ("slack_sdk", "slack_bolt", "anthropic", "boto3")
HIDDEN = "•••"
SECRET_NAME = re.compile(r"TOKEN|SECRET|PASSWORD|KEY|_PROXY$", re.IGNORECASE)
"""Variables whose values are hidden, ours and others'."""
SHORTEST = 6
"""Shorter values would hide half of the report."""
TOKEN = re.compile(r"\b(?:xox[a-z]-|xapp-|sk-ant-|AKIA|ASIA)[A-Za-z0-9-]+")


def print_report(environ: Mapping[str, str], *, channel: str = "", online: bool = False) -> int:
    """Print a line for each finding; return the exit status."""
    secrets = secrets_of(environ)
    used = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)]
    say(f"slack-web-reader {VERSION} doctor, {platform.platform()}, {', '.join(used)}")
    verdicts: list[Verdict] = []
    for finding in examine(environ, channel=channel, online=online):
        verdicts.append(finding.verdict)
        say(f"{finding.verdict} {redacted(finding.said, secrets)}")
        if finding.advice:
            say(f"    → {redacted(finding.advice, secrets)}")
    failed = verdicts.count(Verdict.BAD)
    say(f"{failed} of {len(verdicts)} checks failed; → says what to do." if failed else "Nothing is wrong.")
    return FAILED if failed else 0


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
    if TOKENS.exists() and TOKENS.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        yield hint(f"other users of this machine can read {TOKENS}", f"Run: chmod 600 {TOKENS}")
    examination = Examination(settings=settings, environ=environ, channel=channel, online=online)
    for check in CHECKS:
        try:
            yield from check(examination)
        except Exception as error:  # noqa: BLE001 - the doctor goes on with the next check
            said = f"{check.__name__} itself failed: {type(error).__name__}"
            yield bad(said, "Report it with this output.")


def secrets_of(environ: Mapping[str, str]) -> list[str]:
    """The values that no line may contain, longest first; of a proxy's address user and password."""
    secrets: set[str] = set()
    for value in (value for name, value in environ.items() if SECRET_NAME.search(name)):
        try:
            address = urlsplit(value)
            parts = [part for part in (address.password, address.username) if part]
            secrets |= {*parts, *map(unquote, parts)}
        except ValueError:
            secrets.add(value)
        if "://" not in value:  # as a whole, and between commas
            secrets |= {value.strip(), *(part.strip() for part in value.split(","))}
    return sorted((each for each in secrets if len(each) >= SHORTEST), key=len, reverse=True)


def redacted(text: str, secrets: list[str]) -> str:
    """The text as one line, without secrets and what looks like one."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return " ".join(TOKEN.sub(HIDDEN, text).split())
