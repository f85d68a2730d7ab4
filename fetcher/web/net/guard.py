"""CanonicalUrl + Resolver → ApprovedTarget: whether we go there, and to which addresses.

A name is resolved once, all of its addresses must pass, and what is dialled later is taken from
those that passed, so that a second answer from DNS has no say (SRD FR-WF-06a).
"""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network

from fetcher.codes import Toggle
from fetcher.web.errors import DnsFailed, PortBlocked, SsrfBlocked
from fetcher.web.net import network
from fetcher.web.net.addresses import IPNetwork, Row, classify, readings
from fetcher.web.net.network import Resolver
from fetcher.web.values import ApprovedTarget, CanonicalUrl, IPAddress

LOCALHOST = IPv4Address("127.0.0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressPolicy:
    """Which classes of addresses the settings open, and which networks they close or exempt."""

    disabled_toggles: frozenset[Toggle] = frozenset()
    additional_blocked: tuple[IPNetwork, ...] = ()
    """Closed whatever else is opened (SRD FR-WF-05g)."""
    exempt: tuple[IPNetwork, ...] = ()
    """Opened by name, such as a proxy's fake addresses; metadata services stay closed."""

    def refusal(self, address: IPAddress) -> SsrfBlocked | None:
        """Why an address may not be dialled, or None when it may."""
        added = _holding(self.additional_blocked, address)
        if added is not None:
            return _refusal(address, Row(cidr=added, name="additionally blocked"))
        row = classify(address)
        return None if self._opens(row, address) else _refusal(address, row)

    def _opens(self, row: Row, address: IPAddress) -> bool:
        if row.never_opened or self._is_loopback_in_disguise(address):
            return False
        return row.public or row.toggle in self.disabled_toggles or _holding(self.exempt, address) is not None

    def _is_loopback_in_disguise(self, address: IPAddress) -> bool:
        """Systems take 0.0.0.0 and :: for this host: reserved ranges do not open what loopback closes."""
        return readings(address)[-1].is_unspecified and Toggle.BLOCK_LOOPBACK not in self.disabled_toggles


class FetchGuard:
    """The gate before every hop."""

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
        if _is_localhost(url.host):
            self._check_address(LOCALHOST)

    async def approve(self, url: CanonicalUrl) -> ApprovedTarget:
        """The addresses to dial for a URL, in the order of SRD FR-WF-DNS-01."""
        self.check_url(url)
        if url.address is not None:
            return ApprovedTarget(url=url, addresses=(url.address,))
        addresses = await self._resolve(url.host)
        for address in addresses:
            self._check_address(address)
        return ApprovedTarget(url=url, addresses=addresses[: self._max_dns_attempts])

    async def _resolve(self, host: str) -> tuple[IPAddress, ...]:
        if "" in host.removesuffix(".").split("."):
            raise DnsFailed(host=host, error="the name has an empty label")
        try:
            answer = await self._resolver.resolve(host)
        except (OSError, UnicodeError) as error:  # UnicodeError: a label that DNS cannot carry
            raise DnsFailed(host=host, error=str(error)) from error
        if not answer:
            raise DnsFailed(host=host, error="the name has no addresses")
        return _in_dialling_order(answer)

    def _check_address(self, address: IPAddress) -> None:
        refusal = self._policy.refusal(address) or self._own_address_refusal(address)
        if refusal is not None:
            raise refusal

    def _own_address_refusal(self, address: IPAddress) -> SsrfBlocked | None:
        """This host is private, on whichever of its addresses; loopback has a toggle of its own."""
        private = Toggle.BLOCK_PRIVATE_IPS
        destination = readings(address)[-1]
        if private in self._policy.disabled_toggles or classify(address).toggle is Toggle.BLOCK_LOOPBACK:
            return None
        if not self._is_own_address(destination):
            return None
        return _refusal(address, Row(cidr=ip_network(destination), name="this host's own", toggle=private))


def _holding(networks: tuple[IPNetwork, ...], address: IPAddress) -> IPNetwork | None:
    return next((cidr for cidr in networks for reading in readings(address) if reading in cidr), None)


def _refusal(address: IPAddress, row: Row) -> SsrfBlocked:
    return SsrfBlocked(
        f"Connection to {row.name} IP range {row.cidr} is blocked",
        blocked_ip=str(address),
        cidr=str(row.cidr),
        toggle=row.toggle,
    )


def _is_localhost(host: str) -> bool:
    """Names that mean this host whatever DNS says (RFC 6761)."""
    return host.rstrip(".").rpartition(".")[2] == "localhost"


def _in_dialling_order(answer: list[IPAddress]) -> tuple[IPAddress, ...]:
    """IPv6 before IPv4, each by its bytes, once; a scope id names an interface of ours and is dropped."""
    unique = {ip_address(address.packed) for address in answer}
    return tuple(sorted(unique, key=lambda address: (-address.version, address.packed)))
