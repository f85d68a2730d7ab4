"""What Chromium is answered."""

import base64

import pytest

from fetcher.web.browser.loader import PausedRequest, fulfilment
from fetcher.web.net.canonical import canonicalise
from fetcher.web.values import Headers, RawResponse


def _paused(method="GET"):
    return PausedRequest.of(
        {
            "requestId": "interception-job-1.0",
            "request": {"url": "http://a.example/", "method": method, "headers": {"Accept": "*/*"}},
            "resourceType": "XHR",
        }
    )


def _answered(headers, body=b"", *, status=200, method="GET", drop=frozenset()):
    response = RawResponse(
        url=canonicalise("http://a.example/"), status=status, reason="", headers=Headers(headers), body=body
    )
    answer = fulfilment(_paused(method), response, drop=drop)
    lines = base64.b64decode(answer["binaryResponseHeaders"]).decode("latin-1").split("\0")
    return dict(line.split(": ", 1) for line in lines), base64.b64decode(answer["body"])


def test_headers_are_true_of_the_decoded_body():
    """Neither the encoding nor the length of what came over the wire is handed on."""
    headers, body = _answered(
        [("content-encoding", "gzip"), ("content-length", "5"), ("transfer-encoding", "chunked"), ("x", "y")],
        b"decoded text",
    )
    assert headers == {"x": "y", "content-length": "12"}
    assert body == b"decoded text"


def test_the_answer_to_a_head_keeps_the_length_it_tells():
    headers, body = _answered([("content-length", "9000")], method="HEAD")
    assert (headers, body) == ({"content-length": "9000"}, b"")


@pytest.mark.parametrize(
    "name", ["alt-svc", "link", "nel", "report-to", "reporting-endpoints", "speculation-rules"]
)
def test_invitations_to_talk_in_the_background_are_kept_here(name):
    assert name not in _answered([(name, "https://elsewhere.example/")])[0]


def test_bytes_that_are_no_text_pass_through():
    headers, body = _answered([("x-name", "caf\xe9")], b"\x00\xff\xfe")
    assert headers["x-name"] == "caf\xe9"
    assert body == b"\x00\xff\xfe"


@pytest.mark.parametrize(
    ("method", "headers", "kind"),
    [
        ("GET", {}, "xhr"),
        ("OPTIONS", {}, "preflight"),
        ("GET", {"Accept": "text/event-stream"}, "eventsource"),
        ("GET", {"Sec-Purpose": "prefetch;prerender"}, "prefetch"),
    ],
)
def test_a_kind_is_told_by_more_than_chromiums_word(method, headers, kind):
    """The root session says XHR to all of these."""
    request = {"url": "http://a.example/", "method": method, "headers": headers}
    assert PausedRequest.of({"requestId": "1", "request": request, "resourceType": "XHR"}).kind == kind


def test_of_a_pages_headers_little_is_kept():
    """Neither what a server has no need of, nor what nobody would write there."""
    headers = {"Accept": "x" * 1001, "Origin": "http://a.example", "X-Huge": "y" * 100_000}
    request = {"url": "http://a.example/", "method": "GET", "headers": headers}
    paused = PausedRequest.of({"requestId": "1", "request": request, "resourceType": "XHR"})
    assert paused.forwarded == {"origin": "http://a.example"}
