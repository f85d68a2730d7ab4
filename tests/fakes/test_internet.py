"""The fakes wired together."""

import asyncio
from ipaddress import ip_address

import httpcore2
import pytest

from tests.fakes.answers import answer
from tests.fakes.client import get
from tests.fakes.internet import FakeInternet
from tests.fakes.network import is_public


def content(net, url):
    return asyncio.run(get(net, url)).content


@pytest.mark.parametrize(
    "url", ["http://shop.example/a", "https://shop.example/a", "http://shop.example:8080/a"]
)
def test_one_line_makes_a_page_reachable(internet, url):
    """A page is found by name, at a public address, on the port of its URL."""
    internet.page(url, "hello")
    assert content(internet, url) == b"hello"
    assert internet.resolver.asked == ["shop.example"]
    [(address, _)] = internet.dialer.attempts
    assert is_public(ip_address(address))


def test_addresses_are_stable_and_a_hosts_own(internet):
    """The same pages in the same order have the same addresses, one a host."""
    internet.page("http://shop.example/", "")
    internet.page("http://other.example/", "")
    internet.redirect("https://shop.example/x", "/")
    assert internet.addresses("shop.example") == ["93.184.216.34"]
    assert internet.addresses("other.example") == ["93.184.216.35"]


def test_a_host_may_have_an_ipv6_address_too(internet):
    """On request a host has one public address of each family."""
    internet.host("dual.example", ipv6=True)
    assert internet.addresses("dual.example") == ["93.184.216.34", "2606:2800:220::22"]
    assert all(is_public(ip_address(address)) for address in internet.addresses("dual.example"))


def test_a_host_may_be_anywhere(internet):
    """A host's addresses can be chosen, and its pages are served there."""
    internet.host("far.example", "203.0.114.1", "2606:4700::1")
    internet.page("http://far.example/", "hello")
    assert content(internet, "http://far.example/") == b"hello"
    assert internet.dialer.attempts == [("203.0.114.1", 80)]


def test_an_address_may_be_a_host(internet):
    """A page at an address is reachable without a name."""
    internet.page("http://93.184.216.77/", "hello")
    assert content(internet, "http://93.184.216.77/") == b"hello"
    assert internet.resolver.asked == []


def test_every_kind_of_route_is_published(internet):
    """Redirects, robots.txt and scripts make their host reachable as pages do."""
    internet.redirect("http://a.example/", "http://b.example/")
    internet.robots("http://b.example", "User-agent: *")
    internet.route("http://c.example/", answer("script"))
    statuses = [
        asyncio.run(get(internet, url)).status
        for url in ("http://a.example/", "http://b.example/robots.txt", "http://c.example/")
    ]
    assert statuses == [302, 200, 200]


def test_a_name_can_be_bound_again(internet):
    """The resolver's answers may be changed after a page was published."""
    internet.page("http://rebind.example/", "hello")
    internet.resolver.answers("rebind.example", internet.addresses("rebind.example"), ["93.184.216.200"])
    assert content(internet, "http://rebind.example/") == b"hello"
    with pytest.raises(httpcore2.ConnectError):
        content(internet, "http://rebind.example/")


def test_an_internet_of_ones_own_starts_and_stops_its_web():
    """Outside the fixtures an internet brings its own web."""
    with FakeInternet() as net:
        net.page("https://shop.example/", "hello")
        assert content(net, "https://shop.example/") == b"hello"
    with pytest.raises(httpcore2.ConnectError):
        content(net, "https://shop.example/")


def test_a_fresh_internet_is_empty(internet):
    """Nothing of one test reaches the next, though the server goes on running."""
    assert internet.web.requests == []
    assert internet.dialer.attempts == []
