"""One exchange with an approved target: where it connects, what it sends, what it refuses."""

import asyncio
import gzip
import inspect
import zlib
from ipaddress import ip_address

import httpcore2
import pytest

from fetcher.web.errors import FetchError, NetworkFailed, ResponseTooLarge, Timeout
from fetcher.web.net import canonical, transport
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.metering import MOST_HEAD_BYTES
from fetcher.web.net.transport import Transport
from fetcher.web.values import ApprovedTarget, Headers
from tests.fakes import answers, misbehaviour

HEADERS = Headers([("User-Agent", "test/1"), ("Accept", "text/html")])


def _get(internet, url, *, max_bytes=100_000, seconds=5.0, **reading):
    """The answer to one request, with its body read."""

    async def exchange():
        target = canonical.canonicalise(url)
        known = internet.addresses(target.host.strip("[]"))
        approved = ApprovedTarget(url=target, addresses=tuple(map(ip_address, known)))
        carrier = Transport(dialer=internet.dialer, ssl_context=internet.ssl_context)
        async with carrier.open(approved, HEADERS, Deadline(seconds)) as response:
            return response, await response.body(max_bytes=max_bytes, **reading)

    return asyncio.run(exchange())


def test_it_connects_to_the_approved_address_and_sends_the_name(internet):
    """SRD FR-WF-06a: the name serves for Host only; the address is the guard's."""
    internet.page("http://shop.example/a?b=1", "<p>hello</p>")
    response, body = _get(internet, "http://shop.example/a?b=1")
    assert (response.status, body) == (200, (b"<p>hello</p>", False))
    assert internet.dialer.attempts == [(internet.addresses("shop.example")[0], 80)]
    assert internet.resolver.asked == []
    [request] = internet.web.requests
    assert (request.host, request.target) == ("shop.example", "/a?b=1")


def test_it_sends_the_headers_of_the_srd_and_no_others(internet):
    """SRD FR-WF-10b, 07d: no cookies, nothing of the environment."""
    internet.page("http://shop.example:8080/", "x")
    _get(internet, "http://shop.example:8080/")
    [request] = internet.web.requests
    assert [(name.lower(), value) for name, value in request.headers] == [
        ("host", "shop.example:8080"),
        ("user-agent", "test/1"),
        ("accept", "text/html"),
        ("accept-encoding", "gzip, deflate, br"),
    ]


def test_https_checks_the_certificate_against_the_name(internet):
    """SRD FR-WF-BSSR-TLS-01 holds for plain HTTP mode too: SNI and certificate by name."""
    internet.page("https://shop.example/", "secret")
    _, (body, _) = _get(internet, "https://shop.example/")
    assert body == b"secret"
    assert internet.web.requests[0].server_name == "shop.example"


def test_a_name_that_ends_in_a_dot_has_the_certificate_of_the_name_without(internet):
    """As in browsers; the server is asked for the name as it was written."""
    internet.page("https://shop.example./", "secret")
    assert _get(internet, "https://shop.example./")[1] == (b"secret", False)
    [request] = internet.web.requests
    assert (request.server_name, request.host) == ("shop.example", "shop.example.")


@pytest.mark.parametrize("flaw", ["wrong_certificate", "expired_certificate", "self_signed_certificate"])
def test_a_certificate_that_is_not_the_names_is_refused(internet, flaw):
    internet.page("https://shop.example/", "secret")
    getattr(internet.web, flaw)("shop.example")
    with pytest.raises(NetworkFailed) as refused:
        _get(internet, "https://shop.example/")
    assert refused.value.details == {"error": "tls_validation_failed"}
    assert internet.web.requests == []


def test_the_second_address_is_tried_when_the_first_refuses(internet):
    """SRD FR-WF-DNS-01."""
    internet.host("two.example", "93.184.216.50", "93.184.216.51")
    internet.page("http://two.example/", "here")
    internet.dialer.refuse("93.184.216.50")
    assert _get(internet, "http://two.example/")[1] == (b"here", False)
    assert internet.dialer.attempts == [("93.184.216.50", 80), ("93.184.216.51", 80)]


