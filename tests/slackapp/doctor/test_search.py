"""The doctor on searches of the web."""

import pytest

from slackapp.doctor.search import check_search
from tests.fakes.answers import answer
from tests.fakes.claude import FakeClaude
from tests.fakes.search_provider import KEY, FakeSearchProvider
from tests.fakes.turns import fail


@pytest.fixture
def provider():
    with FakeSearchProvider() as server:
        server.pages.append(("https://ja.wikipedia.org/", "Wikipedia", "百科事典"))
        yield server


def checked(findings, provider, name, key=KEY):
    settings = {"SEARCH_PROVIDER": name, "SEARCH_API_KEY": key, "SEARCH_BASE_URL": provider.url}
    [found] = findings(check_search, **settings)
    return found


@pytest.mark.parametrize("name", ["brave", "tavily"])
def test_a_provider_that_finds_pages_is_named_after_one_search(findings, provider, name):
    assert checked(findings, provider, name) == ("✓", f"{name} finds pages", "")
    assert len(provider.requests) == 1


@pytest.mark.parametrize("name", ["brave", "tavily"])
def test_a_wrong_key_is_told_and_not_repeated(findings, provider, name):
    sign, said, advice = checked(findings, provider, name, "another-key-123")
    assert (sign, said.startswith(f"{name}: The search was refused")) == ("✗", True)
    assert "SEARCH_API_KEY" in advice
    assert "another-key-123" not in said


def test_a_provider_that_is_away_or_finds_nothing_is_told_apart(findings, provider):
    provider.script(answer("", status=503))
    sign, said, advice = checked(findings, provider, "brave")
    assert (sign, "503" in said, "network" in advice) == ("✗", True, True)
    provider.pages.clear()
    assert checked(findings, provider, "brave")[0] == "!"


def test_claude_that_refuses_to_search_is_told(findings):
    with FakeClaude() as claude:
        claude.script(fail(403, "permission_error"))
        model = {"ANTHROPIC_API_KEY": "sk-ant-doctor-1", "ANTHROPIC_BASE_URL": claude.url}
        [(sign, said, _)] = findings(check_search, SEARCH_PROVIDER="anthropic", **model)
    assert (sign, "403 permission_error" in said) == ("✗", True)


def test_without_a_provider_or_with_an_agent_elsewhere_none_is_asked(findings, provider):
    [(sign, _, _)] = findings(check_search)
    assert sign == "–"
    arn = "arn:aws:bedrock-agentcore:ap-northeast-1:123456789012:runtime/reader"
    remote = {"AGENT_REMOTE": "true", "EXECUTION_AGENT_ARNS": f'{{"web-fetch": "{arn}"}}'}
    settings = {"SEARCH_PROVIDER": "brave", "SEARCH_API_KEY": KEY, "SEARCH_BASE_URL": provider.url}
    [(sign, said, _)] = findings(check_search, **settings, **remote)
    assert (sign, "AgentCore" in said, provider.requests) == ("–", True, [])
