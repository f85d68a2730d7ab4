"""Settings check, clamp and complete themselves (SRD §5)."""

import os
import tempfile
from pathlib import Path

import pytest
from pydantic import ValidationError

from fetcher.agent.files.workbooks import XLSX
from fetcher.codes import ReadingMode, Toggle
from fetcher.settings import AgentSettings, ConfigurationError, Settings, WebFetchSettings

CLAMPED = [
    ("timeout_seconds", 1, 300),
    ("max_redirects", 0, 20),
    ("default_max_chunk_tokens", 128, 2048),
    ("cache_ttl_days", 1, 365),
    ("max_cache_entries", 0, 1_000_000),
    ("max_cache_bytes", 1_048_576, 1_099_511_627_776),
    ("max_download_bytes", 1024, 104_857_600),
    ("robots_cache_entries", 0, 100_000),
    ("robots_cache_ttl_hours", 1, 720),
    ("security.max_dns_attempts", 1, 10),
    ("browser.network_idle_ms", 1000, 120_000),
    ("browser.max_rendered_dom_bytes", 1024, 104_857_600),
    ("browser.max_total_subresource_bytes", 1_048_576, 524_288_000),
    ("rendering.min_extracted_chars", 0, 10_000),
    ("robots.max_robots_bytes", 1024, 104_857_600),  # ours: the SRD names no range
    ("cache_query_ttl_hours", 0, 8760),  # ours: a year at most
]


def _with(path: str, value: object) -> WebFetchSettings:
    for name in reversed(path.split(".")):
        value = {name: value}
    return WebFetchSettings.model_validate(value)


def _get(settings: object, path: str) -> object:
    for name in path.split("."):
        settings = getattr(settings, name)
    return settings


@pytest.mark.parametrize(("path", "low", "high"), CLAMPED)
def test_numbers_are_pulled_into_their_range(path, low, high):
    """SRD §5.4: a value outside its range becomes the nearest bound, one inside stays."""
    given = [low - 1, low, high, high + 1]
    assert [_get(_with(path, value), path) for value in given] == [low, low, high, high]


DEFAULTS = [
    ("enabled", False),
    ("user_agent", "forge-webfetch/1.0"),
    ("timeout_seconds", 20),
    ("max_redirects", 5),
    ("default_max_chunk_tokens", 600),
    ("cache_dir", f"{tempfile.gettempdir()}/forge-webfetch-{os.getuid()}"),
    ("cache_ttl_days", 7),
    ("max_cache_entries", 10_000),
    ("max_cache_bytes", 1_073_741_824),
    ("max_download_bytes", 5_242_880),
    ("robots_cache_entries", 1024),
    ("robots_cache_ttl_hours", 24),
    ("allow_auto_execution", False),
    ("cache_query_ttl_hours", 8760),  # ours: as long as other pages
    ("http.use_system_proxy", False),
    ("robots.fail_open", False),
    ("robots.user_agent_token", None),  # FR-WF-ROBOTS-UA-TOKEN-01: taken from the user agent
    ("robots.max_robots_bytes", 524_288),
    ("browser.enabled", True),
    ("browser.chromium_path", ""),
    ("browser.max_total_subresource_bytes", 20_971_520),
    ("browser.network_idle_ms", 20_000),
    ("browser.max_rendered_dom_bytes", 5_242_880),
    ("browser.block_resources", ("image", "font", "media")),
    ("browser.sandbox", True),  # E16
    ("security.block_private_ips", True),
    ("security.block_loopback", True),
    ("security.block_link_local", True),
    ("security.block_reserved", True),
    ("security.allowed_ports", (80, 443)),
    ("security.additional_blocked_cidrs", ()),
    ("security.exempt_cidrs", ()),  # E5: opt-in
    ("security.max_dns_attempts", 2),
    ("security.allow_insecure_overrides", False),
    ("rendering.js_heavy_domains", ()),
    ("rendering.spa_fallback_enabled", True),
    ("rendering.min_extracted_chars", 400),
    ("extraction.mode", ReadingMode.SRD),  # E17
]


def test_defaults_are_the_srds():
    """SRD §5.3, row by row, and what our decisions add."""
    assert [(path, _get(WebFetchSettings(), path)) for path, _ in DEFAULTS] == DEFAULTS


def test_what_runs_unattended_switches_the_tool_on_unless_it_was_set():
    """E23: the bare library reads no page and asks for each; programs without a person do not."""
    assert Settings().switched_off_by == "tools.webfetch.enabled"
    web = Settings().for_unattended().webfetch
    assert (web.enabled, web.allow_auto_execution, web.cache_query_ttl_hours) == (True, True, 24)
    given = {"enabled": False, "allow_auto_execution": False, "cache_query_ttl_hours": 9}
    set_by_hand = Settings.model_validate({"webfetch": given}).for_unattended().webfetch
    assert set_by_hand.model_dump(include=set(given)) == given


def test_an_empty_port_list_means_the_default_and_another_list_replaces_it():
    """SRD FR-WF-PORT-01."""
    assert _with("security.allowed_ports", []).security.allowed_ports == (80, 443)
    assert _with("security.allowed_ports", [8080]).security.allowed_ports == (8080,)


def test_the_first_and_the_last_port_are_ports():
    """SRD §5.4: valid port numbers."""
    assert _with("security.allowed_ports", [1, 65535]).security.allowed_ports == (1, 65535)


@pytest.mark.parametrize("port", [0, 65536, -1, "http"])
def test_a_port_that_is_none_is_refused(port):
    with pytest.raises(ValidationError):
        _with("security.allowed_ports", [port])


