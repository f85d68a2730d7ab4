"""What servers should not do."""

import asyncio
import time
import zlib

import brotli  # type: ignore[import-untyped]
import httpcore2
import pytest

from fetcher.web.net.content_encoding import decoder
from tests.fakes import misbehaviour as bad
from tests.fakes.client import get, talk

URL = "http://shop.example/"
MEBIBYTE = 1 << 20


def receive(internet, script, within=60):
    """What an ordinary client makes of a script in some seconds."""
    internet.route(URL, script)
    return asyncio.run(asyncio.wait_for(get(internet, URL), within))


@pytest.mark.parametrize(
    "script",
    [
        bad.slow_drip("x" * 1000, delay=0.01),
        bad.slow_head(delay=0.01),
        bad.endless_headers(delay=0.01),
        bad.endless_body(),
        bad.endless_body(delay=0.01, piece=b"x"),
        bad.informational_forever(),
        bad.informational_forever(delay=0.01),
        bad.stall(),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_client_without_a_deadline_would_wait_for_ever(internet, script, scheme):
    """Slow, endless and silent servers outlast any timeout between two bytes, and are left by hanging up."""
    internet.route(f"{scheme}://shop.example/", script)
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(get(internet, f"{scheme}://shop.example/"), 0.05))
    assert internet.web.all_hung_up()


def test_a_head_that_never_ends_goes_on_past_any_limit(internet):
    """Endless headers run the client into its own limit."""
    with pytest.raises(httpcore2.RemoteProtocolError):
        receive(internet, bad.endless_headers())


def test_a_slow_drip_takes_its_time(internet):
    """A drip gives the whole body in the end, so many bytes a period."""
    started = time.perf_counter()
    assert receive(internet, bad.slow_drip("abcde", delay=0.01, size=2)).content == b"abcde"
    assert time.perf_counter() - started > 0.02


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (bad.truncated_chunked("begun"), httpcore2.RemoteProtocolError),
        (bad.wrong_length("short", declared=100), httpcore2.RemoteProtocolError),
        (bad.close_before_answer(), httpcore2.RemoteProtocolError),
        (bad.reset_before_answer(), httpcore2.ReadError),
        (bad.garbage(), httpcore2.RemoteProtocolError),
    ],
)
def test_a_broken_answer_is_an_error_to_a_client(internet, script, error):
    """Each way to break the protocol is seen as an error, not as a page."""
    with pytest.raises(error):
        receive(internet, script)


def test_a_body_longer_than_declared_is_cut(internet):
    """A client stops at the declared length, though more is sent."""
    assert receive(internet, bad.wrong_length("long", declared=2)).content == b"lo"
    assert talk(internet.web.port, "shop.example").endswith(b"long")


@pytest.mark.parametrize("size", [1, 20 * MEBIBYTE])
def test_bombs_unpack_to_at_least_the_promised_size(size):
    """Both kinds of bomb are well-formed: they unpack to their end, and to zeros only."""
    for zeros in (brotli.decompress(bad.brotli_zeros(size)), zlib.decompress(bad.gzip_zeros(size), 31)):
        assert size <= len(zeros) <= size + bad.BROTLI_STRETCH
        assert zeros == bytes(len(zeros))


def test_a_gigabyte_of_zeros_is_a_handful_of_bytes(internet):
    """The brotli bomb for 1 GiB is under a kilobyte, and the gzip one about a mebibyte."""
    response = receive(internet, bad.brotli_bomb())
    assert (b"Content-Encoding", b"br") in response.headers
    assert len(response.content) < 1000
    assert len(bad.gzip_zeros(64 * MEBIBYTE)) < 70_000


def test_a_bomb_can_be_unpacked_in_small_steps():
    """The 1 GiB bomb goes on for as long as one unpacks it."""
    unpacker = brotli.Decompressor()
    piece = unpacker.process(bad.brotli_zeros(1 << 30), output_buffer_limit=MEBIBYTE)
    for _ in range(40):
        assert piece == bytes(len(piece)) != b""
        piece = unpacker.process(b"", output_buffer_limit=MEBIBYTE)
    assert not unpacker.is_finished()


@pytest.mark.parametrize("kind", bad.EMPTY_BLOCKS)
def test_empty_blocks_are_well_formed_and_hold_nothing(kind):
    """They can go on for ever: no decoder finds a fault, an end or a byte in them."""
    coding, opening, piece = bad.EMPTY_BLOCKS[kind]
    undo = decoder(coding)
    assert [list(undo.feed(data)) for data in (opening, piece, piece)] == [[], [], []]
    assert not undo.finished
