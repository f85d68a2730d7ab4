"""CanonicalUrl + Resolver → ApprovedTarget: whether a URL may be requested, and at which addresses.

A name is resolved once, and all of its addresses must pass. Only these are dialled later, so that a second
answer from DNS changes nothing (SRD FR-WF-06a).
"""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network

from fetcher.codes import Toggle
from fetcher.web.errors import DnsFailed, PortBlocked, SsrfBlocked
from fetcher.web.net import network
from fetcher.web.net.addresses import IPNetwork, Row, classify, readings
from fetcher.web.net.network import NO_SUCH_NAME, Resolver
from fetcher.web.values import ApprovedTarget, CanonicalUrl, IPAddress

LOCALHOST = IPv4Address("127.0.0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressPolicy:
    """Which classes of addresses the settings open, and which networks they close or exempt."""

    disabled_toggles: frozenset[Toggle] = frozenset()
    additional_blocked: tuple[IPNetwork, ...] = ()
    """Blocked even where a toggle or `exempt` opens them (SRD FR-WF-05g)."""
    exempt: tuple[IPNetwork, ...] = ()
    """Networks to open, such as the fake addresses of a proxy; metadata services stay blocked."""

    def refusal(self, address: IPAddress) -> SsrfBlocked | None:
        """The error of an address that may not be dialled, or None if it may."""
        added = _network_of(address, self.additional_blocked)
        if added is not None:
            return _refusal(address, Row(cidr=added, name="additionally blocked"))
        row = classify(address)
        # Systems take 0.0.0.0 and :: for this host: opening reserved ranges must not open loopback.
        is_unspecified = readings(address)[-1].is_unspecified
        loopback_closed = Toggle.BLOCK_LOOPBACK not in self.disabled_toggles
        if row.never_opened or (is_unspecified and loopback_closed):
            return _refusal(address, row)
        if row.public or row.toggle in self.disabled_toggles:
            return None
        return None if _network_of(address, self.exempt) is not None else _refusal(address, row)


class FetchGuard:
    """Approves or refuses each hop before it is requested."""

    def __init__(
        self,
        *,
        policy: AddressPolicy,
        allowed_ports: tuple[int, ...],
        max_dns_attempts: int,
        resolver: Resolver,
        is_own_address: Callable[[IPAddress], bool] = network.is_own_address,
    ) -> None:
        self._policy = policy
        self._allowed_ports = allowed_ports
        self._max_dns_attempts = max_dns_attempts
        self._resolver = resolver
        self._is_own_address = is_own_address

    def check_url(self, url: CanonicalUrl) -> None:
        """Refuse what can be refused without DNS; a literal's address comes before its port."""
        if url.address is not None:
            self._check_address(url.address)
        if url.port not in self._allowed_ports:
            raise PortBlocked(port=url.port, allowed_ports=list(self._allowed_ports))
        if url.host.rstrip(".").rpartition(".")[2] == "localhost":  # this host, without DNS (RFC 6761)
            self._check_address(LOCALHOST)

    async def approve(self, url: CanonicalUrl) -> ApprovedTarget:
        """Resolve a URL's host and check every address; they are in the order of SRD FR-WF-DNS-01."""
        self.check_url(url)
        if url.address is not None:
            return ApprovedTarget(url=url, addresses=(url.address,))
        if "" in url.host.removesuffix(".").split("."):
            raise DnsFailed(host=url.host, error="the name has an empty label")
        try:
            answer = await self._resolver.resolve(url.host)
        except (OSError, UnicodeError) as error:  # UnicodeError: a label that DNS cannot carry
            is_certain = isinstance(error, UnicodeError) or error.errno in NO_SUCH_NAME
            raise DnsFailed(host=url.host, error=str(error), is_certain=is_certain) from error
        if not answer:
            raise DnsFailed(host=url.host, error="the name has no addresses")
        # Through its bytes: a scope id names an interface of this host, and is dropped.
        unique = {ip_address(address.packed) for address in answer}
        # IPv6 before IPv4, each by its bytes.
        addresses = sorted(unique, key=lambda address: (-address.version, address.packed))
        for address in addresses:
            self._check_address(address)
        return ApprovedTarget(url=url, addresses=tuple(addresses[: self._max_dns_attempts]))

    def _check_address(self, address: IPAddress) -> None:
        refusal = self._policy.refusal(address)
        if refusal is not None:
            raise refusal
        # Every address of this host counts as private; loopback has its own toggle.
        private = Toggle.BLOCK_PRIVATE_IPS
        if private in self._policy.disabled_toggles or classify(address).toggle is Toggle.BLOCK_LOOPBACK:
            return
        destination = readings(address)[-1]
        if self._is_own_address(destination):
            row = Row(cidr=ip_network(destination), name="this host's own", toggle=private)
            raise _refusal(address, row)


def _network_of(address: IPAddress, networks: tuple[IPNetwork, ...]) -> IPNetwork | None:
    """The first of the networks that holds an address, or None."""
    return next((cidr for cidr in networks for reading in readings(address) if reading in cidr), None)


def _refusal(address: IPAddress, row: Row) -> SsrfBlocked:
    return SsrfBlocked(
        f"Connection to {row.name} IP range {row.cidr} is blocked",
        blocked_ip=str(address),
        cidr=str(row.cidr),
        toggle=row.toggle,
    )
