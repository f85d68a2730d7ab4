"""The doctor on the store, the model, reader processes, Chromium, the way to the web and searches."""

import pytest

from fetcher import sample
from fetcher.web.errors import ExtractionFailed
from fetcher.web.sandbox import process
from slackapp.doctor import machine_checks
from slackapp.doctor.machine_checks import check_model, check_pages, check_search, check_store
from slackapp.stores.sqlite import SQLiteStore
from tests.fakes.answers import answer
from tests.fakes.claude import FakeClaude
from tests.fakes.dynamodb import CREDENTIALS
from tests.fakes.search_provider import KEY as SEARCH_KEY
from tests.fakes.search_provider import FakeSearchProvider
from tests.fakes.turns import fail, say
from tests.fetcher.web.sandbox.readers import FILTERED, unfiltered
from tests.slackapp.stores.wire import Wire

KEY = "sk-ant-doctor-1"
ARN = "arn:aws:bedrock-agentcore:ap-northeast-1:123456789012:runtime/reader"
REMOTE = {"AGENT_REMOTE": "true", "EXECUTION_AGENT_ARNS": f'{{"web-fetch": "{ARN}"}}'}


def test_a_store_that_works_is_named_with_its_path(findings, environ):
    [(sign, said, _)] = findings(check_store)
    assert (sign, environ["SQLITE_PATH"] in said) == ("✓", True)


def test_a_file_that_cannot_be_made_and_one_of_another_program_are_told_apart(findings, tmp_path):
    (tmp_path / "notes").write_text("words of another program")
    [(sign, said, advice)] = findings(check_store, SQLITE_PATH=str(tmp_path / "notes" / "s"))
    assert (sign, "cannot be used: SQLite" in said) == ("✗", True)
    assert "belong to this user" in advice
    [(sign, _, advice)] = findings(check_store, SQLITE_PATH=str(tmp_path / "notes"))
    assert (sign, "SQLITE_PATH" in advice, "disk" in advice) == ("✗", True, False)


def test_a_store_that_forgets_is_told(findings, monkeypatch):
    monkeypatch.setattr(SQLiteStore, "cache_values", lambda *_, **__: None)
    [(sign, said, _)] = findings(check_store)
    assert (sign, "was written" in said) == ("✗", True)


def test_a_missing_table_is_told_with_the_command_that_makes_it(findings, monkeypatch):
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with Wire() as wire:
        wire.plan += ["ResourceNotFoundException"]
        [(sign, said, advice)] = findings(check_store, DYNAMODB_ENDPOINT_URL=wire.url)
    assert (sign, "ResourceNotFoundException" in said) == ("✗", True)
    assert "tables create" in advice


@pytest.fixture(scope="module")
def claude():
    with FakeClaude() as server:
        yield server


def asked(findings, claude, turn):
    claude.script(turn)
    [found] = findings(check_model, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=claude.url)
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
    assert (sign, advice in told, KEY in said + told) == ("✗", True, False)
    assert len(claude.requests) == before + 1


def test_a_model_out_of_reach_is_told(findings):
    variables = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}
    [(sign, said, advice)] = findings(check_model, **variables)
    assert (sign, "does not answer" in said, "network" in advice) == ("✗", True, True)


def test_without_a_model_the_offline_reader_answers_and_one_elsewhere_is_not_called(findings):
    [(sign, said, advice)] = findings(check_model)
    assert (sign, "offline reader" in said, "ANTHROPIC_API_KEY" in advice) == ("!", True, True)
    assert findings(check_model, **REMOTE)[0][0] == "–"


