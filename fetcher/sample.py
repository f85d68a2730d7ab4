"""A page that needs no internet, served on loopback and fetched with the guard fully on.

The name `shop.sample` resolves to a public address, and a dialer of our own carries that one
address to the local server: the engine runs exactly as it does against the real web.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from ipaddress import ip_address

import httpcore2

from fetcher.web.network import Connection, SystemDialer
from fetcher.web.values import IPAddress

URL = "http://shop.sample/price"
_HOST = "shop.sample"
_ADDRESS = ip_address("93.184.216.34")


class SampleNetwork:
    """A resolver and a dialer that know one site."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._dialer = SystemDialer()

    async def resolve(self, host: str) -> list[IPAddress]:
        if host != _HOST:
            raise socket.gaierror(socket.EAI_NONAME, "only the sample site is known here")
        return [_ADDRESS]

    async def dial(self, address: IPAddress, port: int) -> Connection:
        if address != _ADDRESS:
            raise httpcore2.ConnectError("only the sample site is reachable here")
        return await self._dialer.dial(ip_address("127.0.0.1"), self._port)


@asynccontextmanager
async def sample_network() -> AsyncIterator[SampleNetwork]:
    """Serves the sample page while the block runs."""
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    async with server:
        yield SampleNetwork(server.sockets[0].getsockname()[1])


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    request = await reader.readuntil(b"\r\n\r\n")
    found = request.startswith(b"GET /price ")
    body = files("fetcher").joinpath("sample.html").read_bytes() if found else b""
    status = b"200 OK" if found else b"404 Not Found"
    head = b"HTTP/1.1 %b\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
    writer.write(head % (status, len(body)) + body)
    await writer.drain()
    writer.close()
