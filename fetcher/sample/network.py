"""A resolver and a dialer that lead the engine to the sample site."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import httpcore2

from fetcher.sample.sample_pages import PAGES
from fetcher.sample.site import SampleSite
from fetcher.settings import Settings
from fetcher.web.net.network import Connection, Dialer, Resolver, SystemDialer, SystemResolver
from fetcher.web.pipeline import Pipeline
from fetcher.web.values import IPAddress

LOOPBACK = ip_address("127.0.0.1")
ADDRESSES = {
    host: ip_address(f"93.184.216.{34 + number}")
    for number, host in enumerate(sorted({page.host for page in PAGES}))
}
"""A public address for each sample host."""


class SampleNetwork:
    """Resolves and dials the sample site, and other hosts with the given resolver and dialer."""

    def __init__(self, port: int, *, resolver: Resolver | None = None, dialer: Dialer | None = None) -> None:
        self._port = port
        self._resolver = resolver
        self._dialer = dialer
        self._local = SystemDialer()

    async def resolve(self, host: str) -> list[IPAddress]:
        if host in ADDRESSES:
            return [ADDRESSES[host]]
        if host.endswith(".sample"):
            raise socket.gaierror(socket.EAI_NONAME, "the sample site has no such host")
        if self._resolver is None:  # whether the name exists is not known
            raise socket.gaierror(socket.EAI_AGAIN, "only the sample site is known here")
        return await self._resolver.resolve(host)

    async def dial(self, address: IPAddress, port: int) -> Connection:
        if address in ADDRESSES.values():
            return await self._local.dial(LOOPBACK, self._port)
        if self._dialer is None:
            raise httpcore2.ConnectError("only the sample site is reachable here")
        return await self._dialer.dial(address, port)


@contextmanager
def open_pipeline(settings: Settings, text: str) -> Iterator[Pipeline]:
    """The engine; if a text names a sample site, that web is served beside the real one until the block ends.

    Pages are then neither cached nor asked of a proxy.
    """
    if not any(host in text.lower() for host in ADDRESSES):
        yield Pipeline(settings)
        return
    web = settings.webfetch
    direct = web.http.model_copy(update={"use_system_proxy": False})
    changed = settings.model_copy(
        update={"webfetch": web.model_copy(update={"cache_dir": "", "http": direct})}
    )
    with SampleSite() as site:
        network = SampleNetwork(site.port, resolver=SystemResolver(), dialer=SystemDialer())
        yield Pipeline(changed, resolver=network, dialer=network)
