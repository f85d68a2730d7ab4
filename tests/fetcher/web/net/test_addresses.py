"""Every row of the address tables, at its edges, and the addresses that hide another."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.codes import Toggle
from fetcher.web.net.addresses import IPV4, IPV6, classify, readings

PRIVATE, LOOPBACK, LINK_LOCAL, RESERVED = (
    Toggle.BLOCK_PRIVATE_IPS,
    Toggle.BLOCK_LOOPBACK,
    Toggle.BLOCK_LINK_LOCAL,
    Toggle.BLOCK_RESERVED,
)

RANGES = [
    ("127.0.0.0", "127.255.255.255", "loopback", LOOPBACK),
    ("10.0.0.0", "10.255.255.255", "private", PRIVATE),
    ("172.16.0.0", "172.31.255.255", "private", PRIVATE),
    ("192.168.0.0", "192.168.255.255", "private", PRIVATE),
    ("169.254.0.0", "169.254.255.255", "link-local", LINK_LOCAL),
    ("0.0.0.0", "0.255.255.255", "this-network", RESERVED),
    ("100.64.0.0", "100.127.255.255", "carrier-grade NAT", RESERVED),
    ("192.0.0.0", "192.0.0.255", "protocol assignment", RESERVED),
    ("192.0.2.0", "192.0.2.255", "documentation", RESERVED),
    ("192.88.99.0", "192.88.99.255", "6to4 relay", RESERVED),
    ("198.18.0.0", "198.19.255.255", "benchmarking", RESERVED),
    ("198.51.100.0", "198.51.100.255", "documentation", RESERVED),
    ("203.0.113.0", "203.0.113.255", "documentation", RESERVED),
    ("224.0.0.0", "239.255.255.255", "multicast", RESERVED),
    ("240.0.0.0", "255.255.255.254", "reserved", RESERVED),
    ("255.255.255.255", "255.255.255.255", "broadcast", RESERVED),
    ("::1", "::1", "loopback", LOOPBACK),
    ("::", "::", "unspecified", RESERVED),
    ("::2", "::ffff:ffff", "IPv4-compatible", RESERVED),
    ("::ffff:0:0:0", "::ffff:0:ffff:ffff", "IPv4-translated", RESERVED),
    ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "local NAT64", RESERVED),
    ("100::", "100::ffff:ffff:ffff:ffff", "discard-only", RESERVED),
    ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "Teredo", RESERVED),
    ("2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "protocol assignment", RESERVED),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation", RESERVED),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "6to4", RESERVED),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation", RESERVED),
    ("4000::", "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "unallocated", RESERVED),
    ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "segment routing", RESERVED),
    ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private", PRIVATE),
    ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local", LINK_LOCAL),
    ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local", RESERVED),
    ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast", RESERVED),
]

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "2606:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    # the addresses just outside the blocked ranges
    "1.0.0.0",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.1.255",
    "192.0.3.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2000::",
    "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:200::",
    "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db9::",
    "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2003::",
    "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff:1000::",
    "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
]

OUTSIDE_GLOBAL_UNICAST = [
    "::1:0:0",  # beyond the compatible range
    "::fffe:ffff:ffff",  # before the mapped range
    "::1:0:0:0",  # beyond it
    "::fffe:ffff:ffff:ffff",  # before the translated range
    "::ffff:1:0:0",  # beyond it
    "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff",  # before NAT64
    "64:ff9b::1:0:0",  # beyond it
    "64:ff9b:2::",  # beyond the local one
    "ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "100:0:0:1::",
    "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "5f01::",
    "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fe00::",
    "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
]

METADATA = [
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "169.254.42.42",
    "169.254.0.23",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "fd00:42::42",
    "fd00:a9fe:a9fe::1",
]


def test_ranges_are_blocked_to_their_edges():
    """The first and the last address of each range belong to it, on the toggle that the range hangs on."""
    for first, last, name, toggle in RANGES:
        for address in (ip_address(first), ip_address(last)):
            row = classify(address)
            assert (row.name, row.toggle, row.public) == (name, toggle, False)
            assert address in row.cidr


def test_public_addresses():
    """Ordinary addresses, and those just outside each blocked range, are public."""
    assert [address for address in PUBLIC if not classify(ip_address(address)).public] == []


def test_ipv6_outside_global_unicast_is_blocked():
    """IPv6 that no row names is blocked unless it lies in 2000::/3."""
    for address in OUTSIDE_GLOBAL_UNICAST:
        row = classify(ip_address(address))
        assert (row.name, row.toggle) == ("unallocated", RESERVED), address


@pytest.mark.parametrize("address", METADATA)
def test_metadata_services_have_no_toggle(address):
    """No setting opens a cloud's metadata service."""
    row = classify(ip_address(address))
    assert (row.name, row.never_opened) == ("metadata", True)
    assert row.cidr == ip_network(address)


