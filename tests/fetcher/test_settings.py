"""Settings check, clamp and complete themselves (SRD §5)."""

import os
import tempfile
from pathlib import Path

import pytest
from pydantic import ValidationError

from fetcher.codes import ReadingMode, Toggle
from fetcher.settings import ConfigurationError, Settings, WebFetchSettings

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


def test_defaults_are_the_srds_except_where_they_would_switch_the_product_off():
    """SRD §5.3 with E23: the agent runs unattended, so the tool is on and needs no approval."""
    settings = WebFetchSettings()
    assert (settings.enabled, settings.allow_auto_execution) == (True, True)
    assert settings.user_agent == "forge-webfetch/1.0"
    assert (settings.timeout_seconds, settings.max_redirects) == (20, 5)
    assert settings.default_max_chunk_tokens == 600
    assert settings.cache_dir == str(Path(tempfile.gettempdir()) / f"forge-webfetch-{os.getuid()}")
    assert (settings.cache_ttl_days, settings.max_cache_entries) == (7, 10_000)
    assert (settings.max_cache_bytes, settings.max_download_bytes) == (2**30, 5 * 2**20)
    assert (settings.robots_cache_entries, settings.robots_cache_ttl_hours) == (1024, 24)
    assert settings.security.allowed_ports == (80, 443)
    assert settings.security.max_dns_attempts == 2
    assert settings.browser.block_resources == ("image", "font", "media")
    assert settings.robots.max_robots_bytes == 512 * 1024
    assert settings.extraction.mode is ReadingMode.SRD


def test_an_empty_port_list_means_the_default_and_another_list_replaces_it():
    """SRD FR-WF-PORT-01."""
    assert _with("security.allowed_ports", []).security.allowed_ports == (80, 443)
    assert _with("security.allowed_ports", [8080]).security.allowed_ports == (8080,)


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
def test_the_surroundings_win_over_the_tools_own_switch(tools, executes, advertised):
    """SRD §5.2 and FR-WF-OP-02."""
    settings = Settings.model_validate(tools)
    assert (settings.switched_off_by is None, settings.advertises("web_fetch")) == (executes, advertised)
