"""From a URL to a response over real sockets, in good weather and in bad."""

import asyncio
import json
import subprocess
import sys

import pytest

from fetcher import wording
from fetcher.codes import Note
from fetcher.web.errors import (
    DnsFailed,
    FetchError,
    HttpClientError,
    HttpServerError,
    InvalidUrl,
    NetworkFailed,
    RedirectLimit,
    ResponseTooLarge,
    RobotsDisallowed,
    SsrfBlocked,
    Timeout,
    UnsupportedContentType,
)
from tests.engine import engine, fetch, fetch_options
from tests.fakes import answers, misbehaviour
from tests.fakes.gate import Gate

PAGE = "http://shop.example/page"


def _markdown(internet, url=PAGE, **options):
    return fetch(internet, url, **options).document.markdown


def test_a_page_is_fetched_and_its_facts_are_told(internet, clock):
    """IT-WF-HTTP-01's way there: what was asked, where it ended, when."""
    internet.page("http://shop.example/page", "<title>Shop</title><p>Hello</p>")
    page = fetch(internet, "HTTP://Shop.Example:80/page#part", clock=clock)
    assert page.requested_url == "HTTP://Shop.Example:80/page#part"
    assert str(page.final_url) == "http://shop.example/page"
    assert page.fetched_at == clock.now()
    assert page.document.markdown == "Hello\n"
    assert page.document.title == "Shop"


def test_requests_carry_the_srds_headers(internet):
    """SRD FR-WF-10, 10b."""
    internet.page(PAGE, "x")
    fetch(internet, PAGE)
    request = internet.web.requests[-1]
    assert request.header("User-Agent") == "forge-webfetch/1.0"
    assert request.header("Accept") == "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1"
    assert request.header("Accept-Encoding") == "gzip, deflate, br"
    assert request.header("Cookie") is None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_it_wf_http_02_redirects_are_followed_and_each_hop_is_checked(internet, status):
    """IT-WF-HTTP-02: SRD FR-WF-07, relative locations and other hosts alike."""
    internet.redirect("http://a.example/start", "/middle?x=1", status)
    internet.redirect("http://a.example/middle?x=1", "https://b.example/end#part", status)
    internet.page("https://b.example/end", "<p>arrived</p>")
    page = fetch(internet, "http://a.example/start")
    assert str(page.final_url) == "https://b.example/end"
    assert page.document.markdown == "arrived\n"
    assert internet.web.count("https://b.example/robots.txt") == 1
    agents = {(request.header("User-Agent"), request.header("Accept")) for request in internet.web.requests}
    assert len(agents) == 1
    assert internet.resolver.asked == ["a.example", "b.example"]


def test_cookies_are_neither_kept_nor_sent(internet):
    """SRD FR-WF-07d."""
    cookie = answers.answer(status=302, headers={"Location": "/b", "Set-Cookie": "id=1"})
    internet.route("http://a.example/a", cookie)
    internet.page("http://a.example/b", "x")
    fetch(internet, "http://a.example/a")
    assert all(request.header("Cookie") is None for request in internet.web.requests)


def test_unescaped_utf8_in_a_location_is_understood(internet):
    internet.redirect("http://a.example/a", "/日本語".encode())
    internet.page("http://a.example/日本語", "<p>ok</p>")
    assert _markdown(internet, "http://a.example/a") == "ok\n"


def test_redirects_beyond_the_limit_are_an_error(internet):
    """SRD FR-WF-07f, just inside and just outside."""
    for number in range(4):
        internet.redirect(f"http://a.example/{number}", f"/{number + 1}")
    internet.page("http://a.example/4", "<p>end</p>")
    assert _markdown(internet, "http://a.example/1", max_redirects=3) == "end\n"
    with pytest.raises(RedirectLimit) as refused:
        fetch(internet, "http://a.example/0", max_redirects=3)
    assert refused.value.details == {"count": 4, "max": 3}
    assert [internet.web.count(f"http://a.example/{number}") for number in range(5)] == [1, 2, 2, 2, 1]
    internet.redirect("http://a.example/last", "http://[broken")
    with pytest.raises(RedirectLimit):
        fetch(internet, "http://a.example/last", max_redirects=0)


@pytest.mark.parametrize(
    "location",
    [None, "", "http://", "http://user@b.example/", "http:\\\\b.example", "http://b.example:99999/"],
)
def test_a_location_that_leads_nowhere_is_an_invalid_url(internet, location):
    """E12."""
    headers = {} if location is None else {"Location": location}
    internet.route(PAGE, answers.answer(status=302, headers=headers))
    with pytest.raises(InvalidUrl):
        fetch(internet, PAGE)


