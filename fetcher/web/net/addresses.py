"""IP address → the table row that decides whether it may be dialled.

The tables come from the IANA special-purpose registries, SRD FR-WF-05 and the metadata services of clouds.
The first row that holds an address decides; the last row holds every address. IPv4 is public unless a row
says otherwise, IPv6 only within 2000::/3. `ipaddress.is_global` is not used: its answer changes with the
version of Python.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from fetcher.codes import Toggle
from fetcher.web.values import IPAddress

IPNetwork = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A range of addresses that are treated alike."""

    cidr: IPNetwork
    name: str
    toggle: Toggle | None = None
    """The setting that opens the range; a blocked range without one is never opened."""
    public: bool = False

    @property
    def never_opened(self) -> bool:
        return not self.public and self.toggle is None


def _blocked(cidr: str, name: str, toggle: Toggle | None) -> Row:
    return Row(cidr=ip_network(cidr), name=name, toggle=toggle)


def _public(cidr: str) -> Row:
    return Row(cidr=ip_network(cidr), name="public", public=True)


IPV4 = (
    _blocked("169.254.169.254/32", "metadata", None),  # AWS, Azure, Google and most others
    _blocked("169.254.170.2/32", "metadata", None),  # AWS: credentials of ECS tasks
    _blocked("169.254.170.23/32", "metadata", None),  # AWS: credentials of EKS pods
    _blocked("169.254.42.42/32", "metadata", None),  # Scaleway (cloud-init's documentation names it)
    _blocked("169.254.0.23/32", "metadata", None),  # Tencent (Datadog's agent asks it)
    _blocked("100.100.100.200/32", "metadata", None),  # Alibaba
    _blocked("168.63.129.16/32", "metadata", None),  # Azure's host agent, inside public space
    _blocked("192.0.0.192/32", "metadata", None),  # Oracle
    _blocked("127.0.0.0/8", "loopback", Toggle.BLOCK_LOOPBACK),
    _blocked("10.0.0.0/8", "private", Toggle.BLOCK_PRIVATE_IPS),
    _blocked("172.16.0.0/12", "private", Toggle.BLOCK_PRIVATE_IPS),
    _blocked("192.168.0.0/16", "private", Toggle.BLOCK_PRIVATE_IPS),
    _blocked("169.254.0.0/16", "link-local", Toggle.BLOCK_LINK_LOCAL),
    _blocked("0.0.0.0/8", "this-network", Toggle.BLOCK_RESERVED),
    _blocked("100.64.0.0/10", "carrier-grade NAT", Toggle.BLOCK_RESERVED),
    _blocked("192.0.0.0/24", "protocol assignment", Toggle.BLOCK_RESERVED),
    _blocked("192.0.2.0/24", "documentation", Toggle.BLOCK_RESERVED),
    _blocked("192.88.99.0/24", "6to4 relay", Toggle.BLOCK_RESERVED),
    _blocked("198.18.0.0/15", "benchmarking", Toggle.BLOCK_RESERVED),
    _blocked("198.51.100.0/24", "documentation", Toggle.BLOCK_RESERVED),
    _blocked("203.0.113.0/24", "documentation", Toggle.BLOCK_RESERVED),
    _blocked("224.0.0.0/4", "multicast", Toggle.BLOCK_RESERVED),
    _blocked("255.255.255.255/32", "broadcast", Toggle.BLOCK_RESERVED),
    _blocked("240.0.0.0/4", "reserved", Toggle.BLOCK_RESERVED),
    _public("0.0.0.0/0"),
)

