"""The fakes wired together: one line makes a page reachable under a public address.

`FakeInternet` holds a `FakeWeb`, a `FakeResolver` and a `FakeDialer`. Whatever gets a route here
also gets a made-up public address in the resolver, and the dialer carries that address to the
web. Hand `resolver`, `dialer` and `ssl_context` to the engine, and its guard works as it does
outside.
"""

import ssl
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network
from itertools import count
from typing import Self
from urllib.parse import urlsplit

from tests.fakes.answers import Headers, Script, Text
from tests.fakes.network import FakeDialer, FakeResolver, is_address
from tests.fakes.web import FakeWeb, normal

IPV4 = IPv4Network("93.184.216.0/24")
IPV6 = IPv6Network("2606:2800:220::/48")


class FakeInternet:
    """A small internet; give it a running `FakeWeb` to share one, or it starts its own."""

    def __init__(self, web: FakeWeb | None = None, *, strict: bool = True) -> None:
        self._own_web = web is None
        self.web = web or FakeWeb().start()
        self.resolver = FakeResolver()
        self.dialer = FakeDialer(strict=strict)
        self._addresses: dict[str, list[str]] = {}
        self._numbers = count(34)

    @cached_property
    def ssl_context(self) -> ssl.SSLContext:
        """A client's context that trusts the fake web's authority and no other."""
        return self.web.authority.client_context()

    def host(self, name: str, *addresses: str, ipv6: bool = False) -> list[str]:
        """Puts a host on the net, at made-up public addresses unless given, and returns these."""
        chosen = list(addresses) or self._made_up(ipv6)
        self.resolver.add(name, *chosen)
        return self._serve_at(name, chosen)

    def addresses(self, name: str) -> list[str]:
        """The addresses of a host that is on the net."""
        return self._addresses[name]

    def page(self, url: str, html: Text, *, headers: Headers = (), status: int = 200) -> None:
        self._publish(url)
        self.web.page(url, html, headers=headers, status=status)

    def redirect(self, url: str, to: Text, status: int = 302) -> None:
        self._publish(url)
        self.web.redirect(url, to, status)

    def robots(self, origin: str, rules: Text | int) -> None:
        self._publish(origin)
        self.web.robots(origin, rules)

    def route(self, url: str, script: Script) -> None:
        self._publish(url)
        self.web.route(url, script)

    def close(self) -> None:
        if self._own_web:
            self.web.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _publish(self, url: str) -> None:
        """Makes the URL's host, if it is new, and its port reachable."""
        parts = urlsplit(normal(url))
        name = parts.hostname or ""
        if name not in self._addresses:
            self._serve_at(name, [name]) if is_address(name) else self.host(name)
        if parts.port:
            served_by = self.web.tls_port if parts.scheme == "https" else self.web.port
            self._carry(name, {parts.port: served_by})

    def _serve_at(self, name: str, addresses: list[str]) -> list[str]:
        self._addresses[name] = addresses
        self._carry(name, {80: self.web.port, 443: self.web.tls_port})
        return addresses

    def _carry(self, name: str, ports: dict[int, int]) -> None:
        for address in self._addresses[name]:
            self.dialer.carry(address, ports)

    def _made_up(self, ipv6: bool) -> list[str]:
        number = next(self._numbers)
        return [str(IPV4[number])] + [str(IPV6[number])] * ipv6
