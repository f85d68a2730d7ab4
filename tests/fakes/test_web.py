"""The web on loopback."""

import asyncio
import contextlib
import gc
import socket
import threading

import httpcore2
import pytest

from tests.fakes.client import get, talk
from tests.fakes.gate import Gate
from tests.fakes.misbehaviour import endless_body, slow_drip, stall
from tests.fakes.network import LOOPBACK
from tests.fakes.web import FakeWeb, normal

HELLO = (
    b"HTTP/1.1 200 OK\r\n"
    b"Content-Type: text/html; charset=utf-8\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
)


def fetch(net, url):
    return asyncio.run(get(net, url))


def connect(port):
    return socket.create_connection((LOOPBACK, port), timeout=5)


def is_cut_off(client):
    """Whether the other side has closed or reset the connection."""
    with contextlib.suppress(ConnectionResetError):
        while client.recv(1 << 20):
            pass
    return True


def test_t_wf_infra_02_a_page_is_served_byte_by_byte_as_set(internet):
    """T-WF-INFRA-02: the same page gives the same bytes, to the last header."""
    internet.page("http://shop.example/", "hello")
    assert talk(internet.web.port, "shop.example") == HELLO


def test_hosts_schemes_and_ports_are_kept_apart(internet):
    """A route belongs to one URL: another host, scheme or port of the same path has its own."""
    urls = [
        "http://shop.example/",
        "https://shop.example/",
        "http://shop.example:8080/",
        "https://shop.example:8443/",
        "http://other.example/",
    ]
    for url in urls:
        internet.page(url, url)
    assert [fetch(internet, url).content.decode() for url in urls] == urls


def test_a_route_answers_for_its_queries(internet):
    """A route without a query takes every query but those that have a route."""
    internet.page("http://shop.example/list", "any")
    internet.page("http://shop.example/list?page=2", "second")
    answers = [
        fetch(internet, f"http://shop.example/list{query}").content for query in ("", "?page=1", "?page=2")
    ]
    assert answers == [b"any", b"any", b"second"]


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("http://Shop.example", "http://shop.example/"),
        ("http://shop.example:80/a", "http://shop.example/a"),
        ("https://shop.example:443/#part", "https://shop.example/"),
        ("https://shop.example:80/", "https://shop.example:80/"),
        ("http://日本.example/値段?円", "http://xn--wgv71a.example/%E5%80%A4%E6%AE%B5?%E5%86%86"),
        ("http://shop.example/a%20b c", "http://shop.example/a%20b%20c"),
        ("http://[2606:2800:220:1::1]:8080/", "http://[2606:2800:220:1::1]:8080/"),
    ],
)
def test_a_route_is_written_as_people_write_urls(written, asked):
    """A route matches what a client makes of the same URL."""
    assert normal(written) == asked


def test_an_unknown_page_of_a_known_host_is_not_found(internet):
    """A host's other paths are 404, its robots.txt among them."""
    internet.page("http://shop.example/", "hello")
    for path in ("/other", "/robots.txt"):
        response = fetch(internet, f"http://shop.example{path}")
        assert response.status == 404
        assert b"no such page" in response.content


def test_an_unknown_host_is_not_found_and_says_so(internet):
    """A request that reaches the web under a name that nobody set up can be told by its body."""
    internet.host("stray.example")
    response = fetch(internet, "http://stray.example/")
    assert response.status == 404
    assert b"no such host" in response.content


def test_a_redirect_says_where_to(internet):
    """A redirect carries its status and its target as written."""
    internet.redirect("http://shop.example/", "//other.example/\u00e9", 308)
    response = fetch(internet, "http://shop.example/")
    assert response.status == 308
    assert (b"Location", b"//other.example/\xe9") in response.headers


@pytest.mark.parametrize(
    ("rules", "status", "body"), [("User-agent: *", 200, b"User-agent: *"), (503, 503, b"")]
)
def test_robots_are_rules_or_a_failure(internet, rules, status, body):
    """An origin's robots.txt is a plain text, or a status."""
    internet.robots("https://shop.example", rules)
    response = fetch(internet, "https://shop.example/robots.txt")
    assert (response.status, response.content) == (status, body)


def test_a_test_can_write_its_own_script(internet):
    """A script sees the request and says whatever it likes."""

    async def echo(request):
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        yield f"{request.method} {request.url} {request.header('USER-AGENT')}".encode()

    internet.route("http://shop.example/", echo)
    assert fetch(internet, "http://shop.example/?q").content == b"GET http://shop.example/?q None"


def test_requests_are_written_down_as_they_arrived(internet):
    """Method, target, headers in their spelling, TLS name and body are on record, in order."""

    async def post():
        stream = await internet.dialer.dial((await internet.resolver.resolve("shop.example"))[0], 80)
        await stream.write(
            b"POST /x?y HTTP/1.1\r\nhOsT: shop.example\r\nContent-Length: 2\r\nX-A: 1\r\nX-A:2 \r\n\r\nok"
        )
        assert await stream.read(4096)
        await stream.aclose()

    internet.page("https://shop.example/", "hello")
    asyncio.run(post())
    fetch(internet, "https://shop.example/")
    first, second = internet.web.requests
    assert (first.method, first.url, first.body) == ("POST", "http://shop.example/x?y", b"ok")
    assert first.headers == (("hOsT", "shop.example"), ("Content-Length", "2"), ("X-A", "1"), ("X-A", "2"))
    assert (first.scheme, first.server_name) == ("http", None)
    assert (second.scheme, second.server_name) == ("https", "shop.example")
    assert second.peer[0] == LOOPBACK


