"""Where we go and where we do not: ports, addresses, and what DNS may answer."""

import asyncio
import socket
from ipaddress import ip_address, ip_network

import pytest

from fetcher.codes import Toggle
from fetcher.web.errors import DnsFailed, FetchError, PortBlocked, SsrfBlocked
from fetcher.web.net.canonical import canonicalise
from fetcher.web.net.guard import AddressPolicy, FetchGuard

ALL_OPEN = AddressPolicy(disabled_toggles=frozenset(Toggle))


class Names:
    """A resolver that knows a few names and counts what it is asked."""

    def __init__(self, **names):
        self.names = {name.replace("_", "."): addresses for name, addresses in names.items()}
        self.asked = []

    async def resolve(self, host):
        self.asked.append(host)
        if host not in self.names:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [ip_address(address) for address in self.names[host]]


def guard(names=None, *, policy=None, ports=(80, 443), attempts=2, own=()):
    return FetchGuard(
        policy=policy or AddressPolicy(),
        allowed_ports=ports,
        max_dns_attempts=attempts,
        resolver=names or Names(),
        is_own_address=lambda address: str(address) in own,
    )


def approve(a_guard, text):
    return asyncio.run(a_guard.approve(canonicalise(text)))


def addresses(target):
    return [str(address) for address in target.addresses]


def literal(address: str) -> str:
    return f"http://[{address}]/" if ":" in address else f"http://{address}/"


HOSTILE = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.1.1",
    "169.254.169.254",
    "169.254.170.2",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "2606:4700::5efe:7f00:1",
    "2606:4700::200:5efe:a00:1",
    "3fff::1",
    "5f00::1",
    "4000::1",
    "fc00::1",
    "fd00::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::1",
    "fe80::5efe:10.0.0.1",
    "fec0::1",
    "ff02::1",
]

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "2606:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "::ffff:1.1.1.1",
    "64:ff9b::8.8.8.8",
]


def test_hostile_literals_are_blocked():
    """An address that is not public is refused where it stands in the URL."""
    for address in HOSTILE:
        with pytest.raises(SsrfBlocked):
            approve(guard(), literal(address))


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1"])
def test_t_wf_ssrf_10_blocks_what_dns_answers(address):
    """T-WF-SSRF-10: a name that resolves to a blocked address is refused, even beside public addresses."""
    names = Names(rebind_example=["1.1.1.1", "2606:4700::1111", address])
    with pytest.raises(SsrfBlocked):
        approve(guard(names, attempts=1), "http://rebind.example/")


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_pass(address):
    """A public address is approved, as a literal and as an answer of DNS."""
    assert addresses(approve(guard(), literal(address))) == [str(ip_address(address))]
    assert approve(guard(Names(site_example=[address])), "http://site.example/").addresses


@pytest.mark.parametrize(
    "host", ["localhost", "localhost.", "LOCALHOST", "a.localhost", "ⓛocalhost", "127.0.0.1", "[::1]"]
)
def test_t_wf_ssrf_02_rejects_loopback(host):
    """T-WF-SSRF-02: localhost, by name or address, is refused without asking DNS."""
    names = Names()
    with pytest.raises(SsrfBlocked) as refused:
        approve(guard(names), f"http://{host}/")
    assert refused.value.details["toggle"] == "block_loopback"
    assert names.asked == []


@pytest.mark.parametrize("host", ["notlocalhost", "localhost.example", "local"])
def test_names_that_only_resemble_localhost_are_resolved(host):
    """A name is taken for this host by its last label alone."""
    names = Names(**{host.replace(".", "_"): ["1.1.1.1"]})
    assert addresses(approve(guard(names), f"http://{host}/")) == ["1.1.1.1"]


def test_localhost_is_resolved_once_loopback_is_open():
    """With `block_loopback` off, localhost is a name like any other."""
    policy = AddressPolicy(disabled_toggles=frozenset({Toggle.BLOCK_LOOPBACK}))
    opened = guard(Names(localhost=["127.0.0.1", "::1"]), policy=policy, own=("127.0.0.1", "::1"))
    assert addresses(approve(opened, "http://localhost/")) == ["::1", "127.0.0.1"]


@pytest.mark.parametrize("address", ["10.1.2.3", "172.16.5.4", "192.168.0.10", "fd12::1"])
def test_t_wf_ssrf_03_rejects_private_addresses(address):
    """T-WF-SSRF-03: private ranges are refused, and the refusal names range and toggle."""
    with pytest.raises(SsrfBlocked) as refused:
        approve(guard(), literal(address))
    details = refused.value.details
    assert details["blocked_ip"] == address
    assert ip_address(address) in ip_network(details["cidr"])
    assert details["toggle"] == "block_private_ips"


@pytest.mark.parametrize("address", ["169.254.0.1", "169.254.255.255", "fe80::1"])
def test_t_wf_ssrf_04_rejects_link_local(address):
    """T-WF-SSRF-04: link-local addresses are refused."""
    with pytest.raises(SsrfBlocked) as refused:
        approve(guard(), literal(address))
    assert refused.value.details["toggle"] == "block_link_local"


