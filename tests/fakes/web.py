"""A web on loopback whose every byte a test can write.

`FakeWeb` listens on two ports of 127.0.0.1, plain and TLS, and serves all hosts there are. A route
belongs to one URL, scheme and port included, and says what goes over the wire: one of the scripts
of `tests.fakes.answers` and `tests.fakes.misbehaviour`, or one that the test writes. A connection
carries one request. The TLS port shows a certificate of a throw-away authority for whatever name
the client asks for; the plain port, offered a TLS handshake, waits for ever. A script that fails
is an error in the test: `reset` and `stop` raise it.
"""

import ssl
from string import punctuation
from urllib.parse import quote, urlsplit

from fetcher.web.values import DEFAULT_PORTS
from tests.fakes.answers import Headers, Request, Script, Text, answer, redirect
from tests.fakes.certificates import Authority, shared_authority
from tests.fakes.conversation import Conversation, send
from tests.fakes.http_request import read_request
from tests.fakes.network import is_address
from tests.fakes.server import FakeServer


class FakeWeb(FakeServer):
    """The web; use it as a context manager, or call `start` and `stop`."""

    def __init__(self, authority: Authority | None = None) -> None:
        self._authority = authority
        self._routes: dict[str, Script] = {}
        self._requests: list[Request] = []
        self._flaws: dict[str, str] = {}
        super().__init__(self._routes, self._requests, self._flaws, choose_context=self._choose_context)

    @property
    def tls_port(self) -> int:
        return self._server.tls_port

    @property
    def authority(self) -> Authority:
        return self._authority or shared_authority()

    @property
    def requests(self) -> list[Request]:
        """Every request so far, in order of arrival."""
        return list(self._requests)

    def count(self, url: str) -> int:
        """How many requests a URL has had; without a query, whatever query they had."""
        wanted = normal(url)
        return sum(wanted in _names(request) for request in self.requests)

    def page(self, url: str, html: Text, *, headers: Headers = (), status: int = 200) -> None:
        self.route(url, answer(html, headers=headers, status=status))

    def redirect(self, url: str, to: Text, status: int = 302) -> None:
        self.route(url, redirect(to, status))

    def robots(self, origin: str, rules: Text | int) -> None:
        """Sets an origin's robots.txt: its text, or the status it fails with."""
        plain = {"Content-Type": "text/plain; charset=utf-8"}
        script = answer(status=rules) if isinstance(rules, int) else answer(rules, headers=plain)
        self.route(origin.rstrip("/") + "/robots.txt", script)

    def route(self, url: str, script: Script) -> None:
        """Sets what a URL answers; one without a query answers for every query that has no route."""
        self._routes[normal(url)] = script

    def wrong_certificate(self, host: str) -> None:
        """Shows a certificate for another name where this host is asked for."""
        self._flaws[host] = "wrong name"

    def expired_certificate(self, host: str) -> None:
        self._flaws[host] = "expired"

    def self_signed_certificate(self, host: str) -> None:
        self._flaws[host] = "self-signed"

    async def _attend(self, conversation: Conversation) -> None:
        request = await _read_request(conversation)
        self._requests.append(request)
        await send(self._script_for(request)(request), conversation)

    def _script_for(self, request: Request) -> Script:
        for name in _names(request):
            if name in self._routes:
                return self._routes[name]
        return self._not_found(request)

    def _not_found(self, request: Request) -> Script:
        known = {urlsplit(url).netloc for url in list(self._routes)}
        missing = "page" if urlsplit(normal(request.url)).netloc in known else "host"
        return answer(f"There is no such {missing} in the fake web: {request.url}", status=404)

    def _choose_context(self, name: str | None) -> ssl.SSLContext:
        names = [name] if name else self._address_literals() or ["localhost"]
        return self.authority.server_context(*names, flaw=self._flaws.get(names[0]))

    def _address_literals(self) -> list[str]:
        """The hosts that are addresses: a hello cannot name them, so one certificate covers them all."""
        hosts = {urlsplit(url).hostname or "" for url in list(self._routes)}
        return sorted(host for host in hosts if is_address(host))


def normal(url: str) -> str:
    """A URL as a client will ask for it: ASCII, without the scheme's own port, without fragment."""
    parts = urlsplit(url)
    host = (parts.hostname or "").encode("idna").decode("ascii")
    authority = f"[{host}]" if ":" in host else host
    if parts.port not in (None, DEFAULT_PORTS[parts.scheme]):
        authority += f":{parts.port}"
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{authority}{quote((parts.path or '/') + query, safe=punctuation)}"


def _names(request: Request) -> list[str]:
    """What a request's route may be called: its URL, then its URL without the query."""
    exact = normal(request.url)
    return [exact, exact.partition("?")[0]]


async def _read_request(conversation: Conversation) -> Request:
    request = await read_request(conversation.reader)
    return Request(
        method=request.method,
        scheme=conversation.scheme,
        host=request.headers.get("host", ""),
        target=request.target,
        headers=request.fields,
        peer=conversation.writer.get_extra_info("peername"),
        server_name=conversation.server_name,
        body=request.body,
    )