def test_a_silent_address_does_not_keep_the_next_one_waiting_for_ever(internet, monkeypatch):
    monkeypatch.setattr(transport, "ATTEMPT_SECONDS", 0.01)
    internet.host("two.example", "93.184.216.50", "93.184.216.51")
    internet.page("http://two.example/", "here")
    internet.dialer.stall("93.184.216.50")
    assert _get(internet, "http://two.example/")[1] == (b"here", False)


def test_addresses_that_all_refuse_are_a_network_error(internet):
    internet.host("two.example", "93.184.216.50", "93.184.216.51")
    internet.dialer.refuse("93.184.216.50")
    internet.dialer.refuse("93.184.216.51")
    with pytest.raises(NetworkFailed):
        _get(internet, "http://two.example/")


@pytest.mark.parametrize(
    "script",
    [
        answers.gzip_body("ページ"),
        answers.deflate_body("ページ"),
        answers.deflate_body("ページ", wrapped=False),
        answers.brotli_body("ページ"),
        answers.chunked("ペー", "ジ"),
        answers.answer("ページ", version="HTTP/1.0", headers={"Content-Length": None}),
    ],
)
def test_every_offered_encoding_and_framing_is_read(internet, script):
    """SRD FR-WF-10c."""
    internet.route("http://shop.example/", script)
    assert _get(internet, "http://shop.example/")[1] == ("ページ".encode(), False)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_no_body_is_no_broken_body(internet, coding):
    """SRD FR-WF-10c, 19: servers name a coding for what they do not send."""
    internet.route("http://shop.example/", answers.coded(coding, b""))
    assert _get(internet, "http://shop.example/")[1] == (b"", False)


@pytest.mark.parametrize(
    "script",
    [
        misbehaviour.truncated_chunked("beginning"),
        misbehaviour.wrong_length("short", 100),
        misbehaviour.close_before_answer(),
        misbehaviour.reset_before_answer(),
        misbehaviour.garbage(),
        answers.coded("gzip", b"this is not gzip"),
        answers.coded("br", b"\xff\xff\xff\xff"),
        answers.coded("deflate", b"\xff\xff\xff"),
        answers.coded("gzip", gzip.compress(b"page" * 1000)[:-9]),
        answers.coded("zstd", b"\x28\xb5\x2f\xfd"),
        answers.coded("gzip", gzip.compress(b"")[:5]),
        answers.coded("br", b"\x8b\x02\x80"),
        answers.coded("deflate", b"\x78"),
        answers.answer("x", headers=[("Content-Encoding", "identity"), ("Content-Encoding", "zstd")]),
        answers.nested_gzip("tiny"),
        answers.answer("tiny", headers=[("Content-Encoding", "gzip"), ("Content-Encoding", "gzip")]),
    ],
)
def test_a_body_that_is_broken_or_not_offered_is_a_network_error(internet, script):
    """SRD FR-WF-19: no part of it is returned."""
    internet.route("http://shop.example/", script)
    with pytest.raises(NetworkFailed):
        _get(internet, "http://shop.example/")


@pytest.mark.parametrize(
    "script",
    [
        answers.answer("x" * 1001),
        answers.gzip_body("x" * 1001),
        misbehaviour.endless_body(),
        misbehaviour.brotli_bomb(1 << 30),
        misbehaviour.gzip_bomb(1 << 24),
    ],
)
def test_a_body_over_the_limit_is_refused(internet, script):
    """SRD FR-WF-10e counts decoded bytes."""
    internet.route("http://shop.example/", script)
    with pytest.raises(ResponseTooLarge) as refused:
        _get(internet, "http://shop.example/", max_bytes=1000)
    assert refused.value.details["max_bytes"] == 1000
    assert internet.web.all_hung_up()


@pytest.mark.parametrize(
    ("coding", "body"),
    [("gzip", gzip.compress(b"page", mtime=0)), ("deflate", zlib.compress(b"page"))],
)
def test_what_follows_the_end_of_an_encoded_body_is_not_read(internet, coding, body):
    """Neither kept in memory nor waited for: the page is there."""

    async def endless(request):
        yield answers.chunked_head({"Content-Encoding": coding}) + answers.chunk(body)
        while True:
            yield answers.chunk(b"Z" * 65_536)

    internet.route("http://shop.example/", endless)
    assert _get(internet, "http://shop.example/")[1] == (b"page", False)
    assert internet.web.all_hung_up()


