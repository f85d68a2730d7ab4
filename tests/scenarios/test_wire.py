"""What a server may put on the wire besides a page: bounded, whatever it is, and nobody else waits for it."""

import asyncio
import gzip
import os
from unittest.mock import Mock

import ada_url
import pytest

from fetcher.web.errors import FetchError
from fetcher.web.net.canonical import MAX_URL_CHARS
from tests.engine import engine, fetch_options
from tests.fakes import answers, misbehaviour
from tests.fakes.gate import Gate
from tests.fakes.misbehaviour import EMPTY_BLOCKS

PAGE = "http://shop.example/page"
EMPTY_MEMBER = gzip.compress(b"", mtime=0)
MIB = 1024 * 1024


def _fetched(internet, wanted):
    """What a fetch came to."""

    async def story():
        try:
            return await engine(internet).fetch(PAGE, wanted)
        except FetchError as error:
            return error

    return asyncio.run(story())


ENDLESS = {
    **{
        f"empty blocks: {kind}": (misbehaviour.endless_coding(*row), "response_too_large")
        for kind, row in EMPTY_BLOCKS.items()
    },
    "empty gzip members": (
        misbehaviour.endless_coding("gzip", EMPTY_MEMBER, EMPTY_MEMBER * 3000),
        "network",
    ),
    "chunks of one byte": (misbehaviour.endless_chunks(answers.chunk(b"x") * 10_000), "network"),
    "chunk extensions": (misbehaviour.endless_chunks(b"1;%b\r\nx\r\n" % (b"e" * 60_000)), "network"),
    "one chunk extension": (misbehaviour.endless_chunks(b"1;" + b"e" * 60_000), "network"),
    "white space in a chunk's head": (misbehaviour.endless_chunks(b"1" + b" " * 60_000), "network"),
    "trailers": (misbehaviour.endless_chunks(b"0\r\n" + b"X-More: and more\r\n" * 3000), "network"),
    "headers": (misbehaviour.endless_headers(), "network"),
    "one header": (answers.raw(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 3 * MIB), "network"),
    "informational answers": (misbehaviour.informational_forever(), "network"),
    "reason": (answers.raw(b"HTTP/1.1 200 " + b"y" * 3 * MIB), "network"),
    "header lines": (answers.answer("x", headers=[("X", "")] * 15_000), "network"),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_adds_nothing_to_the_page_has_an_end(internet, kind):
    """Long before the deadline."""
    script, code = ENDLESS[kind]
    internet.route(PAGE, script)
    refused = _fetched(internet, fetch_options(timeout_seconds=60, max_bytes=512 * 1024))
    assert isinstance(refused, FetchError)
    assert (refused.code, refused.retryable) == (code, code == "network")
    assert internet.web.all_hung_up()


@pytest.mark.parametrize("kind", EMPTY_BLOCKS)
def test_the_quick_read_takes_what_there_is_and_says_that_it_is_cut(internet, kind):
    """E1: a longer body is cut, not refused."""
    internet.route(PAGE, misbehaviour.endless_coding(*EMPTY_BLOCKS[kind]))
    page = _fetched(internet, fetch_options(timeout_seconds=60, max_bytes=512 * 1024, cut=True))
    assert page.cut


LOCATIONS = {
    "slashes": "http:" + "/" * 98_000,
    "slashes alone": "/" * 98_000,
    "names and passwords": "http://" + "a:b@" * 24_000,
    "long host": "http://" + "é" * 40_000 + "/",
}


@pytest.mark.parametrize("kind", LOCATIONS)
def test_a_location_that_is_too_long_is_refused_before_it_is_parsed(internet, kind, monkeypatch):
    """SRD FR-WF-07b; 98,000 slashes took four seconds, during which nobody else was served."""
    internet.redirect(PAGE, LOCATIONS[kind].encode())
    parser = Mock(wraps=ada_url.URL)
    monkeypatch.setattr("fetcher.web.net.canonical.ada_url.URL", parser)
    refused = _fetched(internet, fetch_options())
    assert isinstance(refused, FetchError)
    assert refused.code == "invalid_url"
    assert all(len(call.args[0]) <= MAX_URL_CHARS for call in parser.call_args_list)


INCOMPRESSIBLE = os.urandom(300_000).hex().encode()[:500_000]

HONEST = {
    "a long header section": (answers.answer("<p>page", headers={"X-Long": "y" * 98_000}), "page\n"),
    "many headers": (answers.answer("<p>page", headers=[("X", "")] * 990), "page\n"),
    "early hints": (
        answers.raw(
            b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" * 20,
            answers.head(length=7) + b"<p>page",
        ),
        "page\n",
    ),
    "chunks of one byte": (answers.chunked(*("<p>" + "page" * 5000)), "page" * 5000 + "\n"),
    "chunks of a line": (answers.chunked(*(["<p>" + "x" * 40] * 3000)), None),
    "chunk extensions": (answers.raw(answers.chunked_head(), b"7;a=b\r\n<p>page\r\n0\r\n\r\n"), "page\n"),
    "trailers": (answers.chunked("<p>page", end=b"0\r\nExpires: never\r\n\r\n"), "page\n"),
    "gzip in pieces": (answers.coded("gzip", b"".join(gzip.compress(b"ab") for _ in range(900))), None),
    "gzip that cannot pack": (answers.coded("gzip", gzip.compress(INCOMPRESSIBLE, 0)), None),
}


@pytest.mark.parametrize("kind", HONEST)
def test_what_honest_servers_send_is_read(internet, kind):
    script, text = HONEST[kind]
    internet.route(PAGE, script)
    page = _fetched(internet, fetch_options(max_bytes=500_000))
    assert page.document.markdown == text if text else page.document.markdown
    assert not page.cut


PHASES = {
    "dns": lambda net: net.resolver.stall("shop.example"),
    "connect": lambda net: net.dialer.stall(net.addresses("shop.example")[0]),
    "headers": lambda net: net.route(PAGE, misbehaviour.stall()),
    "body": lambda net: net.route(PAGE, misbehaviour.slow_drip("x" * 1000, 0.05)),
}


@pytest.mark.parametrize("phase", PHASES)
def test_a_timeout_names_what_was_waited_for(internet, phase):
    """SRD §3.7.2: a server that takes the connection and never answers was connected to."""
    internet.page(PAGE, "x")

    async def story():
        reader = engine(internet)
        await reader.fetch(PAGE, fetch_options())  # robots.txt is known from here on
        PHASES[phase](internet)
        return await reader.fetch(PAGE, fetch_options(timeout_seconds=0.6))

    with pytest.raises(FetchError) as late:
        asyncio.run(story())
    assert late.value.details == {"timeout_ms": 600, "phase": phase}


def test_a_handshake_that_does_not_end_is_still_connecting(internet):
    """The plain port, offered TLS, waits for ever."""
    internet.page("https://shop.example/page", "x")
    internet.dialer.carry(internet.addresses("shop.example")[0], {443: internet.web.port})

    async def story():
        return await engine(internet, robots={"fail_open": True}).fetch(
            "https://shop.example/page", fetch_options(timeout_seconds=0.3)
        )

    with pytest.raises(FetchError) as late:
        asyncio.run(story())
    assert late.value.details["phase"] == "connect"


def test_waiting_for_a_place_at_a_host_is_not_connecting(internet):
    """E27: two requests at a time; the third waits in front of its own door."""
    gate = Gate()
    internet.route("http://shop.example/stuck", gate.before(answers.answer("x")))
    internet.page(PAGE, "x")

    async def story():
        reader = engine(internet)
        await reader.fetch(PAGE, fetch_options())
        stuck = [
            asyncio.create_task(reader.fetch("http://shop.example/stuck", fetch_options(timeout_seconds=5)))
            for _ in range(2)
        ]
        await asyncio.to_thread(gate.wait_until_held, 2)
        try:
            return await reader.fetch(PAGE, fetch_options(timeout_seconds=0.2))
        finally:
            for task in stuck:
                task.cancel()
            await asyncio.gather(*stuck, return_exceptions=True)

    with pytest.raises(FetchError) as late:
        asyncio.run(story())
    assert late.value.details["phase"] == "queue"
