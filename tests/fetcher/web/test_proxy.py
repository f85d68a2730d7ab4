"""The environment's proxy, where settings allow it: asked for the address that was checked."""

import asyncio
from contextlib import asynccontextmanager
from typing import Any

import pytest

from fetcher.web.errors import SsrfBlocked
from tests.engine import engine, want

PROXIED: Any = {"http": {"use_system_proxy": True}}


@asynccontextmanager
async def _proxy(web):
    """A proxy that sends everything to the fake web; yields its port and the request lines it got."""
    lines: list[str] = []

    async def serve(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        lines.append(line.decode())
        method, target, _ = line.split(b" ")
        there, away = await asyncio.open_connection(
            "127.0.0.1", web.tls_port if method == b"CONNECT" else web.port
        )
        if method == b"CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            path = b"/" + target.split(b"/", 3)[3]
            away.write(b"%b %b HTTP/1.1\r\n%b" % (method, path, rest))
        await asyncio.gather(_pump(reader, away), _pump(there, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], lines


async def _pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


def _through_proxy(internet, monkeypatch, url, **settings):
    async def story():
        async with _proxy(internet.web) as (port, lines):
            for name in ("http_proxy", "https_proxy"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
            page = await engine(internet, **settings).fetch(url, want())
            return page.document.markdown, lines

    return asyncio.run(story())


def test_plain_http_goes_through_the_proxy_by_address(internet, monkeypatch):
    """SRD FR-WF-10d: the proxy gets no name that it could resolve to something else."""
    internet.page("http://shop.example/page?x=1", "<p>proxied</p>")
    [address] = internet.addresses("shop.example")
    text, lines = _through_proxy(internet, monkeypatch, "http://shop.example/page?x=1", **PROXIED)
    assert text == "proxied\n"
    assert lines == [
        f"GET http://{address}:80/robots.txt HTTP/1.1",
        f"GET http://{address}:80/page?x=1 HTTP/1.1",
    ]
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