def test_t_wf_ssrf_05_rejects_ipv4_mapped():
    """T-WF-SSRF-05: a mapped address is refused for the IPv4 address inside it."""
    with pytest.raises(SsrfBlocked) as refused:
        approve(guard(), "http://[::ffff:10.0.0.1]/")
    details = refused.value.details
    assert ip_address(details["blocked_ip"]) == ip_address("::ffff:10.0.0.1")
    assert (details["cidr"], details["toggle"]) == ("10.0.0.0/8", "block_private_ips")


def test_the_refusal_is_worded_as_the_document_has_it():
    """The message names the range (SRD §3.7.1)."""
    with pytest.raises(SsrfBlocked, match=r"^Connection to private IP range 10\.0\.0\.0/8 is blocked$"):
        approve(guard(), "http://10.0.0.5/")


@pytest.mark.parametrize(
    "url", ["http://site.example:8080/", "https://site.example:22/", "http://1.1.1.1:81/"]
)
def test_t_wf_ssrf_07_rejects_other_ports(url):
    """T-WF-SSRF-07: a port that is not allowed is refused before DNS is asked."""
    names = Names()
    with pytest.raises(PortBlocked) as refused:
        approve(guard(names), url)
    assert refused.value.details == {"port": canonicalise(url).port, "allowed_ports": [80, 443]}
    assert names.asked == []


def test_t_wf_ssrf_08_accepts_configured_ports():
    """T-WF-SSRF-08: the configured ports are the whole list, which the defaults are not added to."""
    custom = guard(Names(site_example=["1.1.1.1"]), ports=(8080,))
    assert approve(custom, "http://site.example:8080/").addresses
    with pytest.raises(PortBlocked):
        approve(custom, "http://site.example/")


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://10.0.0.1:8080/", SsrfBlocked),
        ("http://1.1.1.1:8080/", PortBlocked),
        ("http://localhost:8080/", PortBlocked),
        ("http://unknown.example:8080/", PortBlocked),
    ],
)
def test_order_of_refusals(url, error):
    """For a literal the address is judged before the port, for a name the port before anything of DNS."""
    with pytest.raises(error):
        approve(guard(), url)


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://localhost/", "http://site.example:1/"])
def test_check_url_needs_no_dns(url):
    """What the URL alone gives away is refused on a cache hit too; an ordinary name passes unresolved."""
    names = Names()
    with pytest.raises(FetchError):
        guard(names).check_url(canonicalise(url))
    guard(names).check_url(canonicalise("http://site.example/"))
    assert names.asked == []


def test_t_wf_ssrf_12_orders_addresses_by_bytes():
    """T-WF-SSRF-12: IPv6 before IPv4, each ascending by bytes, each once."""
    answer = ["9.0.0.2", "2606::a", "8.8.8.8", "2606::9", "100.0.0.1", "9.0.0.2", "2a00::", "2606::a"]
    target = approve(guard(Names(site_example=answer), attempts=10), "http://site.example/")
    assert addresses(target) == ["2606::9", "2606::a", "2a00::", "8.8.8.8", "9.0.0.2", "100.0.0.1"]


def test_t_wf_ssrf_13_keeps_the_first_addresses():
    """T-WF-SSRF-13: at most `max_dns_attempts` addresses are handed on."""
    names = Names(site_example=["1.1.1.2", "1.1.1.1", "2606::2", "2606::1"])
    assert addresses(approve(guard(names), "http://site.example/")) == ["2606::1", "2606::2"]


def test_a_name_is_resolved_once():
    """FR-WF-DNS-01: one approval asks DNS once; an address in the URL asks nothing."""
    names = Names(site_example=["1.1.1.1"])
    approve(guard(names), "http://site.example/")
    approve(guard(names), "http://1.1.1.1/")
    assert names.asked == ["site.example"]


def test_scope_ids_are_dropped():
    """The interface that a resolver attaches to an address does not make it another address."""
    names = Names(site_example=["2606::1%eth0", "2606::1"])
    assert addresses(approve(guard(names), "http://site.example/")) == ["2606::1"]
    with pytest.raises(SsrfBlocked):
        approve(guard(Names(site_example=["fe80::1%eth0"])), "http://site.example/")


@pytest.mark.parametrize(
    "host", ["unknown.example", "empty.example", "a..example", ".a.example", "x" * 64 + ".example"]
)
def test_dns_failures(host):
    """FR-WF-06c: a name without addresses, or none that DNS can carry, is `dns_failed` and may be retried."""

    class Picky(Names):
        async def resolve(self, host):
            host.encode("idna")
            return await super().resolve(host)

    with pytest.raises(DnsFailed) as refused:
        approve(guard(Picky(empty_example=[])), f"http://{host}/")
    assert refused.value.details["host"] == host
    assert refused.value.details["error"]
    assert refused.value.retryable