FORBIDDEN = [
    "http://127.0.0.1/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://localhost/",
    "http://inside.example/",
]


@pytest.mark.parametrize("target", FORBIDDEN)
def test_t_wf_ssrf_09_a_redirect_inside_is_refused(internet, target):
    """T-WF-SSRF-09: a chain that ends on a private or metadata address ends before it."""
    internet.resolver.add("inside.example", "10.1.2.3")
    internet.redirect("http://a.example/1", "http://b.example/2")
    internet.redirect("http://b.example/2", target)
    with pytest.raises(SsrfBlocked):
        fetch(internet, "http://a.example/1")
    dialled = {address for address, _ in internet.dialer.attempts}
    assert dialled == {*internet.addresses("a.example"), *internet.addresses("b.example")}


def test_t_wf_ssrf_10_a_name_that_changes_its_answer_is_dialled_where_it_was_checked(internet):
    """T-WF-SSRF-10: robots.txt, the page and a redirect on one host share one answer."""
    internet.redirect("http://rebind.example/", "/next")
    internet.page("http://rebind.example/next", "<p>public</p>")
    public = internet.addresses("rebind.example")
    internet.resolver.answers("rebind.example", public, ["127.0.0.1"])
    assert _markdown(internet, "http://rebind.example/") == "public\n"
    assert internet.resolver.asked == ["rebind.example"]


def test_one_private_address_among_public_ones_closes_the_host(internet):
    """E8."""
    internet.host("mixed.example", "93.184.216.99", "10.0.0.1")
    with pytest.raises(SsrfBlocked) as refused:
        fetch(internet, "http://mixed.example/")
    assert refused.value.details["blocked_ip"] == "10.0.0.1"
    assert internet.dialer.attempts == []


def test_t_wf_ssrf_13_only_the_first_addresses_are_tried(internet):
    """T-WF-SSRF-13: SRD FR-WF-DNS-02."""
    addresses = ["93.184.216.91", "93.184.216.92", "93.184.216.93"]
    internet.host("many.example", *reversed(addresses))
    for address in addresses[:2]:
        internet.dialer.refuse(address)
    with pytest.raises(FetchError):
        fetch(internet, "http://many.example/")
    assert {address for address, _ in internet.dialer.attempts} == set(addresses[:2])


def test_a_redirect_to_another_port_meets_the_port_policy(internet):
    internet.redirect(PAGE, "http://shop.example:22/")
    with pytest.raises(FetchError) as refused:
        fetch(internet, PAGE)
    assert refused.value.code == "port_blocked"


def test_every_hop_asks_robots_txt_of_its_own_host(internet):
    """SRD FR-WF-07e."""
    internet.redirect(PAGE, "http://b.example/private")
    internet.page("http://b.example/private", "x")
    internet.robots("http://b.example", "User-agent: *\nDisallow: /private")
    with pytest.raises(RobotsDisallowed):
        fetch(internet, PAGE)
    assert internet.web.count("http://b.example/private") == 0


@pytest.mark.parametrize("status", [201, 204, 206, 300, 304, 305, 399, 600])
def test_other_statuses_are_no_page(internet, status):
    """E12."""
    internet.route(PAGE, answers.answer(b"" if status in (204, 304) else b"x", status=status))
    with pytest.raises(NetworkFailed) as refused:
        fetch(internet, PAGE)
    assert refused.value.details == {"error": "unexpected_status", "status": status}
    assert refused.value.retryable  # as the SRD's registry has it
    sentence = wording.failure(refused.value)
    assert f"HTTP {status}" in sentence
    assert "接続できません" not in sentence  # the server was reached, and asking again brings the same


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        (400, False),
        (404, False),
        (407, False),
        (408, True),
        (409, False),
        (429, True),
        (430, False),
        (499, False),
    ],
)
def test_t_wf_err_04_client_errors_say_whether_to_try_again(internet, status, retryable):
    """T-WF-ERR-04: SRD FR-WF-ERR-HTTP-01."""
    internet.page(PAGE, "no", status=status)
    with pytest.raises(HttpClientError) as refused:
        fetch(internet, PAGE)
    assert (refused.value.code, refused.value.retryable) == ("http_4xx", retryable)
    assert refused.value.details["status"] == status


