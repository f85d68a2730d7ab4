"""Pages whose scripts try to get out: nobody is contacted, and nothing comes back (T-WF-INFRA-05)."""

import asyncio
import json
import logging
import re
from dataclasses import dataclass

import pytest

from fetcher.web.browser import command_line
from fetcher.web.values import FetchedPage
from tests.fakes import answers
from tests.fakes.canary import SECRET, Canary
from tests.fakes.internet import FakeInternet
from tests.fakes.web import FakeWeb
from tests.fetcher.web.browser.escapes import BY_PAGE, BY_SECURE_PAGE, nests, page_of
from tests.fetcher.web.browser.ground import FORCED, browser_engine

HTTP, HTTPS = "http://shop.example/page", "https://shop.example/page"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    page: FetchedPage
    ports: dict[str, int]
    visited: set[str]
    forbidden: list[tuple[str, int]]
    blocked: str
    """The URLs of the requests that the guard refused, as the log has them."""


class Blocked(logging.Handler):
    """Keeps the URLs of blocked requests."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() in ("ssrf_blocked", "port_blocked"):
            self.urls.append(record.__dict__["fields"]["url"])


def _redirect(request: answers.Request):
    port = re.search(r"port=(\d+)", request.target)
    assert port
    return answers.redirect(f"http://127.0.0.1:{port[1]}/")(request)


def _inviting(request: answers.Request):
    """A frame whose headers name somebody to report to, to prepare for or to go to."""
    port = re.search(r"port=(\d+)", request.target)
    assert port
    urls = [f"{scheme}://127.0.0.1:{port[1]}" for scheme in ("http", "https")]
    group = {"group": "g", "max_age": 9999, "endpoints": [{"url": f"{url}/"} for url in urls]}
    headers = {
        "Content-Type": "text/html",
        "Content-Security-Policy": f"default-src 'none'; report-uri {' '.join(urls)}; report-to g",
        "Cross-Origin-Opener-Policy-Report-Only": 'same-origin; report-to="g"',
        "Report-To": json.dumps(group),
        "Reporting-Endpoints": ", ".join(f'g="{url}/"' for url in urls),
        "NEL": json.dumps({"report_to": "g", "max_age": 9999, "success_fraction": 1.0}),
        "Link": ", ".join(
            f"<{url}/>; rel={kind}" for url in urls for kind in ("preload; as=script", "preconnect")
        ),
        "Alt-Svc": f'h3="127.0.0.1:{port[1]}"; ma=9999',
        "Speculation-Rules": f'"{urls[0]}/"',
        "Attribution-Reporting-Register-Source": json.dumps({"destination": "https://127.0.0.1"}),
        "Refresh": f"0; url={urls[0]}/",
    }
    return answers.answer("<script>1</script><img src=x>", headers=headers)(request)


def _service_worker(request: answers.Request):
    port = re.search(r"port=(\d+)", request.target)
    assert port
    script = f"fetch('http://127.0.0.1:{port[1]}/'); fetch('https://127.0.0.1:{port[1]}/')"
    return answers.answer(script, headers={"Content-Type": "text/javascript"})(request)


def _tried(web: FakeWeb, url: str, attempts: dict[str, str]) -> Outcome:
    handler, log = Blocked(), logging.getLogger("fetcher.web.browser.interception")
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        with Canary() as canary, FakeInternet(web) as internet:
            ports = nests(canary, attempts)
            # Chromium's resolver has turned the name into this one before it is asked for.
            canary.nest_on_the_local_network("candidate of a peer by name", b"NOTFOUND")
            internet.page(url, page_of(attempts, ports.__getitem__))
            internet.route(url.replace("/page", "/to"), _redirect)
            internet.route(url.replace("/page", "/worker.js"), _service_worker)
            internet.route(url.replace("/page", "/inviting"), _inviting)
            engine = browser_engine(internet, browser={"network_idle_ms": 4000, "block_resources": []})
            page = asyncio.run(engine.fetch(url, FORCED))
            return Outcome(
                page=page,
                ports=ports,
                visited=canary.visited,
                forbidden=internet.dialer.forbidden,
                blocked=" ".join(handler.urls),
            )
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        web.reset()


@pytest.fixture(scope="module")
def plain(running_web: FakeWeb) -> Outcome:
    """Every attempt of a page over HTTP, in one load."""
    return _tried(running_web, HTTP, BY_PAGE)


@pytest.fixture(scope="module")
def secure(running_web: FakeWeb) -> Outcome:
    """Every attempt of a page over TLS, in one load."""
    return _tried(running_web, HTTPS, BY_SECURE_PAGE)


@pytest.fixture(scope="module")
def unprotected(running_web: FakeWeb) -> set[str]:
    """What gets out of both pages when Chromium has its own network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command_line, "NO_NETWORK", ())
        cases = ((HTTP, BY_PAGE), (HTTPS, BY_SECURE_PAGE))
        return set().union(*(_tried(running_web, *case).visited for case in cases))


@pytest.mark.parametrize("attempt", BY_PAGE)
def test_nothing_gets_out_of_a_page(plain, attempt):
    """IT-WF-BR-03, IT-WF-BR-04: SRD FR-WF-11b."""
    assert attempt not in plain.visited


@pytest.mark.parametrize("attempt", BY_SECURE_PAGE)
def test_nothing_gets_out_of_a_secure_page(secure, attempt):
    """SRD FR-WF-11b, for what only secure pages may use."""
    assert attempt not in secure.visited


@pytest.mark.parametrize("case", ["plain", "secure"])
def test_the_page_was_read_and_the_secret_is_not_in_it(case, request):
    """T-WF-INFRA-05, step 5: all attempts were made, and nothing came back."""
    outcome = request.getfixturevalue(case)
    assert "tried everything" in outcome.page.document.markdown
    assert SECRET not in outcome.page.document.markdown
    assert outcome.forbidden == []


SEEN = {
    "fetch",
    "fetch by name",
    "fetch to IPv6",
    "fetch to a mapped address",
    "fetch to an address in hexadecimal",
    "fetch to an address in one number",
    "fetch to an address in full width",
    "fetch to the unspecified address",
    "fetch to localhost with a dot",
    "event source of a worker",
    "module worker",
    "import map",
    "webassembly",
    "style image",
    "xhr",
    "image",
    "script",
    "style import",
    "iframe",
    "srcdoc",
    "data iframe",
    "blob iframe",
    "form get",
    "event source",
    "worker",
    "worker import",
    "shared worker",
    "preload",
    "redirected fetch",
    "redirected iframe",
}
"""Attempts that the guard must have seen: they are real, and not just mistyped."""


def test_the_guard_saw_the_attempts_and_refused_them(plain):
    """T-WF-INFRA-05, step 6: the log names the blocked requests."""
    assert {attempt for attempt in SEEN if f":{plain.ports[attempt]}/" not in plain.blocked} == set()


def test_a_service_worker_is_held_back_as_well(secure):
    """What it loads belongs to no page."""
    assert f":{secure.ports['service worker']}/" in secure.blocked


@pytest.mark.parametrize(
    "attempt",
    [
        "websocket",
        "websocket by name",
        "websocket of a worker",
        "secure websocket",
        "websocket stream",
        "speculative prefetch",
        "secure speculative prefetch",
        "stun",
        "turn over udp",
        "turn over tcp",
        "candidate of a peer",
        "identity provider",
    ],
)
def test_without_its_switches_chromium_gets_out(unprotected, attempt):
    """The control: these never reach the guard, and the canary notices them."""
    assert attempt in unprotected
