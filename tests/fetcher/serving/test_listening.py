"""Sockets that a server listens on, and how its address is written."""

import socket

import pytest

from fetcher.serving import is_loopback, listen, url_of
from fetcher.settings import ConfigurationError


@pytest.mark.parametrize(
    ("host", "local"),
    [
        *((host, True) for host in ("127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost")),
        *((host, False) for host in ("0.0.0.0", "::", "192.168.0.2", "localhost.example", "")),
    ],
)
def test_only_loopback_is_for_this_machine_alone(host, local):
    assert is_loopback(host) is local


def test_replies_are_sent_at_once():
    """asyncio switches Nagle's algorithm off only where the socket names its protocol: 40 ms a call."""
    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_a_port_that_is_taken_is_said_in_one_sentence():
    with listen("127.0.0.1", 0) as taken, pytest.raises(ConfigurationError, match="cannot listen"):
        listen("127.0.0.1", taken.getsockname()[1])


@pytest.mark.parametrize("host", ["日" * 64, "日..example"])
def test_a_name_that_no_machine_can_have_is_said_in_one_sentence(host):
    with pytest.raises(ConfigurationError, match="cannot listen"):
        listen(host, 0)


@pytest.mark.parametrize(
    ("host", "url"),
    [("127.0.0.1", "http://127.0.0.1:9000"), ("::1", "http://[::1]:9000"), ("a.b", "http://a.b:9000")],
)
def test_the_address_that_is_shown_can_be_called(host, url):
    assert url_of(host, 9000) == url


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none_is_said_in_one_sentence(port):
    with pytest.raises(ConfigurationError, match="is no port"):
        listen("127.0.0.1", port)