@pytest.mark.parametrize("status", [500, 501, 503, 599])
def test_server_errors_say_that_another_try_may_help(internet, status):
    """SRD §3.7.2: `http_5xx` from the first to the last."""
    internet.page(PAGE, "no", status=status)
    with pytest.raises(HttpServerError) as refused:
        fetch(internet, PAGE)
    assert (refused.value.code, refused.value.retryable) == ("http_5xx", True)
    assert refused.value.details["status"] == status


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        ("Sat, 10 Jan 2026 12:01:00 GMT", 60),
        ("Sat, 10 Jan 2026 11:00:00 GMT", 0),
        ("99999999999", 86400),
        ("soon", None),
        ("-5", None),
        ("Sat, 10 Jan 2026 12:01:00 +99999999999999999", None),
        ("", None),
    ],
)
def test_retry_after_is_passed_on_in_seconds(internet, clock, header, seconds):
    """E27."""
    internet.page(PAGE, "busy", status=503, headers={"Retry-After": header})
    with pytest.raises(HttpServerError) as refused:
        fetch(internet, PAGE, clock=clock)
    assert refused.value.details.get("retry_after") == seconds


@pytest.mark.parametrize(
    "content_type",
    ["application/pdf", "image/png", "application/json", "text/css", "application/octet-stream", "text/xml"],
)
def test_it_wf_http_03_other_types_are_refused_before_their_body(internet, content_type):
    """IT-WF-HTTP-03: SRD FR-WF-10g."""
    internet.route(PAGE, misbehaviour.endless_body(headers={"Content-Type": content_type}))
    with pytest.raises(UnsupportedContentType) as refused:
        fetch(internet, PAGE)
    assert refused.value.details == {"content_type": content_type}


def test_it_wf_http_04_the_size_limit_holds(internet):
    """IT-WF-HTTP-04: SRD FR-WF-10e."""
    internet.page(PAGE, "x" * 2000)
    fetch(internet, PAGE, wanted=fetch_options(max_bytes=2000))
    with pytest.raises(ResponseTooLarge):
        fetch(internet, PAGE, wanted=fetch_options(max_bytes=1999))


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("text/html; charset=iso-8859-1", "<p>caf\xe9</p>".encode("latin-1"), "café\n"),
        ("text/html; charset=Shift_JIS", "<p>日本語①</p>".encode("cp932"), "日本語①\n"),
        ("text/html", '<meta charset="euc-jp"><p>日本語</p>'.encode("euc-jp"), "日本語\n"),
    ],
)
def test_it_wf_http_05_charsets_are_detected(internet, content_type, body, text):
    """IT-WF-HTTP-05: SRD FR-WF-10i."""
    internet.page(PAGE, body, headers={"Content-Type": content_type})
    page = fetch(internet, PAGE)
    assert (page.document.markdown, page.notes) == (text, frozenset())


def test_it_wf_http_06_the_header_wins_over_the_page(internet):
    """IT-WF-HTTP-06: SRD FR-WF-CHARSET-02."""
    body = '<meta charset="shift_jis"><p>日本語</p>'.encode()
    internet.page(PAGE, body, headers={"Content-Type": "text/html; charset=utf-8"})
    assert _markdown(internet) == "日本語\n"


def test_it_wf_http_07_parameters_do_not_change_the_type(internet):
    """IT-WF-HTTP-07: SRD FR-WF-CT-01."""
    internet.page(PAGE, "<p>x</p>", headers={"Content-Type": " TEXT/HTML ; foo=bar; charset=UTF-8"})
    assert _markdown(internet) == "x\n"


def test_an_unknown_charset_is_noted(internet):
    internet.page(PAGE, "<p>日本語</p>", headers={"Content-Type": "text/html; charset=klingon"})
    page = fetch(internet, PAGE)
    assert (page.document.markdown, page.notes) == ("日本語\n", {Note.CHARSET_FALLBACK})


def test_plain_text_is_passed_through(internet):
    """SRD FR-WF-13c."""
    internet.page(
        PAGE, "# not a heading?\r\n\r\n\r\n\r\n\r\n*as it is*  ", headers={"Content-Type": "text/plain"}
    )
    assert _markdown(internet) == "# not a heading?\n\n\n*as it is*\n"


def test_names_that_do_not_resolve(internet):
    with pytest.raises(DnsFailed):
        fetch(internet, "http://nowhere.example/")


SLOW = {
    "dns": lambda net: net.resolver.stall("shop.example"),
    "connect": lambda net: net.dialer.stall(net.addresses("shop.example")[0]),
    "silence": lambda net: net.route(PAGE, misbehaviour.stall()),
    "slow head": lambda net: net.route(PAGE, misbehaviour.slow_head(0.02)),
    "endless headers": lambda net: net.route(PAGE, misbehaviour.endless_headers(0.02)),
    "endless informational": lambda net: net.route(PAGE, misbehaviour.informational_forever(0.01)),
    "drip": lambda net: net.route(PAGE, misbehaviour.slow_drip("x" * 1000, 0.02)),
    "endless drip": lambda net: net.route(PAGE, misbehaviour.endless_body(0.02, piece=b"x")),
    "handshake": lambda net: (
        net.redirect("http://shop.example/start", "https://shop.example/"),
        net.dialer.carry(net.addresses("shop.example")[0], https=net.web.port),
    ),
}


