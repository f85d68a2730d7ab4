"""The wall around the test run."""

import contextlib
import socket

import pytest

from tests.fakes.isolation import LeftTheMachine


@pytest.mark.parametrize("host", ["example.com", b"example.com"])
@pytest.mark.parametrize("look_up", [lambda host: socket.getaddrinfo(host, 80), socket.gethostbyname])
def test_no_name_is_looked_up(host, look_up):
    """Asking the system's DNS fails before it is asked."""
    with pytest.raises(LeftTheMachine, match="example"):
        look_up(host)


@pytest.mark.parametrize("host", ["93.184.216.34", "10.0.0.1"])
def test_no_other_machine_is_connected_to(host):
    """Connecting to another machine fails before a packet is sent."""
    with socket.socket() as connection, pytest.raises(LeftTheMachine, match=host):
        connection.connect((host, 80))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", None])
def test_loopback_is_free(host):
    """This machine's own name and addresses may be looked up."""
    assert socket.getaddrinfo(host, 80)


def test_a_datagram_socket_may_be_connected():
    """Connecting a datagram socket sends nothing, and so it may go anywhere."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))
