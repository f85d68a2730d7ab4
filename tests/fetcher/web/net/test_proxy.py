"""The environment's proxy, where settings allow it: asked for the address that was checked."""

import asyncio
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any

import httpcore2
import pytest

from fetcher.web.errors import RobotsUnavailable, SsrfBlocked
from fetcher.web.net.proxy import ProxyDialer
from tests.engine import engine, fetch_options

PROXIED: Any = {"http": {"use_system_proxy": True}}


@asynccontextmanager
async def _proxy(web, status, unreachable):
    """A proxy that tunnels to the fake web; yields its port and the heads of the requests it got."""
    heads: list[str] = []

    async def serve(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        heads.append(head)
        port = web.tls_port if ":443 " in head else web.port
        there, away = await asyncio.open_connection("127.0.0.1", port)
        answer = "502 Bad Gateway" if head.startswith(f"CONNECT {unreachable}:") else status
        writer.write(f"HTTP/1.1 {answer}\r\nVia: test\r\n\r\n".encode())
        await asyncio.gather(_pump(reader, away), _pump(there, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], heads


async def _pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


def _through_proxy(
    internet, monkeypatch, url, *, proxy="http://127.0.0.1:{}", status="200 OK", unreachable="", **settings
):
    """The page's text, and the first lines of the requests that the proxy got."""

    async def story():
        async with _proxy(internet.web, status, unreachable) as (port, heads):
            for name in ("http_proxy", "https_proxy"):
                monkeypatch.setenv(name, proxy.format(port))
            page = await engine(internet, **settings).fetch(url, fetch_options())
            return page.document.markdown, [head.partition("\r\n")[0] for head in heads]

    return asyncio.run(story())


def test_plain_http_goes_through_the_proxy_by_address(internet, monkeypatch):
    """SRD FR-WF-10d: the proxy gets no name that it could resolve to something else."""
    internet.page("http://shop.example/page?x=1", "<p>proxied</p>")
    [address] = internet.addresses("shop.example")
    text, lines = _through_proxy(internet, monkeypatch, "http://shop.example/page?x=1", **PROXIED)
    assert text == "proxied\n"
    assert lines == [f"CONNECT {address}:80 HTTP/1.1"] * 2
    assert {request.host for request in internet.web.requests} == {"shop.example"}
    assert internet.dialer.attempts == []


def test_https_is_tunnelled_and_its_certificate_checked_by_name(internet, monkeypatch):
    internet.page("https://shop.example/", "<p>tunnelled</p>")
    [address] = internet.addresses("shop.example")
    text, lines = _through_proxy(internet, monkeypatch, "https://shop.example/", **PROXIED)
    assert text == "tunnelled\n"
    assert set(lines) == {f"CONNECT {address}:443 HTTP/1.1"}
    assert {request.server_name for request in internet.web.requests} == {"shop.example"}


def test_the_guard_stands_before_the_proxy(internet, monkeypatch):
    internet.resolver.add("inside.example", "10.0.0.1")
    with pytest.raises(SsrfBlocked):
        _through_proxy(internet, monkeypatch, "http://inside.example/", **PROXIED)


def test_without_the_setting_the_environment_has_no_say(internet, monkeypatch):
    internet.page("http://shop.example/", "<p>direct</p>")
    text, lines = _through_proxy(internet, monkeypatch, "http://shop.example/")
    assert (text, lines) == ("direct\n", [])


def test_hosts_that_the_environment_exempts_are_dialled_directly(internet, monkeypatch):
    monkeypatch.setenv("no_proxy", "shop.example")
    internet.page("http://shop.example/", "<p>direct</p>")
    text, lines = _through_proxy(internet, monkeypatch, "http://shop.example/", **PROXIED)
    assert (text, lines) == ("direct\n", [])


def test_ipv6_stands_in_brackets(internet, monkeypatch):
    internet.host("six.example", "2606:2800:220::7")
    internet.page("http://six.example/", "<p>six</p>")
    text, lines = _through_proxy(internet, monkeypatch, "http://six.example/", **PROXIED)
    assert text == "six\n"
    assert set(lines) == {"CONNECT [2606:2800:220::7]:80 HTTP/1.1"}


def test_credentials_and_an_address_without_scheme_are_understood(internet, monkeypatch):
    internet.page("http://shop.example/", "<p>ok</p>")
    credentials = "user:p%40ss@127.0.0.1:{}"
    assert (
        _through_proxy(internet, monkeypatch, "http://shop.example/", proxy=credentials, **PROXIED)[0]
        == "ok\n"
    )


def test_the_second_address_is_tried_when_the_proxy_does_not_reach_the_first(internet, monkeypatch):
    """SRD FR-WF-DNS-01: a proxy without IPv6 is no reason to fail."""
    internet.host("two.example", "2606:2800:220::7", "93.184.216.51")
    internet.page("http://two.example/", "<p>here</p>")
    first = "[2606:2800:220::7]"
    text, lines = _through_proxy(internet, monkeypatch, "http://two.example/", unreachable=first, **PROXIED)
    assert text == "here\n"
    assert lines == [f"CONNECT {first}:80 HTTP/1.1", "CONNECT 93.184.216.51:80 HTTP/1.1"] * 2


@pytest.mark.parametrize(
    ("proxy", "status"),
    [
        ("http://127.0.0.1:{}", "407 No"),
        ("socks5://127.0.0.1:{}", "200 OK"),
        ("http://127.0.0.1:x{}", "200 OK"),
        ("http://[127.0.0.1:{}", "200 OK"),
    ],
)
def test_a_proxy_that_does_not_serve_is_a_network_error(internet, monkeypatch, proxy, status):
    internet.page("http://shop.example/", "x")
    with pytest.raises(RobotsUnavailable) as refused:
        _through_proxy(internet, monkeypatch, "http://shop.example/", proxy=proxy, status=status, **PROXIED)
    assert refused.value.details["error"] == "network"


@pytest.mark.parametrize(
    "answer", [b"", b"SSH-2.0-x\r\n\r\n", b"HTTP/1.1 200\r\n\r\n", b"HTTP/1.1 ok fine\r\n\r\n"]
)
def test_what_does_not_answer_as_a_proxy_is_none(answer):
    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async def story():
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            await ProxyDialer(f"http://127.0.0.1:{port}").dial(ip_address("93.184.216.34"), 80)

    with pytest.raises(httpcore2.ProxyError):
        asyncio.run(story())


@pytest.mark.parametrize(
    ("address", "port"),
    [
        ("http://127.0.0.1", 80),
        ("https://127.0.0.1", 443),
        ("https://127.0.0.1:3129", 3129),
        ("127.0.0.1", 80),
    ],
)
def test_a_proxy_without_a_port_has_that_of_its_scheme(monkeypatch, address, port):
    async def connect(_, host, number):
        raise ConnectionRefusedError(f"{host}:{number}")

    monkeypatch.setattr(httpcore2.AnyIOBackend, "connect_tcp", connect)
    with pytest.raises(ConnectionRefusedError, match=f"^127.0.0.1:{port}$"):
        asyncio.run(ProxyDialer(address).dial(ip_address("93.184.216.34"), 80))