@pytest.mark.parametrize("kind", SLOW)
def test_nothing_outlasts_the_deadline(internet, kind):
    """SRD FR-WF-10a, FR-WF-TIMEOUT-02: one budget over DNS, connecting, headers and a slow drip."""
    internet.redirect("http://shop.example/start", PAGE)
    warm = ["http://shop.example/warm", "https://shop.example/warm"]
    for url in warm:
        internet.page(url, "x")

    async def story():
        reader = engine(internet)
        for url in warm:
            await reader.fetch(url, fetch_options())  # robots.txt is known from here on
        SLOW[kind](internet)
        with pytest.raises(Timeout):
            await reader.fetch("http://shop.example/start", fetch_options(timeout_seconds=0.3))

    asyncio.run(story())
    assert internet.web.all_hung_up()


BROKEN = {
    "truncated chunked body": (misbehaviour.truncated_chunked("<p>half"), "network"),
    "wrong length": (misbehaviour.wrong_length("<p>half", 100), "network"),
    "reset": (misbehaviour.reset_before_answer(), "network"),
    "not offered": (answers.coded("zstd", b"\x28\xb5\x2f\xfd"), "network"),
    "nested gzip": (answers.nested_gzip("<p>deep"), "network"),
    "gzip bomb": (misbehaviour.gzip_bomb(1 << 28), "response_too_large"),
    "brotli bomb": (misbehaviour.brotli_bomb(1 << 30), "response_too_large"),
    "endless body": (misbehaviour.endless_body(), "response_too_large"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_and_explosive_bodies_have_their_codes(internet, kind):
    script, code = BROKEN[kind]
    internet.route(PAGE, script)
    with pytest.raises(FetchError) as refused:
        fetch(internet, PAGE)
    assert refused.value.code == code
    assert internet.web.all_hung_up()


def test_a_wrong_certificate_is_a_network_error(internet):
    """SRD FR-WF-BSSR-TLS-01."""
    internet.page("https://shop.example/", "secret")
    internet.web.wrong_certificate("shop.example")
    with pytest.raises(FetchError) as refused:
        fetch(internet, "https://shop.example/", robots={"fail_open": True})
    assert refused.value.details == {"error": "tls_validation_failed"}


BOMB = """
import asyncio, json, resource, sys
from tests.engine import fetch
from tests.fakes.internet import FakeInternet
from tests.fakes.misbehaviour import brotli_bomb, gzip_bomb, endless_body
from fetcher.web.errors import FetchError
with FakeInternet() as internet:
    internet.page("http://shop.example/warm", "<p>warm</p>")
    fetch(internet, "http://shop.example/warm")
    scripts = [brotli_bomb(1 << 30), gzip_bomb(1 << 28), endless_body()]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    codes = []
    for number, script in enumerate(scripts):
        internet.route(f"http://shop.example/{number}", script)
        try:
            fetch(internet, f"http://shop.example/{number}")
        except FetchError as error:
            codes.append(error.code)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([codes, grown // 1024]))
"""


def test_bombs_cost_less_than_a_hundred_megabytes():
    """Peak memory of a process of its own, before and after."""
    done = subprocess.run([sys.executable, "-c", BOMB], capture_output=True, text=True, check=True)
    codes, megabytes = json.loads(done.stdout)
    assert codes == ["response_too_large"] * 3
    assert megabytes < 100


def test_two_requests_at_a_time_reach_one_host(internet):
    """E27."""
    together: list[int] = []

    async def watched(request):
        together.append(len(together))
        await asyncio.sleep(0.01)
        together.pop()
        seen.append(len(together) + 1)
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\nx"

    seen: list[int] = []
    urls = [f"http://shop.example/{number}" for number in range(6)]
    for url in urls:
        internet.route(url, watched)

    async def story():
        reader = engine(internet)
        await asyncio.gather(*(reader.fetch(url, fetch_options()) for url in urls))

    asyncio.run(story())
    assert len(seen) == 6
    assert max(seen) <= 2


def test_cancelling_a_fetch_hangs_up(internet):
    gate = Gate()
    internet.route(PAGE, gate.before(answers.answer("x")))

    async def story():
        task = asyncio.create_task(engine(internet).fetch(PAGE, fetch_options()))
        await asyncio.to_thread(gate.wait_until_held, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())
    assert internet.web.all_hung_up()
