"""Encoded bodies are undone in bounded steps, and a stream that stops early is noticed."""

import gzip
import zlib

import brotli  # type: ignore[import-untyped]
import pytest

from fetcher.web.errors import NetworkFailed
from fetcher.web.net.content_encoding import STEP, codings, decoder

TEXT = "日本語のページ。".encode() * 1000


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


ENCODED = [
    ("gzip", gzip.compress(TEXT, mtime=0)),
    ("x-gzip", gzip.compress(TEXT, mtime=0)),
    ("deflate", zlib.compress(TEXT)),
    ("deflate", _raw_deflate(TEXT)),
    ("br", brotli.compress(TEXT)),
    ("", TEXT),
]


def _decoded(coding, encoded, size):
    undo = decoder(coding)
    parts = [encoded[start : start + size] for start in range(0, len(encoded), size)]
    return b"".join(piece for part in parts for piece in undo.feed(part)), undo.finished


@pytest.mark.parametrize("size", [1, 2, 1000, 10**6])
@pytest.mark.parametrize(("coding", "encoded"), ENCODED)
def test_a_body_is_decoded_however_it_is_cut(coding, encoded, size):
    """SRD FR-WF-10c."""
    assert _decoded(coding, encoded, size) == (TEXT, True)


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize(
    ("coding", "encoded"),
    [
        ("gzip", gzip.compress(b"", mtime=0)),
        ("deflate", zlib.compress(b"")),
        ("deflate", _raw_deflate(b"")),
        ("br", brotli.compress(b"")),
    ],
)
def test_an_encoded_body_of_nothing_is_whole(coding, encoded, size):
    """SRD FR-WF-10c: a bare deflate stream of nothing has two bytes."""
    assert _decoded(coding, encoded, size) == (b"", True)


def test_a_second_gzip_member_that_stops_early_is_not_finished():
    """SRD FR-WF-19: its first two bytes say that more was to come."""
    one, two = gzip.compress(b"one ", mtime=0), gzip.compress(b"two", mtime=0)
    assert [_decoded("gzip", one + two[:length], 1)[1] for length in (2, 10, len(two) - 1)] == [False] * 3


@pytest.mark.parametrize(("coding", "encoded"), ENCODED[:-1])
def test_a_stream_that_stops_early_is_not_finished(coding, encoded):
    """SRD FR-WF-19: half a body is no body."""
    _, finished = _decoded(coding, encoded[:-5], 1000)
    assert not finished


@pytest.mark.parametrize(
    ("coding", "bomb"),
    [
        ("gzip", gzip.compress(bytes(50_000_000), mtime=0)),
        ("deflate", zlib.compress(bytes(50_000_000))),
        ("br", brotli.compress(bytes(50_000_000), quality=5)),
    ],
)
def test_no_step_gives_much_more_than_its_bound(coding, bomb):
    """A bomb comes in small pieces, so that its reader can stop; brotli may double a step."""
    pieces = decoder(coding).feed(bomb)
    assert all(len(piece) <= 2 * STEP for piece, _ in zip(pieces, range(20), strict=False))


def test_concatenated_gzip_members_are_one_body_and_trailing_rubbish_is_ignored():
    body = gzip.compress(b"one ") + gzip.compress(b"two") + b"\0\0rubbish"
    for size in (1, 7, 1000):
        assert _decoded("gzip", body, size) == (b"one two", True)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("", ()),
        ("identity", ()),
        ("GZIP", ("gzip",)),
        (" br ", ("br",)),
        ("gzip, identity", ("gzip",)),
        ("gzip,gzip", ("gzip", "gzip")),
    ],
)
def test_a_header_names_its_codings(header, names):
    assert codings(header) == names


@pytest.mark.parametrize("coding", ["zstd", "compress", "rot13", "gzip;q=1"])
def test_a_coding_that_was_not_offered_is_refused(coding):
    with pytest.raises(NetworkFailed) as refused:
        decoder(coding)
    assert refused.value.details == {"error": "unexpected_content_encoding"}
    assert refused.value.retryable  # as the SRD's registry has it
