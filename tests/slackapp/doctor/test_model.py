"""The doctor on the model."""

import sys

import pytest

from slackapp.doctor.model import check_model
from tests.fakes.claude import FakeClaude
from tests.fakes.turns import fail, say

KEY = "sk-ant-doctor-1"


@pytest.fixture(scope="module")
def claude():
    with FakeClaude() as server:
        yield server


def asked(findings, claude, turn, **variables):
    claude.script(turn)
    using = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": claude.url, **variables}
    [found] = findings(check_model, **using)
    return found


def test_a_model_that_answers_is_named_after_one_cheap_call(findings, claude):
    before = len(claude.requests)
    assert asked(findings, claude, say("pong"))[:2] == ("✓", "anthropic:claude-sonnet-5-5 answers")
    [request] = claude.requests[before:]
    assert request.json["max_tokens"] <= 256
    assert len(request.text) < 1_000


@pytest.mark.parametrize(
    ("turn", "advice"),
    [
        (fail(401, "authentication_error", message=f"invalid x-api-key {KEY}"), "ANTHROPIC_API_KEY"),
        (fail(402, "billing_error"), "Billing"),
        (fail(404, "not_found_error", message="model: claude-sonet"), "ANTHROPIC_MODEL"),
        (fail(403, "permission_error"), "may not use this model"),
        (fail(429, "rate_limit_error"), "limit"),
        (fail(529, "overloaded_error"), "status.claude.com"),
    ],
)
def test_a_wrong_key_a_wrong_name_and_a_model_that_is_away_are_told_apart(findings, claude, turn, advice):
    before = len(claude.requests)
    sign, said, told = asked(findings, claude, turn)
    assert sign == "✗"
    assert advice in told
    assert KEY not in said + told
    assert len(claude.requests) == before + 1


def test_a_model_out_of_reach_is_told(findings):
    [(sign, said, advice)] = findings(
        check_model, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL="http://127.0.0.1:1"
    )
    assert (sign, "does not answer" in said) == ("✗", True)
    assert "network" in advice


def test_a_proxy_that_cannot_be_used_is_told_as_a_setting(findings, monkeypatch):
    monkeypatch.setitem(sys.modules, "socksio", None)  # the packages of `make bench` bring it
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    [(sign, said, advice)] = findings(check_model, ANTHROPIC_API_KEY=KEY)
    assert (sign, "SOCKS is not supported" in said, "docs/settings.md" in advice) == ("✗", True, True)


def test_without_a_model_the_offline_reader_answers(findings):
    [(sign, said, advice)] = findings(check_model)
    assert (sign, "offline reader" in said, "ANTHROPIC_API_KEY" in advice) == ("!", True, True)


def test_an_agent_elsewhere_is_not_called(findings):
    arn = "arn:aws:bedrock-agentcore:ap-northeast-1:123456789012:runtime/reader"
    listed = f'{{"web-fetch": "{arn}"}}'
    assert findings(check_model, AGENT_REMOTE="true", EXECUTION_AGENT_ARNS=listed)[0][0] == "–"


def test_bedrock_without_credentials_says_how_to_get_them(findings, monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    [(sign, said, _)] = findings(check_model, MODEL_PROVIDER="bedrock")
    assert (sign, "run `aws configure`" in said) == ("✗", True)