@pytest.mark.parametrize(
    "form",
    [
        "::ffff:{}",
        "64:ff9b::{}",
        "64:ff9b:1::{}",
        "::{}",
        "::ffff:0:{}",
        "2606:4700::5efe:{}",
        "fe80::200:5efe:{}",
        "2606:4700:64::{}",
    ],
)
def test_metadata_is_found_at_the_end_of_any_address(form):
    """A metadata address stays closed inside every IPv6 form that ends in it, under any prefix."""
    inside = [form.format(address) for address in METADATA if "." in address]
    assert [address for address in inside if not classify(ip_address(address)).never_opened] == []


@pytest.mark.parametrize(
    "address", ["2002:a9fe:a9fe::1", "2001:0:4136:e378:8000:63bf:5601:5601", "2001:0:a9fe:a9fe::1"]
)
def test_metadata_is_found_inside_tunnels(address):
    """A metadata address stays closed inside 6to4 and Teredo."""
    assert classify(ip_address(address)).never_opened


@pytest.mark.parametrize(
    "address",
    [
        "2606:4700:a9fe:a9fe::",
        "2606:4700:1a9:fea9:fe::",
        "2606:4700:122:a9fe:a9:fe00::",
        "2606:4700:122:3a9:fe:a9fe::",
        "2606:4700:122:344:a9:fea9:fe00::",
        "2606:4700:122:344::a9fe:a9fe",
    ],
)
def test_metadata_is_found_behind_a_translator_with_a_prefix_of_any_length(address):
    """The six forms of RFC 6052, section 2.4; the same octets elsewhere are any other address."""
    assert classify(ip_address(address)).never_opened
    assert classify(ip_address("2606:4700:1:a9fe:a9fe::")).public


@pytest.mark.parametrize("prefix", ["::ffff:", "64:ff9b::"])
@pytest.mark.parametrize(
    ("inside", "name"), [("10.0.0.1", "private"), ("127.0.0.1", "loopback"), ("0.0.0.0", "this-network")]
)
def test_mapped_and_nat64_are_judged_by_the_ipv4_inside(prefix, inside, name):
    """Two forms lead to an IPv4 address, and share its class."""
    assert classify(ip_address(prefix + inside)) == classify(ip_address(inside))
    assert classify(ip_address(prefix + inside)).name == name


@pytest.mark.parametrize("interface_id", ["0:5efe", "200:5efe"])
def test_isatap_is_blocked_under_public_prefixes(interface_id):
    """An interface id that carries the IPv4 end of a tunnel is blocked, and the range named is its own."""
    row = classify(ip_address(f"2606:4700:0:0:{interface_id}:808:808"))
    assert (row.name, row.toggle) == ("ISATAP", RESERVED)
    assert row.cidr == ip_network(f"2606:4700:0:0:{interface_id}:0:0/96")


@pytest.mark.parametrize(
    "interface_id", ["0:5efd", "0:5eff", "1:5efe", "100:5efe", "300:5efe", "400:5efe", "5efe:0"]
)
def test_neighbours_of_isatap_are_public(interface_id):
    """Interface ids just beside ISATAP's are ordinary."""
    assert classify(ip_address(f"2606:4700:0:0:{interface_id}:808:808")).public


def test_isatap_under_a_blocked_prefix_keeps_the_prefix():
    """A link-local ISATAP address is link-local: opening `block_reserved` does not open it."""
    assert classify(ip_address("fe80::5efe:10.0.0.1")).toggle is LINK_LOCAL


def test_scope_ids_do_not_change_the_class():
    """An address with an interface behind it is classed like the address alone."""
    assert classify(ip_address("fe80::1%eth0")).name == "link-local"


def test_readings_end_with_the_destination():
    """The last reading of an address is where its packets go."""
    mapped = IPv6Address("::ffff:10.0.0.1")
    assert readings(mapped) == (mapped, IPv4Address("10.0.0.1"))
    assert readings(IPv6Address("2002:a00:1::")) == (IPv6Address("2002:a00:1::"),)


@given(st.ip_addresses())
def test_every_address_has_a_class(address):
    """No address is left without a row, and what is public has no toggle."""
    row = classify(address)
    assert not (row.public and row.toggle)


@given(st.ip_addresses(v=6))
def test_public_ipv6_lies_in_global_unicast(address):
    """Nothing outside 2000::/3 is public but what leads to a public IPv4 address."""
    if classify(address).public:
        assert address in ip_network("2000::/3") or len(readings(address)) == 2


@pytest.mark.parametrize("table", [IPV4, IPV6])
def test_no_row_is_shadowed(table):
    """Each row is reached: none stands below a wider one."""
    for index, row in enumerate(table):
        assert not any(row.cidr.subnet_of(above.cidr) for above in table[:index])
