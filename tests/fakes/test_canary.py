"""The canary sings."""

import socket

from tests.fakes.canary import MDNS, SECRET, Canary
from tests.fakes.network import LOOPBACK


def test_a_tcp_visitor_is_named_and_told_the_secret():
    with Canary() as canary:
        port = canary.nest("fetch")
        with socket.create_connection((LOOPBACK, port)) as visitor:
            visitor.sendall(b"GET /secret HTTP/1.1\r\n\r\n")
            answer = b"".join(iter(lambda: visitor.recv(4096), b""))
        assert canary.wait_for("fetch", 5)
    [contact] = canary.contacts
    assert (contact.transport, contact.said) == ("tcp", b"GET /secret HTTP/1.1\r\n\r\n")
    assert answer.decode().endswith(SECRET)


def test_a_visitor_who_says_nothing_is_a_contact():
    """A connection is a leak before its first byte."""
    with Canary() as canary:
        socket.create_connection((LOOPBACK, canary.nest("preconnect"))).close()
        assert canary.wait_for("preconnect", 5)


def test_a_datagram_is_a_contact():
    with Canary() as canary:
        port = canary.nest("stun")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as visitor:
            visitor.sendto(b"binding request", (LOOPBACK, port))
        assert canary.wait_for("stun", 5)
    assert [(c.nest, c.transport, c.said) for c in canary.contacts] == [("stun", "udp", b"binding request")]


def test_a_question_to_all_neighbours_is_a_contact_if_it_has_the_word():
    """What others ask is none; it is asked on loopback here, so that no neighbour hears it."""
    with Canary() as canary:
        canary.nest_on_the_local_network("mdns", b"leak")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as visitor:
            visitor.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(LOOPBACK))
            for question in (b"printer.local", b"leak.local"):
                visitor.sendto(question, MDNS)
        assert canary.wait_for("mdns", 5)
    assert [contact.said for contact in canary.contacts] == [b"leak.local"]


def test_a_nest_that_nobody_found_is_quiet():
    with Canary() as canary:
        canary.nest("unused")
        port = canary.nest("used")
        socket.create_connection((LOOPBACK, port)).close()
        assert canary.wait_for("used", 5)
        assert not canary.wait_for("unused", 0.01)
    assert canary.visited == {"used"}