@pytest.mark.parametrize("script", [answers.answer("x" * 1000), answers.gzip_body("x" * 1000)])
def test_a_body_at_the_limit_is_read(internet, script):
    internet.route("http://shop.example/", script)
    assert _get(internet, "http://shop.example/", max_bytes=1000)[1] == (b"x" * 1000, False)


@pytest.mark.parametrize(
    "script", [answers.answer("ab" * 1000), answers.gzip_body("ab" * 1000), misbehaviour.endless_body()]
)
def test_a_body_may_be_cut_instead(internet, script):
    """E1: the quick read takes the beginning of a long page."""
    internet.route("http://shop.example/", script)
    body, cut = _get(internet, "http://shop.example/", max_bytes=1000, cut=True)[1]
    assert (len(body), cut) == (1000, True)
    assert internet.web.all_hung_up()


def test_headers_without_end_are_a_network_error_at_once(internet):
    """A head that outgrows its limit would end only at the deadline."""
    internet.route("http://shop.example/", misbehaviour.endless_headers())
    with pytest.raises(NetworkFailed) as refused:
        _get(internet, "http://shop.example/")
    assert refused.value.details == {"error": "header section too long"}


@pytest.mark.parametrize(("length", "taken"), [(MOST_HEAD_BYTES, True), (MOST_HEAD_BYTES + 1, False)])
def test_the_header_section_has_an_exact_limit(internet, length, taken):
    """Its last line break included; what precedes it as 1xx counts too."""
    hint = b"HTTP/1.1 103 Early Hints\r\n\r\n"
    start = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: "
    filler = b"y" * (length - len(hint) - len(start) - 4)
    internet.route("http://shop.example/", answers.raw(hint + start + filler + b"\r\n\r\npage"))
    if taken:
        assert _get(internet, "http://shop.example/")[1] == (b"page", False)
    else:
        with pytest.raises(NetworkFailed):
            _get(internet, "http://shop.example/")


def test_head_requests_go_out_as_such(internet):
    internet.page("http://shop.example/", "not sent")

    async def exchange():
        target = canonical.canonicalise("http://shop.example/")
        known = tuple(map(ip_address, internet.addresses("shop.example")))
        approved = ApprovedTarget(url=target, addresses=known)
        carrier = Transport(dialer=internet.dialer)
        async with carrier.open(approved, HEADERS, Deadline(5), method="HEAD") as response:
            return response.status

    assert asyncio.run(exchange()) == 200
    assert [request.method for request in internet.web.requests] == ["HEAD"]


def test_the_status_and_the_headers_are_handed_on(internet):
    internet.route(
        "http://shop.example/",
        answers.answer(status=418, reason="I am a teapot", headers=[("X-Twice", "1"), ("x-twice", "2")]),
    )
    response, _ = _get(internet, "http://shop.example/")
    assert (response.status, response.reason) == (418, "I am a teapot")
    assert [value for name, value in response.headers if name == "x-twice"] == ["1", "2"]


def test_the_deadline_closes_the_connection(internet):
    internet.route("http://shop.example/", misbehaviour.stall())
    with pytest.raises(Timeout):
        _get(internet, "http://shop.example/", seconds=0.05)
    assert internet.web.all_hung_up()


def test_the_environments_proxies_are_not_used(internet, monkeypatch):
    """SRD FR-WF-10d."""
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    internet.page("http://shop.example/", "direct")
    assert _get(internet, "http://shop.example/")[1] == (b"direct", False)


FOREIGN = [
    error
    for _, error in inspect.getmembers(httpcore2, inspect.isclass)
    if issubclass(error, Exception) and error is not httpcore2.ConnectionNotAvailable
]
"""All but the signal by which a pool tells itself to take another connection."""


@pytest.mark.parametrize("error", [*FOREIGN, OSError, ConnectionResetError, TimeoutError])
def test_no_foreign_exception_passes_the_rim(internet, error):
    """Whatever httpcore2 or the system can raise becomes an error of ours."""

    class Broken:
        async def dial(self, address, port):
            raise error("broken")

    internet.host("shop.example")
    internet.dialer.dial = Broken().dial
    with pytest.raises(FetchError):
        _get(internet, "http://shop.example/")