@pytest.mark.parametrize("toggle", list(Toggle))
def test_t_wf_ssrf_11_a_protection_is_not_switched_off_without_the_override(toggle):
    """T-WF-SSRF-11, SRD FR-WF-SEC-OVR-01: the application refuses to start and says why."""
    with pytest.raises(ConfigurationError) as refused:
        WebFetchSettings.model_validate({"security": {toggle: False}})
    assert str(refused.value) == (
        "Configuration error: SSRF protection cannot be disabled without allow_insecure_overrides=true\n"
        f"Affected settings: {toggle}=false"
    )


def test_with_the_override_a_protection_is_switched_off():
    settings = WebFetchSettings.model_validate(
        {"security": {"block_loopback": False, "allow_insecure_overrides": True}}
    )
    assert settings.security.opened == {Toggle.BLOCK_LOOPBACK}


def test_an_exemption_needs_the_override_too():
    """E5: opening a range by name weakens the protection as much as a switch does."""
    with pytest.raises(ConfigurationError, match="exempt_cidrs"):
        _with("security.exempt_cidrs", ["198.18.0.0/15"])


@pytest.mark.parametrize("cidr", ["10.0.0.0/33", "10.0.0.1/8", "nonsense", 10, ""])
def test_a_network_that_is_none_is_refused(cidr):
    """SRD FR-WF-05g: an invalid entry is a configuration error at start."""
    with pytest.raises(ValidationError):
        _with("security.additional_blocked_cidrs", [cidr])


def test_an_unknown_key_is_refused():
    with pytest.raises(ValidationError, match="blok_loopback"):
        _with("security.blok_loopback", True)


@pytest.mark.parametrize("path", ["cache_dir", "browser.chromium_path"])
@pytest.mark.parametrize("value", ["${UNSET_HERE}/x", "$UNSET_HERE/x", "/a/${UNSET_HERE}", "${}/x"])
def test_a_path_with_a_variable_that_is_not_set_is_an_error(path, value):
    """It would lead to a directory that is called `${UNSET_HERE}`, or to the root."""
    with pytest.raises(ValidationError, match="is not set"):
        _with(path, value)


@pytest.mark.parametrize("path", ["cache_dir", "browser.chromium_path"])
def test_a_home_that_is_not_known_is_an_error_too(path, monkeypatch):
    """It would lead to a directory that is called `~nobody-of-this-name`."""
    with pytest.raises(ValidationError, match="the home directory ~nobody-of-this-name is not known"):
        _with(path, "~nobody-of-this-name/x")
    monkeypatch.setenv("HOME", "/home/taro")
    assert _with("cache_dir", "~/x").cache_dir == "/home/taro/x"
    assert _with("cache_dir", "/a/~b").cache_dir == "/a/~b"


def test_a_variable_that_is_set_to_nothing_is_nothing(monkeypatch):
    """SRD FR-WF-CFG-03a: caching is disabled."""
    monkeypatch.setenv("MY_CACHE", "")
    assert _with("cache_dir", "${MY_CACHE}").cache_dir == ""


def test_paths_are_expanded_and_made_absolute(monkeypatch):
    """SRD FR-WF-CFG-03 and 03a."""
    monkeypatch.setenv("MY_CACHE", "pages")
    assert _with("cache_dir", "$MY_CACHE/x").cache_dir == str(Path.cwd() / "pages" / "x")
    assert _with("cache_dir", "${TEMP}/x").cache_dir == str(Path(tempfile.gettempdir()) / "x")
    assert _with("cache_dir", "   ").cache_dir == ""
    assert _with("browser.chromium_path", "").browser.chromium_path == ""


@pytest.mark.parametrize("value", ["", "a\r\nX: y", "\u00e9", " lead"])
def test_a_user_agent_must_be_fit_for_a_header(value):
    with pytest.raises(ValidationError):
        _with("user_agent", value)


@pytest.mark.parametrize(
    ("tools", "executes", "advertised"),
    [
        ({}, True, True),
        ({"mode": "disabled"}, False, False),
        ({"mode": "disabled", "webfetch": {"enabled": True}}, False, False),
        ({"webfetch": {"enabled": False}}, False, False),
        ({"mode": "parse_only"}, False, False),
        ({"mode": "parse_only", "definitions": [{"name": "web_fetch"}]}, False, True),
        ({"mode": "parse_only", "definitions": [{"name": "other", "x": 1}]}, False, False),
        ({"approval": {"mode": "deny"}}, False, True),
    ],
)
def test_the_settings_of_all_tools_win_over_the_tools_own_switch(tools, executes, advertised):
    """SRD §5.2 and FR-WF-OP-02."""
    settings = Settings.model_validate(tools).for_unattended()
    assert (settings.switched_off_by is None, settings.advertises("web_fetch")) == (executes, advertised)


def test_all_tools_are_on_by_default():
    """E23, E24: `tools.mode` and `tools.approval.mode` are there to be switched."""
    settings = Settings()
    assert (settings.mode, settings.approval.mode, settings.definitions) == ("enabled", "auto", ())


AGENT_DEFAULTS = [
    ("anthropic_model", "claude-sonnet-5-5"),  # A7
    ("model_provider", ""),  # A7: ambient credentials choose nothing
    ("aws_region_name", ""),  # AWS's own region; without one, the document's (`aws.region_of`)
    ("agent_max_fetches", 8),  # A3
    ("agent_max_file_bytes", 5_242_880),  # file-to-slack.md 1.1
    ("agent_file_types", ("text/csv", "application/json", "text/plain", XLSX)),  # file-to-slack.md 1.1, Excel
]


@pytest.mark.parametrize(("name", "default"), AGENT_DEFAULTS)
def test_the_agents_defaults_are_the_documents(name, default):
    """fetch-url-agent.md, file-to-slack.md, and the decisions A3 and A7."""
    assert getattr(AgentSettings(), name) == default
