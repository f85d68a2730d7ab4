"""The throw-away certificate authority."""

import ssl

import pytest

from tests.fakes.certificates import FLAWS, Authority, shared_authority


def shake_hands(client, server, name):
    """A TLS handshake in memory; returns the certificate that the client has accepted."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = client.wrap_bio(to_client, to_server, server_hostname=name)
    answering = server.wrap_bio(to_server, to_client, server_side=True)
    for side in (asking, answering, asking, answering):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return asking.getpeercert()


def test_a_client_accepts_a_certificate_for_the_name_it_asks_for():
    """A sound certificate names its host and passes the client's full verification."""
    authority = shared_authority()
    shown = shake_hands(authority.client_context(), authority.server_context("shop.example"), "shop.example")
    assert shown["subjectAltName"] == (("DNS", "shop.example"),)


@pytest.mark.parametrize("name", ["93.184.216.34", "2606:2800:220:1::1"])
def test_an_address_can_have_a_certificate(name):
    """A host that is an address is verified by its address."""
    authority = shared_authority()
    assert shake_hands(authority.client_context(), authority.server_context(name), name)


@pytest.mark.parametrize(
    ("flaw", "complaint"),
    [("wrong name", "Hostname mismatch"), ("expired", "expired"), ("self-signed", "self-signed certificate")],
)
def test_a_client_refuses_a_flawed_certificate(flaw, complaint):
    """Each flaw is refused for what it is."""
    authority = shared_authority()
    server = authority.server_context("bad.example", flaw=flaw)
    with pytest.raises(ssl.SSLCertVerificationError, match=complaint):
        shake_hands(authority.client_context(), server, "bad.example")


def test_every_flaw_is_tested():
    """The table of flaws holds no row that the test above leaves out."""
    assert set(FLAWS) == {"wrong name", "expired", "self-signed"}


def test_only_the_throw_away_authority_is_trusted():
    """A client trusts one authority, and none of the system's."""
    client = shared_authority().client_context()
    assert len(client.get_ca_certs()) == 1
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(client, Authority().server_context("shop.example"), "shop.example")


def test_a_certificate_is_made_once():
    """The second request for a name is free."""
    authority = shared_authority()
    assert authority.server_context("shop.example") is authority.server_context("shop.example")
