"""The resolver and the dialer that never leave this machine."""

import asyncio
import socket
from ipaddress import ip_address

import httpcore2
import pytest

from tests.fakes.answers import answer
from tests.fakes.network import FakeDialer, FakeResolver

PUBLIC = ip_address("93.184.216.34")


def resolve(resolver, name):
    return [str(address) for address in asyncio.run(resolver.resolve(name))]


def dial(dialer, address, port, *, patience=10.0):
    async def run():
        connection = await asyncio.wait_for(dialer.dial(ip_address(address), port), patience)
        await connection.aclose()

    asyncio.run(run())


def test_t_wf_infra_01_names_resolve_without_the_systems_dns():
    """T-WF-INFRA-01: a name has just the addresses that the test gave it, in their order."""
    resolver = FakeResolver()
    resolver.add("shop.example", "2606:2800:220:1::1", "93.184.216.34")
    assert resolve(resolver, "shop.example") == ["2606:2800:220:1::1", "93.184.216.34"]


@pytest.mark.parametrize("spelling", ["SHOP.example", "shop.example."])
def test_names_are_compared_as_dns_does(spelling):
    """Case and a final dot make no difference to a name."""
    resolver = FakeResolver()
    resolver.add("shop.example", "93.184.216.34")
    assert resolve(resolver, spelling) == ["93.184.216.34"]


def test_an_unknown_name_does_not_exist():
    """A name that was never added fails like one that DNS does not know."""
    with pytest.raises(socket.gaierror) as caught:
        resolve(FakeResolver(), "nowhere.example")
    assert caught.value.errno == socket.EAI_NONAME


def test_a_name_may_fail_for_now():
    """A name can fail with any error of getaddrinfo."""
    resolver = FakeResolver()
    resolver.fail("flaky.example", socket.EAI_AGAIN)
    with pytest.raises(socket.gaierror) as caught:
        resolve(resolver, "flaky.example")
    assert caught.value.errno == socket.EAI_AGAIN


def test_the_last_word_on_a_name_counts():
    """A name that failed or stalled is well again once it is given addresses."""
    resolver = FakeResolver()
    resolver.fail("flaky.example")
    resolver.stall("flaky.example")
    resolver.add("flaky.example", "93.184.216.34")
    assert resolve(resolver, "flaky.example") == ["93.184.216.34"]


def test_successive_answers_rebind_a_name():
    """A rebinding name answers differently each time; its last answer stays."""
    resolver = FakeResolver()
    resolver.answers("rebind.example", ["93.184.216.34"], ["127.0.0.1"])
    found = [resolve(resolver, "rebind.example") for _ in range(3)]
    assert found == [["93.184.216.34"], ["127.0.0.1"], ["127.0.0.1"]]


def test_a_name_may_have_no_address():
    """An empty answer is an answer."""
    resolver = FakeResolver()
    resolver.add("empty.example")
    assert resolve(resolver, "empty.example") == []


def test_a_stalled_question_waits_until_the_asker_gives_up():
    """A stalled name is answered never, and gives way to cancellation."""
    resolver = FakeResolver()
    resolver.stall("slow.example")
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(resolver.resolve("slow.example"), 0.02))
    assert resolver.asked == ["slow.example"]


def test_every_question_is_written_down():
    """Questions are recorded as they were put, answered or not."""
    resolver = FakeResolver()
    resolver.add("shop.example", "93.184.216.34")
    resolve(resolver, "Shop.example")
    with pytest.raises(socket.gaierror):
        resolve(resolver, "nowhere.example")
    assert resolver.asked == ["Shop.example", "nowhere.example"]


@pytest.mark.parametrize(("port", "scheme"), [(80, "http"), (443, "https"), (8080, "http")])
def test_a_public_address_is_carried_to_loopback(running_web, port, scheme):
    """Dialling a carried address opens a connection to the loopback port behind it."""
    dialer = FakeDialer()
    dialer.carry("93.184.216.34", {8080: running_web.port}, http=running_web.port, https=running_web.tls_port)

    async def run():
        connection = await dialer.dial(PUBLIC, port)
        reached = connection.get_extra_info("server_addr")
        await connection.aclose()
        return reached

    expected = running_web.tls_port if scheme == "https" else running_web.port
    assert asyncio.run(run()) == ("127.0.0.1", expected)


def test_an_address_that_is_not_carried_refuses():
    """Whatever leads nowhere is refused, another port of a carried address too."""
    dialer = FakeDialer()
    dialer.carry("93.184.216.34", http=9)
    for address, port in [("93.184.216.35", 80), ("93.184.216.34", 443)]:
        with pytest.raises(httpcore2.ConnectError):
            dial(dialer, address, port)


def test_a_carried_address_may_refuse(running_web):
    """An address can be switched to refusing."""
    dialer = FakeDialer()
    dialer.carry("93.184.216.34", http=running_web.port)
    dialer.refuse("93.184.216.34")
    with pytest.raises(httpcore2.ConnectError):
        dial(dialer, "93.184.216.34", 80)


def test_a_stalled_address_waits_until_the_caller_gives_up():
    """A stalled address neither accepts nor refuses, and gives way to cancellation."""
    dialer = FakeDialer()
    dialer.stall("93.184.216.34")
    with pytest.raises(TimeoutError):
        dial(dialer, "93.184.216.34", 80, patience=0.05)
    assert dialer.attempts == [("93.184.216.34", 80)]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.1.1",
        "0.0.0.0",
        "::1",
        "fd00::1",
        "fe80::1",
    ],
)
def test_dialling_an_address_that_is_not_public_is_an_outcry(address):
    """A forbidden address is written down and then raises, even where it is carried."""
    dialer = FakeDialer()
    dialer.carry(address, http=9)
    with pytest.raises(AssertionError, match="forbidden"):
        dial(dialer, address, 80)
    assert dialer.attempts == dialer.forbidden == [(address, 80)]


def test_a_lenient_dialer_dials_what_it_carries(running_web):
    """Without `strict` an address that is not public is an address like any other."""
    dialer = FakeDialer(strict=False)
    dialer.carry("10.0.0.1", http=running_web.port)
    dial(dialer, "10.0.0.1", 80)
    assert dialer.attempts == [("10.0.0.1", 80)]
    assert dialer.forbidden == []


def test_tls_offered_to_the_plain_port_stalls_the_handshake(internet):
    """An address whose port 443 is carried to the plain port never answers a handshake."""
    internet.route("http://shop.example/", answer())
    internet.dialer.carry("93.184.216.34", https=internet.web.port)

    async def run():
        connection = await internet.dialer.dial(PUBLIC, 443)
        await connection.start_tls(internet.ssl_context, "shop.example", timeout=0.05)

    with pytest.raises(httpcore2.ConnectTimeout):
        asyncio.run(run())
