"""A local Slack for all checks of a module, and an installation that speaks to it."""

from collections.abc import Callable, Iterator

import pytest

from slackapp.doctor.findings import Check, Examination
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from slackapp.settings import load

BOT, APP = "xoxb-1-local-bot", "xapp-1-A0READER-1-local"


@pytest.fixture(scope="package")
def running() -> Iterator[LocalSlack]:
    with LocalSlack() as slack:
        slack.install(App(bot_token=BOT, app_token=APP))
        yield slack


@pytest.fixture
def slack(running, monkeypatch) -> Iterator[LocalSlack]:
    """Without the faults of the test before; the environment names no proxy."""
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield running
    running.faults.clear()


@pytest.fixture
def environ(slack, tmp_path) -> dict[str, str]:
    return {
        "SLACK_BOT_TOKEN": BOT,
        "SLACK_APP_TOKEN": APP,
        "SLACK_API_URL": slack.api_url,
        "SQLITE_PATH": str(tmp_path / "store.sqlite3"),
        "WHITELIST_TEAM_IDS": "T0LOCAL",
    }


@pytest.fixture
def findings(environ) -> Callable[..., list[tuple[str, str, str]]]:
    """Runs checks after one another: what they find, as `(sign, words, advice)`."""

    def run(*checks: Check, seams=None, **variables: str):
        using = {**environ, **variables}
        examination = Examination(settings=load(using), environ=using, **(seams or {}))
        return [
            (str(finding.verdict), finding.said, finding.advice)
            for check in checks
            for finding in check(examination)
        ]

    return run