IPV6 = (
    _blocked("fd00:ec2::254/128", "metadata", None),  # AWS
    _blocked("fd00:ec2::23/128", "metadata", None),  # AWS: credentials of EKS pods
    _blocked("fd20:ce::254/128", "metadata", None),  # Google
    _blocked("fd00:42::42/128", "metadata", None),  # Scaleway (cloud-init's documentation names it)
    _blocked("fd00:a9fe:a9fe::1/128", "metadata", None),  # Akamai (likewise)
    _blocked("::1/128", "loopback", Toggle.BLOCK_LOOPBACK),
    _blocked("::/128", "unspecified", Toggle.BLOCK_RESERVED),
    _blocked("::/96", "IPv4-compatible", Toggle.BLOCK_RESERVED),
    _blocked("::ffff:0:0:0/96", "IPv4-translated", Toggle.BLOCK_RESERVED),
    _blocked("64:ff9b:1::/48", "local NAT64", Toggle.BLOCK_RESERVED),
    _blocked("100::/64", "discard-only", Toggle.BLOCK_RESERVED),
    _blocked("2001::/32", "Teredo", Toggle.BLOCK_RESERVED),
    _blocked("2001::/23", "protocol assignment", Toggle.BLOCK_RESERVED),
    _blocked("2001:db8::/32", "documentation", Toggle.BLOCK_RESERVED),
    _blocked("2002::/16", "6to4", Toggle.BLOCK_RESERVED),
    _blocked("3fff::/20", "documentation", Toggle.BLOCK_RESERVED),
    _blocked("5f00::/16", "segment routing", Toggle.BLOCK_RESERVED),
    _blocked("fc00::/7", "private", Toggle.BLOCK_PRIVATE_IPS),
    _blocked("fe80::/10", "link-local", Toggle.BLOCK_LINK_LOCAL),
    _blocked("fec0::/10", "site-local", Toggle.BLOCK_RESERVED),
    _blocked("ff00::/8", "multicast", Toggle.BLOCK_RESERVED),
    _public("2000::/3"),
    _blocked("::/0", "unallocated", Toggle.BLOCK_RESERVED),
)

JUDGED_BY_THE_IPV4_INSIDE = (
    IPv6Network("::ffff:0:0/96"),  # mapped (SRD FR-WF-05a)
    IPv6Network("64:ff9b::/96"),  # NAT64: how an IPv6-only network reaches all of IPv4
)


def classify(address: IPAddress) -> Row:
    """The row that decides about an address."""
    address = readings(address)[-1]
    if isinstance(address, IPv4Address):
        return _first(IPV4, address)
    # A tunnel or translator would find these IPv4 addresses inside of the IPv6 address. A metadata service
    # among them is refused under every prefix, since a network may have its own NAT64 prefix.
    octets = address.packed[:8] + address.packed[9:]  # RFC 6052 §2.2: the ninth is not part of the address
    translated = [IPv4Address(octets[at : at + 4]) for at in (4, 5, 6, 7, 8, 11)]  # by the prefix's length
    embedded = [*translated, address.sixtofour, *(address.teredo or ())]
    rows = [_first(IPV4, inner) for inner in embedded if inner is not None]
    if metadata := next((row for row in rows if row.never_opened), None):
        return metadata
    row = _first(IPV6, address)
    # ISATAP (RFC 5214): an interface id of [02]00:5efe:a.b.c.d is the IPv4 end of a tunnel.
    if row.public and int(address) >> 32 & ~0x0200_0000 & 0xFFFF_FFFF == 0x0000_5EFE:
        prefix = IPv6Network((int(address) >> 32 << 32, 96))
        return Row(cidr=prefix, name="ISATAP", toggle=Toggle.BLOCK_RESERVED)
    return row


def readings(address: IPAddress) -> tuple[IPAddress, ...]:
    """The address, followed by the IPv4 address that a mapped or NAT64 one leads to."""
    if isinstance(address, IPv6Address) and any(address in cidr for cidr in JUDGED_BY_THE_IPV4_INSIDE):
        return address, IPv4Address(int(address) & 0xFFFF_FFFF)  # its last 32 bits
    return (address,)


def _first(table: tuple[Row, ...], address: IPAddress) -> Row:
    return next(row for row in table if address in row.cidr)
