"""Under which names, and with which key, the server may be called over HTTP."""

import pytest

from fetcher.mcp.settings import LOOPBACK_NAMES, McpSettings, load
from fetcher.settings import ConfigurationError


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_on_loopback_no_key_is_needed(host):
    assert load({}).hosts_on(host) == LOOPBACK_NAMES


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.2", "reader.example"])
def test_elsewhere_a_key_is_needed(host):
    with pytest.raises(ConfigurationError, match="can be reached from outside: set MCP_SERVER_KEY"):
        load({"MCP_SERVER_HOSTS": "reader.example"}).hosts_on(host)


@pytest.mark.parametrize(
    ("host", "hosts", "names"),
    [
        ("192.168.0.2", "", ("192.168.0.2",)),
        ("2001:db8::1", "", ("[2001:db8::1]",)),
        ("0.0.0.0", "reader.example, [2001:db8::1]", ("reader.example", "[2001:db8::1]")),
        ("127.0.0.1", "reader.example", (*LOOPBACK_NAMES, "reader.example")),
    ],
)
def test_clients_may_use_the_address_and_the_names_of_the_setting(host, hosts, names):
    settings = load({"MCP_SERVER_KEY": "k", "MCP_SERVER_HOSTS": hosts})
    assert settings.hosts_on(host) == names


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_every_address_at_once_needs_a_name(host):
    with pytest.raises(ConfigurationError, match="set MCP_SERVER_HOSTS"):
        load({"MCP_SERVER_KEY": "k"}).hosts_on(host)


@pytest.mark.parametrize("hosts", ["*", "reader.example:9100", "http://reader.example", "a b", ":*"])
def test_a_name_that_is_none_stops_the_start(hosts):
    with pytest.raises(ConfigurationError, match="MCP_SERVER_HOSTS"):
        load({"MCP_SERVER_HOSTS": hosts})


@pytest.mark.parametrize("key", ["日本", "a\nb"])
def test_a_key_that_no_header_carries_stops_the_start_and_is_not_repeated(key):
    with pytest.raises(ConfigurationError, match="MCP_SERVER_KEY") as problem:
        load({"MCP_SERVER_KEY": key})
    assert key not in str(problem.value)


def test_a_misspelt_setting_stops_the_start_and_those_of_clients_do_not():
    with pytest.raises(ConfigurationError, match="MCP_SERVER_KEYS"):
        load({"MCP_SERVER_KEYS": "k"})
    assert load({"MCP_TIMEOUT": "1"}) == McpSettings()
