"""The test ground: a small internet and the services of others on loopback, and a clock that stands still."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.fakes.bedrock_agents import FakeBedrockAgents
from tests.fakes.claude import FakeClaude
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import dynamodb_endpoint
from tests.fakes.internet import FakeInternet
from tests.fakes.isolation import forbid_the_outside
from tests.fakes.search_provider import FakeSearchProvider
from tests.fakes.web import FakeWeb

__all__ = ["dynamodb_endpoint"]

# Machines are noisy, so no example is too slow. A submission is judged by the same examples each time;
# new ones are looked for where somebody can act on what they find.
hypothesis.settings.register_profile("project", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("project")


def pytest_configure() -> None:
    forbid_the_outside()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where everything that tests need is installed, a test that skips is a test that does not work."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("FETCHER_TEST_NO_SKIPS") and reporter and reporter.stats.get("skipped"):
        reporter.write_line("Tests were skipped where none may be.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True)
def logs_are_heard() -> None:
    """Whatever starts our programs in this process turns their logs away; the next test hears them again."""
    for name in ("fetcher", "slackapp"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
        logger.setLevel(logging.NOTSET)


@pytest.fixture(scope="session")
def running_web() -> Iterator[FakeWeb]:
    """The one server of a test run; tests take `internet`, which leaves it clean."""
    with FakeWeb() as web:
        yield web


@pytest.fixture
def internet(running_web: FakeWeb) -> Iterator[FakeInternet]:
    """An empty internet; a test that lets a forbidden address be dialled fails here at the latest."""
    with FakeInternet(running_web) as net:
        yield net
        running_web.reset()
        assert net.dialer.forbidden == []


@pytest.fixture(scope="session")
def running_claude() -> Iterator[FakeClaude]:
    """The one fake model of a test run; tests take `claude`, which leaves it clean."""
    with FakeClaude() as server:
        yield server


@pytest.fixture
def claude(running_claude: FakeClaude) -> Iterator[FakeClaude]:
    """A model whose words a test scripts; a request that the real API would refuse fails the test."""
    yield running_claude
    refusals = list(running_claude.refusals)
    running_claude.reset()
    assert refusals == []


@pytest.fixture(scope="session")
def running_provider() -> Iterator[FakeSearchProvider]:
    """The one fake search provider of a test run; tests take `provider`, which leaves it clean."""
    with FakeSearchProvider() as server:
        yield server


@pytest.fixture
def provider(running_provider: FakeSearchProvider) -> Iterator[FakeSearchProvider]:
    """Brave and Tavily; a request that their documentation does not allow fails the test."""
    yield running_provider
    refusals = list(running_provider.refusals)
    running_provider.reset()
    assert refusals == []


@pytest.fixture(scope="session")
def running_bedrock() -> Iterator[FakeBedrockAgents]:
    """The one fake Bedrock of a test run; tests take `bedrock`, which leaves it clean."""
    with FakeBedrockAgents() as server:
        yield server


@pytest.fixture
def bedrock(running_bedrock: FakeBedrockAgents) -> Iterator[FakeBedrockAgents]:
    """Agents on AWS whose words a test scripts; a request that AWS would refuse fails the test."""
    yield running_bedrock
    refusals = list(running_bedrock.refusals)
    running_bedrock.reset()
    assert refusals == []


@pytest.fixture
def clock() -> FakeClock:
    """A clock at noon of 10 January 2026, UTC."""
    return FakeClock()


@pytest.fixture
def reach(internet: FakeInternet, tmp_path: Path) -> dict[str, str]:
    """An environment in which the command line may read the fake web's port on loopback."""
    return {
        "PATH": os.environ["PATH"],
        "WEBFETCH_SECURITY__ALLOW_INSECURE_OVERRIDES": "true",
        "WEBFETCH_SECURITY__BLOCK_LOOPBACK": "false",
        "WEBFETCH_SECURITY__ALLOWED_PORTS": f"[{internet.web.port}]",
        "WEBFETCH_CACHE_DIR": str(tmp_path / "cache"),
    }
