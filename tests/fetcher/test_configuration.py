"""Settings come from the environment and from a file, and nothing in them is passed over."""

import pytest

from fetcher.configuration import load, load_agent
from fetcher.settings import ConfigurationError, Settings


def test_an_empty_environment_gives_the_defaults():
    assert load({}) == Settings()


def test_nested_names_reach_their_table():
    settings = load({"WEBFETCH_SECURITY__ALLOWED_PORTS": "[80,443,8080]", "WEBFETCH_TIMEOUT_SECONDS": "7"})
    assert settings.webfetch.security.allowed_ports == (80, 443, 8080)
    assert settings.webfetch.timeout_seconds == 7


def test_names_of_others_are_left_alone():
    assert load({"PATH": "/bin", "WEB_FETCH": "1", "XWEBFETCH_A": "2"}) == Settings()


@pytest.mark.parametrize(
    "name",
    ["WEBFETCH_TIMEOUT", "WEBFETCH_SECURITY__BLOCK_LOPBACK", "WEBFETCH_TIMEOUT_SECONDS__X", "webfetch_nope"],
)
def test_an_unknown_name_is_an_error_that_names_it(name):
    """A misspelt protection does not protect."""
    with pytest.raises(ConfigurationError, match=name):
        load({name: "1"})


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("WEBFETCH_TIMEOUT_SECONDS", "soon", "\nWEBFETCH_TIMEOUT_SECONDS: "),
        ("webfetch_timeout_seconds", "soon", "\nwebfetch_timeout_seconds: "),
        ("WEBFETCH_SECURITY__ALLOWED_PORTS", "80,443", " WEBFETCH_SECURITY__ALLOWED_PORTS: not valid JSON"),
        ("WEBFETCH_SECURITY__ALLOWED_PORTS", "[80, 0]", "\nWEBFETCH_SECURITY__ALLOWED_PORTS.1: "),
        ("WEBFETCH_SECURITY__ADDITIONAL_BLOCKED_CIDRS", '["10.0.0.0/99"]', "10.0.0.0/99"),
        ("WEBFETCH_EXTRACTION__MODE", "fancy", "\nWEBFETCH_EXTRACTION__MODE: "),
        ("WEBFETCH_TOOLS_MODE", "sometimes", "\nWEBFETCH_TOOLS_MODE: "),
        ("WEBFETCH_APPROVAL_MODE", "sometimes", "\nWEBFETCH_APPROVAL_MODE: "),
        ("WEBFETCH_SECURITY__BLOCK_LOOPBACK", "false", "allow_insecure_overrides"),
        ("WEBFETCH_SECURITY", '{"bogus": 1}', "\nWEBFETCH_SECURITY.bogus: "),
        ("WEBFETCH_SECURITY", "{", " WEBFETCH_SECURITY: not valid JSON"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_it_as_people_set_it(name, value, complaint):
    with pytest.raises(ConfigurationError) as refused:
        load({name: value})
    assert complaint in str(refused.value)


def test_the_settings_of_all_tools_have_names_of_their_own():
    """E24."""
    settings = load({"WEBFETCH_TOOLS_MODE": "parse_only", "WEBFETCH_APPROVAL_MODE": "deny"})
    assert (settings.mode, settings.approval.mode) == ("parse_only", "deny")


def test_the_agents_settings_have_names_of_their_own():
    settings = load_agent(
        {
            "ANTHROPIC_API_KEY": " sk-1\n",
            "AGENT_SCAN_PAGES": "3",
            "AGENT_BLOCKED_DOMAINS": "bad.example, .worse.example,",
            "SEARCH_LANGUAGES": '["en"]',
            "ANTHROPIC_MODEL": "",
            "AGENT_NAME": "somebody else's",
        }
    )
    assert settings.anthropic_api_key.get_secret_value() == "sk-1"
    assert (settings.agent_scan_pages, settings.search_languages) == (3, ("en",))
    assert settings.agent_blocked_domains == ("bad.example", ".worse.example")
    assert (settings.anthropic_model, settings.provider) == ("claude-sonnet-5-5", "anthropic")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AGENT_MAX_TURN", "3"),
        ("AGENT_TIMEOUT_SECONDS", "many"),
        ("AGENT_BLOCKED_DOMAINS", "https://bad.example"),
        ("AGENT_ALLOWED_DOMAINS", "a b"),
        ("SEARCH_LANGUAGES", "[broken"),
        ("MODEL_PROVIDER", "oracle"),
        ("ANTHROPIC_API_KEY", "a\nb"),
        ("ANTHROPIC_API_KEY", "鍵"),
    ],
)
def test_a_wrong_setting_of_the_agent_is_refused_without_showing_secrets(name, value):
    with pytest.raises(ConfigurationError) as refused:
        load_agent({name: value})
    assert name in str(refused.value)
    assert "鍵" not in str(refused.value)