def test_bedrock_without_credentials_says_how_to_get_them(findings, monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    [(sign, said, _)] = findings(check_model, MODEL_PROVIDER="bedrock")
    assert (sign, "run `aws configure`" in said) == ("✗", True)


@pytest.fixture
def network():
    """The web of the public page, in which only the sample page exists."""
    with sample.SampleSite() as site:
        only = sample.SampleNetwork(site.port)
        yield {"resolver": only, "dialer": only}


def test_pages_are_read_without_a_network_and_then_from_the_web(findings, network, monkeypatch):
    """Without Chromium the app still works, so that is a hint; and a proxy that pages do not use is told."""
    monkeypatch.setenv("HTTPS_PROXY", "http://taro:s3cret@proxy.example:8080")
    chromium = {"WEBFETCH_BROWSER__CHROMIUM_PATH": "/nowhere/chromium"}
    found = findings(check_pages, seams=network, **chromium)
    assert found[0] == ("✓", "reader processes start, and read a page", "")
    sign, said, advice = found[1]
    assert (sign, "there is no program at this path" in said) == ("!", True)
    assert "docs/browser.md" in advice
    assert found[2][:2] == ("✗", "https://example.com/ cannot be read: dns_failed")
    assert "firewall" in found[2][2]
    assert found[3][:2] == ("!", "calls of Slack go through the proxy proxy.example:8080, pages do not")
    assert "WEBFETCH_HTTP__USE_SYSTEM_PROXY=true" in found[3][2]
    monkeypatch.setattr(machine_checks, "PAGE", sample.URL)
    found = findings(check_pages, seams=network, WEBFETCH_BROWSER__ENABLED="false")
    assert [sign for sign, *_ in found] == ["✓", "–", "✓", "!"]


@FILTERED
def test_readers_whose_system_calls_are_not_filtered_are_told(findings, network, monkeypatch):
    monkeypatch.setattr(process, "PROGRAM", unfiltered(process.PROGRAM))
    found = findings(check_pages, seams=network, WEBFETCH_BROWSER__ENABLED="false")
    assert [sign for sign, *_ in found] == ["✓", "!", "–", "✗"]
    assert "system calls" in found[1][1]


def test_reading_that_is_switched_off_is_not_tried(findings):
    assert [sign for sign, *_ in findings(check_pages, WEBFETCH_ENABLED="false")] == ["–"]


def test_a_reader_that_cannot_start_is_told(findings, monkeypatch):
    monkeypatch.setattr(machine_checks, "_read", lambda *_, **__: ExtractionFailed(error="gone"))
    [(sign, said, _)] = findings(check_pages)
    assert (sign, said) == ("✗", "reader processes cannot read a page: extraction_failed")


@pytest.fixture
def provider():
    with FakeSearchProvider() as server:
        server.pages.append(("https://ja.wikipedia.org/", "Wikipedia", "百科事典"))
        yield server


def searched(findings, provider, *, key=SEARCH_KEY, online=True, **variables):
    settings = {"SEARCH_PROVIDER": "brave", "SEARCH_API_KEY": key, "SEARCH_BASE_URL": provider.url}
    return findings(check_search, seams={"online": online}, **settings, **variables)


def test_a_provider_that_finds_pages_is_named_after_one_search(findings, provider):
    assert searched(findings, provider) == [("✓", "brave finds pages", "")]
    assert len(provider.requests) == 1


def test_a_wrong_key_an_absent_provider_and_one_that_finds_nothing_are_told_apart(findings, provider):
    [(sign, said, advice)] = searched(findings, provider, key="another-key-123")
    assert (sign, said.startswith("brave: The search was refused")) == ("✗", True)
    assert ("SEARCH_API_KEY" in advice, "another-key-123" in said) == (True, False)
    provider.script(answer("", status=503))
    [(sign, said, advice)] = searched(findings, provider)
    assert (sign, "503" in said, "network" in advice) == ("✗", True, True)
    provider.pages.clear()
    assert searched(findings, provider)[0][0] == "!"


def test_nothing_is_searched_without_a_provider_without_asking_for_it_or_for_an_agent_elsewhere(
    findings, provider
):
    assert findings(check_search, seams={"online": True}) == []
    assert searched(findings, provider, online=False)[0][0] == "–"
    assert searched(findings, provider, **REMOTE) == []
    assert provider.requests == []
