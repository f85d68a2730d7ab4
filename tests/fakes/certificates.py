"""A throw-away certificate authority for TLS on loopback.

Keys and certificates are made when a handshake first asks for them and kept for the life of the
process, because making them is what costs time. Besides sound certificates the authority makes
every kind of bad one that a client has to refuse; `FLAWS` lists them.
"""

import datetime as dt
import functools
import ssl
import threading
from collections.abc import Callable

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

LONG_AGO = dt.datetime(2001, 1, 1, tzinfo=dt.UTC)
FAR_OFF = dt.datetime(2999, 1, 1, tzinfo=dt.UTC)
OTHER_NAME = "somebody-else.example"


class Authority:
    """Issues certificates, each wrapped in the TLS context of a server that shows it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ca = trustme.CA()
        self._contexts: dict[tuple[tuple[str, ...], str | None], ssl.SSLContext] = {}

    def client_context(self) -> ssl.SSLContext:
        """A client that trusts this authority and no other."""
        return ssl.create_default_context(cadata=self._ca.cert_pem.bytes().decode("ascii"))

    def server_context(self, *names: str, flaw: str | None = None) -> ssl.SSLContext:
        """A server whose certificate is for `names`, or has one of the `FLAWS`."""
        with self._lock:
            if (names, flaw) not in self._contexts:
                self._contexts[names, flaw] = self._make(names, flaw)
            return self._contexts[names, flaw]

    def _make(self, names: tuple[str, ...], flaw: str | None) -> ssl.SSLContext:
        certificate = FLAWS[flaw](self._ca, names) if flaw else self._ca.issue_cert(*names)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        certificate.configure_cert(context)
        return context


@functools.cache
def shared_authority() -> Authority:
    """The authority that all fakes of this process share."""
    return Authority()


def _for_another_name(ca: trustme.CA, names: tuple[str, ...]) -> trustme.LeafCert:
    return ca.issue_cert(OTHER_NAME)


def _expired(ca: trustme.CA, names: tuple[str, ...]) -> trustme.LeafCert:
    return ca.issue_cert(*names, not_before=LONG_AGO, not_after=LONG_AGO + dt.timedelta(days=90))


def _self_signed(ca: trustme.CA, names: tuple[str, ...]) -> trustme.LeafCert:
    key = ec.generate_private_key(ec.SECP256R1())
    itself = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0])])
    certificate = (
        x509.CertificateBuilder(issuer_name=itself, subject_name=itself, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(LONG_AGO)
        .not_valid_after(FAR_OFF)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    key_pem = key.private_bytes(pem, serialization.PrivateFormat.TraditionalOpenSSL, plain)
    return trustme.LeafCert(key_pem, certificate.public_bytes(pem), [])


FLAWS: dict[str, Callable[[trustme.CA, tuple[str, ...]], trustme.LeafCert]] = {
    "wrong name": _for_another_name,
    "expired": _expired,
    "self-signed": _self_signed,
}