@pytest.mark.parametrize("toggle", list(Toggle))
def test_a_toggle_opens_its_own_rows_alone(toggle):
    """Each toggle opens what hangs on it and nothing else."""
    samples = {
        Toggle.BLOCK_PRIVATE_IPS: ["10.0.0.1", "fd00::1", "::ffff:192.168.0.1", "64:ff9b::172.16.0.1"],
        Toggle.BLOCK_LOOPBACK: ["127.0.0.1", "::1", "::ffff:127.0.0.1"],
        Toggle.BLOCK_LINK_LOCAL: ["169.254.0.1", "fe80::1"],
        Toggle.BLOCK_RESERVED: ["198.18.0.1", "2002::1", "fec0::1", "2606:4700::5efe:808:808", "4000::"],
    }
    policy = AddressPolicy(disabled_toggles=frozenset({toggle}))
    for owner, members in samples.items():
        for member in members:
            assert (policy.refusal(ip_address(member)) is None) == (owner is toggle)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "::ffff:0.0.0.0"])
def test_the_unspecified_address_stays_closed_while_loopback_is(address):
    """Systems take it for this host."""
    reserved, both = (
        frozenset({Toggle.BLOCK_RESERVED}),
        frozenset({Toggle.BLOCK_RESERVED, Toggle.BLOCK_LOOPBACK}),
    )
    everything = (ip_network("0.0.0.0/0"), ip_network("::/0"))
    assert (
        AddressPolicy(disabled_toggles=reserved, exempt=everything).refusal(ip_address(address)) is not None
    )
    assert AddressPolicy(disabled_toggles=both).refusal(ip_address(address)) is None


METADATA = ["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"]
EVERYTHING = (ip_network("0.0.0.0/0"), ip_network("::/0"))


@pytest.mark.parametrize(
    "address",
    [
        *METADATA,
        *(f"::ffff:{address}" for address in METADATA),
        *(f"64:ff9b::{address}" for address in METADATA),
        "fd00:ec2::254",
        "fd20:ce::254",
        "2002:a9fe:a9fe::",
        "fe80::5efe:169.254.169.254",
    ],
)
def test_metadata_is_opened_by_nothing(address):
    """With every toggle off and everything exempt, metadata services stay closed in every form."""
    policy = AddressPolicy(disabled_toggles=frozenset(Toggle), exempt=EVERYTHING)
    refusal = policy.refusal(ip_address(address))
    assert refusal is not None
    assert "toggle" not in refusal.details


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "10.1.1.1", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2606:4700::1"]
)
def test_additional_blocks_always_win(address):
    """FR-WF-05g: an additional network is closed whatever is opened or exempt, by the IPv4 inside too."""
    added = (ip_network("1.1.1.0/24"), ip_network("10.1.0.0/16"), ip_network("2606:4700::/32"))
    policy = AddressPolicy(disabled_toggles=frozenset(Toggle), additional_blocked=added, exempt=EVERYTHING)
    refusal = policy.refusal(ip_address(address))
    assert refusal is not None
    assert refusal.details["cidr"] in {str(network) for network in added}
    assert policy.refusal(ip_address("1.1.2.1")) is None
    assert policy.refusal(ip_address("10.2.1.1")) is None


def test_additional_blocks_hold_for_answers_of_dns():
    """A name that resolves into an additional network is refused."""
    policy = AddressPolicy(additional_blocked=(ip_network("1.1.1.0/24"),))
    with pytest.raises(SsrfBlocked, match="additionally blocked"):
        approve(guard(Names(site_example=["1.1.1.1"]), policy=policy), "http://site.example/")


def test_exemptions_open_named_networks_alone():
    """An exempt network is open, in its mapped form too, and its neighbours are not."""
    policy = AddressPolicy(exempt=(ip_network("198.18.0.0/16"),))
    assert policy.refusal(ip_address("198.18.255.255")) is None
    assert policy.refusal(ip_address("::ffff:198.18.0.1")) is None
    assert policy.refusal(ip_address("198.19.0.0")) is not None
    assert policy.refusal(ip_address("10.0.0.1")) is not None


@pytest.mark.parametrize("address", ["1.2.3.4", "2a00::5", "::ffff:1.2.3.4", "64:ff9b::1.2.3.4"])
def test_this_hosts_own_addresses_are_private(address):
    """A public address of this very host is refused under `block_private_ips`."""
    own = ("1.2.3.4", "2a00::5")
    with pytest.raises(SsrfBlocked) as refused:
        approve(guard(own=own), literal(address))
    assert refused.value.details["toggle"] == "block_private_ips"
    assert refused.value.details["cidr"] in ("1.2.3.4/32", "2a00::5/128")
    assert approve(guard(own=own, policy=ALL_OPEN), literal(address)).addresses


def test_own_addresses_are_found_behind_names():
    """A name that leads back to this host is refused."""
    with pytest.raises(SsrfBlocked, match="this host's own"):
        approve(guard(Names(site_example=["1.1.1.1", "1.2.3.4"]), own=("1.2.3.4",)), "http://site.example/")


def test_the_system_knows_its_own_addresses():
    """Without a stand-in the guard asks the system, which owns no public resolver's address."""
    plain = FetchGuard(policy=AddressPolicy(), allowed_ports=(80,), max_dns_attempts=2, resolver=Names())
    plain.check_url(canonicalise("http://1.1.1.1/"))