@pytest.mark.parametrize(
    ("environ", "provider"),
    [
        ({}, "offline"),
        ({"ANTHROPIC_API_KEY": "k"}, "anthropic"),
        ({"BEDROCK_MODEL_ID": "m", "ANTHROPIC_API_KEY": "k"}, "bedrock"),
        ({"MODEL_PROVIDER": "bedrock"}, "bedrock"),
        ({"MODEL_PROVIDER": "offline", "ANTHROPIC_API_KEY": "k"}, "offline"),
        ({"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}, "offline"),
    ],
)
def test_who_answers_is_chosen_by_what_is_named(environ, provider):
    """A7: ambient AWS credentials choose nothing."""
    assert load_agent(environ).provider == provider


def _file(tmp_path, text):
    path = tmp_path / "forge.toml"
    path.write_text(text, "utf-8")
    return {"WEBFETCH_CONFIG": str(path)}


def test_a_file_holds_the_srds_tables(tmp_path):
    """SRD §5.3."""
    environ = _file(
        tmp_path,
        """
        [tools]
        mode = "parse_only"
        [[tools.definitions]]
        name = "web_fetch"
        [tools.webfetch]
        max_redirects = 3
        [tools.webfetch.robots]
        fail_open = true
        """,
    )
    settings = load(environ)
    assert settings.advertises("web_fetch")
    assert settings.webfetch.max_redirects == 3
    assert settings.webfetch.robots.fail_open


def test_the_environment_wins_over_the_file(tmp_path):
    environ = _file(tmp_path, "[tools.webfetch]\nmax_redirects = 3\ntimeout_seconds = 9")
    settings = load(environ | {"WEBFETCH_MAX_REDIRECTS": "4"})
    assert (settings.webfetch.max_redirects, settings.webfetch.timeout_seconds) == (4, 9)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[tools.webfetch]\nmax_redirect = 3", "tools.webfetch.max_redirect: "),
        ("[tools.webfetch.securty]\nx = 1", "tools.webfetch.securty: "),
        ("[tool.webfetch]\nenabled = true", "tool"),
        ("tools = 3", "tools"),
        ("[tools]\nwebfetch = 3", "webfetch"),
        ("[[tools.webfetch]]\nenabled = false", "webfetch"),
        ("[tools.webfetch]\nsecurity = 'strict'", "security"),
        ("[tools.webfetch]\ntimeout_seconds = true", "timeout_seconds"),
        ("[tools.webfetch.security]\nallowed_ports = [true]", "tools.webfetch.security.allowed_ports.0: "),
        ("[tools.webfetch.robots]\nuser_agent_token = ' '", "user_agent_token"),
        ("[tools", "cannot be read"),
    ],
)
def test_a_file_with_unknown_keys_or_broken_toml_is_refused(tmp_path, text, complaint):
    with pytest.raises(ConfigurationError, match=complaint):
        load(_file(tmp_path, text))


def test_a_misshapen_table_is_not_papered_over_by_the_environment(tmp_path):
    environ = _file(tmp_path, "[tools.webfetch]\nsecurity = 'strict'")
    with pytest.raises(ConfigurationError, match="security: must be a table"):
        load(environ | {"WEBFETCH_SECURITY__MAX_DNS_ATTEMPTS": "3"})


def test_a_file_that_is_not_there_is_an_error():
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml"):
        load({"WEBFETCH_CONFIG": "nowhere.toml"})