def test_requests_are_counted_by_url(internet):
    """A URL's count includes its queries; a URL with a query counts only itself."""
    for target in ("/list", "/list?page=2", "/list/other"):
        talk(internet.web.port, "shop.example", target)
    assert internet.web.count("http://shop.example/list") == 2
    assert internet.web.count("http://shop.example/list?page=2") == 1
    assert internet.web.count("https://shop.example/list") == 0


def test_a_real_client_fetches_over_tls_and_verifies_the_name(internet):
    """httpcore's pool, over the dialer, sends SNI and accepts the certificate by the host's name."""
    internet.page("https://shop.example/", "hello")
    assert fetch(internet, "https://shop.example/").content == b"hello"
    assert internet.web.requests[0].server_name == "shop.example"
    assert internet.dialer.attempts == [("93.184.216.34", 443)]


@pytest.mark.parametrize("flaw", ["wrong", "expired", "self_signed"])
def test_a_real_client_refuses_a_flawed_certificate(internet, flaw):
    """A flawed certificate ends the connection before a request is sent."""
    internet.page("https://bad.example/", "hello")
    getattr(internet.web, f"{flaw}_certificate")("bad.example")
    with pytest.raises(httpcore2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        fetch(internet, "https://bad.example/")
    assert internet.web.requests == []


def test_addresses_are_served_over_tls_without_sni(internet):
    """A host that is an address gets a certificate for it, though the handshake does not name it."""
    internet.page("https://93.184.216.99/", "hello")
    internet.page("https://[2606:2800:220:1::1]/", "hello")
    assert fetch(internet, "https://93.184.216.99/").content == b"hello"
    assert fetch(internet, "https://[2606:2800:220:1::1]/").content == b"hello"
    assert [request.server_name for request in internet.web.requests] == [None, None]


def test_reset_forgets_everything():
    """After a reset there are no routes, no records and no flaws."""
    with FakeWeb() as web:
        web.page("http://shop.example/", "hello")
        talk(web.port, "shop.example")
        web.reset()
        assert web.requests == []
        assert b"no such host" in talk(web.port, "shop.example")


def test_a_request_on_its_way_does_not_reach_the_next_test():
    """A client that asks and leaves at once is forgotten by the reset that follows."""
    with FakeWeb() as web:
        for _ in range(20):
            with connect(web.port) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n")
            web.reset()
            assert web.all_hung_up()
            assert web.requests == []


@pytest.mark.parametrize("end", [FakeWeb.reset, FakeWeb.stop])
@pytest.mark.parametrize("script", [slow_drip("for hours", delay=3600), endless_body()])
def test_reset_and_stop_cut_running_scripts_off(script, end):
    """Connections that would go on for ever end with the reset, or with the server."""
    with FakeWeb() as web, connect(web.port) as client:
        web.route("http://shop.example/", script)
        client.sendall(b"GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n")
        client.recv(1)
        end(web)
        assert is_cut_off(client)


def test_stop_leaves_nothing_behind():
    """A stopped web has no thread, and no half-open handshake or connection to warn about."""
    threads = threading.active_count()
    with FakeWeb() as web, connect(web.port) as silent, connect(web.tls_port) as halfway:
        halfway.sendall(b"\x16\x03\x01")
        web.stop()
        assert is_cut_off(silent)
        assert is_cut_off(halfway)
    gc.collect()
    assert threading.active_count() <= threads


def test_stop_may_be_called_twice():
    """A test may stop a web that its context manager stops again."""
    with FakeWeb() as web:
        web.stop()


def test_a_failing_script_is_the_tests_failure():
    """What a script raises comes out of the next reset, once."""

    async def broken(request):
        yield b"HTTP/1.1 200 OK\r\n"
        raise LookupError("a mistake in the script")

    with FakeWeb() as web:
        web.route("http://shop.example/", broken)
        assert talk(web.port, "shop.example") == b"HTTP/1.1 200 OK\r\n"
        with pytest.raises(ExceptionGroup) as caught:
            web.reset()
        assert caught.group_contains(LookupError, match="mistake")


def test_it_is_known_whether_clients_hang_up(internet):
    """The web tells a client that leaves from one that stays, even while it is silent itself."""
    gate = Gate()
    internet.route("http://shop.example/", gate.before(stall()))
    with connect(internet.web.port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n")
        assert gate.wait_until_held(1)
        assert not internet.web.all_hung_up(within=0.01)
    assert internet.web.all_hung_up()


def test_many_clients_are_served_at_once(internet):
    """A silent conversation holds up no other."""
    internet.route("http://shop.example/stall", stall())
    internet.page("http://shop.example/", "hello")

    async def run():
        silent = asyncio.create_task(get(internet, "http://shop.example/stall"))
        pages = await asyncio.gather(*(get(internet, "http://shop.example/") for _ in range(20)))
        silent.cancel()
        return [page.content for page in pages]

    assert asyncio.run(run()) == [b"hello"] * 20
