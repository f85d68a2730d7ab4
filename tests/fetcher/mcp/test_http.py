"""The server over streamable HTTP, called by the official SDK's client and by strangers."""

import asyncio
import socket

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from fetcher.serving import connection
from tests.fakes import answers
from tests.fakes.gate import Gate
from tests.fetcher.mcp.serving import PATIENCE, post, serving
from tests.fetcher.mcp.tour import PAGE, call_every_tool, make_mistakes, try_hostile_addresses

URL = "http://shop.example/price"
SLOW = "http://slow.example/"
KEY = "k3y-for-clients"
MODERN = {"MCP-Protocol-Version": "2026-07-28"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_lists_and_calls_every_tool(internet, mode):
    """Both eras of the protocol: without a session, and with the handshake."""
    internet.page(URL, PAGE)
    gate = Gate()
    internet.route(SLOW, gate.before(answers.answer("<p>x</p>")))

    async def give_up_a_call(client):
        """A call that its client cancels ends on the server: its request to the web is closed."""
        call = asyncio.create_task(client.call_tool("fetch_url", {"url": SLOW}))
        assert await asyncio.to_thread(gate.wait_until_held, 1)
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()
        assert await asyncio.to_thread(gate.wait_until_left, PATIENCE)

    async def story(port):
        async with Client(f"http://127.0.0.1:{port}/mcp", mode=mode) as client:
            await call_every_tool(client, URL)
            await make_mistakes(client, URL)
            await try_hostile_addresses(client, every=3)
            await give_up_a_call(client)

    with serving(internet) as port:
        asyncio.run(story(port))
    assert internet.dialer.forbidden == []


def test_a_key_is_sent_as_a_bearer_token(internet):
    internet.page(URL, PAGE)

    async def story(port):
        headers = {"Authorization": f"Bearer {KEY}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as client,
        ):
            assert not (await client.call_tool("fetch_url", {"url": URL})).is_error

    with serving(internet, KEY) as port:
        asyncio.run(story(port))
        wrong = ["", KEY, f"Basic {KEY}", f"Bearer {KEY}x", f"Bearer {KEY[:-1]}", "Bearer ", "Bearer \xff"]
        for given in wrong:
            assert post(port, {"Authorization": given} if given else {}) == 401
            assert post(port, {"Authorization": given, **MODERN}) == 401
        assert post(port, {"Authorization": f"bearer {KEY}"}) == 200
        # The key does not open the server for web pages.
        assert post(port, {"Authorization": f"Bearer {KEY}", "Origin": "https://evil.example"}) == 403


@pytest.mark.parametrize("era", [{}, MODERN], ids=["handshake", "modern"])
def test_a_web_page_cannot_call(internet, era):
    """DNS rebinding: a page's own name points here. Without it, the browser sends the page's origin."""
    with serving(internet) as port:
        assert post(port, era) != 421
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0", ""):
            assert post(port, era, host=host) == 421
        for origin in ("https://evil.example", "null", "http://localhost:3000", f"http://127.0.0.1:{port}"):
            assert post(port, {"Origin": origin, **era}) == 403
        assert post(port, {"Content-Type": "text/plain", **era}) == 400  # what a form can send
    assert internet.dialer.attempts == []


def test_a_body_that_is_too_large_is_refused(internet):
    with serving(internet) as port:
        answer = httpx2.post(f"http://127.0.0.1:{port}/mcp", content=b" " * (4 * 2**20 + 1))
        assert answer.status_code == 413


def test_half_a_request_is_hung_up_on(internet, monkeypatch):
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.2)
    with serving(internet) as port, socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{")
        assert b" 408 " in client.recv(1000)
        assert client.recv(1000) == b""
