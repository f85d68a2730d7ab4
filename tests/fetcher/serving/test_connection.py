"""Half a request, and a request with two ends: over raw sockets, against the real server."""

import http.client
import json
import re
import socket
import time

import pytest

from fetcher.serving import connection
from tests.fetcher.a2a.serving import PATIENCE, Scripted, Serving, serving_scripted

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PING = b"GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n"
CALL = b'{"jsonrpc": "2.0", "id": 1, "method": "nothing"}'
SHORT = 0.5
"""The limit while a test runs."""


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(connection, "REQUEST_SECONDS", SHORT)
    with serving_scripted() as (running, _):
        running.ping()
        yield running


def _opened(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)


def _rest(client):
    """Everything until the server hangs up; a reset is one way to do that."""
    said = b""
    try:
        while more := client.recv(65536):
            said += more
    except ConnectionResetError:
        pass
    return said


@pytest.mark.parametrize(
    ("half", "status"),
    [
        (b"", None),
        (b"P", 408),
        (b"GET /ping HTTP/1.1\r\nHost: loc", 408),
        (HEAD, 408),
        (HEAD + b"Content-Length: 9\r\n\r\n{", 408),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", 408),
        (HEAD + b"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n", 408),
        (HEAD.replace(b"localhost", b"evil.example") + b"Content-Length: 9\r\n\r\n{", 403),
        (PING + b"GET /pi", 408),
        (PING + HEAD + b"Content-Length: 9\r\n\r\n{", 408),
    ],
)
def test_half_a_request_is_hung_up_on(server, half, status):
    """Also where it was refused before, or another came before it; without a word where nothing came."""
    with _opened(server) as client:
        client.sendall(half)
        said = _rest(client)
    assert [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+) ", said)][-1:] == ([status] if status else [])
    assert server.ping()["status"] == "Healthy"


@pytest.mark.parametrize(
    "half",
    [b"GET /ping HTTP/1.1\r\nX: ", HEAD + b"Content-Length: 100000\r\n\r\n", b"POST / HTTP/1.1\r\n"],
)
def test_bytes_that_drip_buy_no_time(server, half):
    """One every few milliseconds, as slow clients with bad intentions send them."""
    began = time.monotonic()
    with _opened(server) as client:
        client.sendall(half)
        client.settimeout(0.01)
        said = None
        while said is None and time.monotonic() < began + PATIENCE:
            try:
                client.sendall(b"x")
                said = client.recv(100)
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                said = b""
    assert said is not None


def _flood(client):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        client.sendall(b" " * 100_000)


def test_a_refused_body_that_goes_on_for_ever_is_not_listened_to(monkeypatch):
    """What earns time to those who are read earns none once the answer is out."""
    monkeypatch.setattr(connection, "REQUEST_SECONDS", SHORT)
    with serving_scripted(a2a_max_body_bytes=1024) as (server, _), _opened(server) as client:
        server.ping()
        client.sendall(HEAD + b"Content-Length: 1000000000\r\n\r\n")
        with pytest.raises(ConnectionError):
            _flood(client)


def test_a_large_body_over_a_slow_line_is_read(server, monkeypatch):
    """What is sent steadily takes longer than the limit, and arrives."""
    monkeypatch.setattr(connection, "SLOWEST_BYTES", 1)
    with _opened(server) as client:
        client.sendall(HEAD + f"Content-Length: {len(CALL)}\r\n\r\n".encode())
        until, sent = time.monotonic() + 3 * SHORT, 0
        client.settimeout(0.02)
        while time.monotonic() < until:
            if sent < len(CALL) - 1:
                client.sendall(CALL[sent : sent + 1])
                sent += 1
            with pytest.raises(TimeoutError):
                client.recv(100)
        client.sendall(CALL[sent:])
        client.settimeout(PATIENCE)
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_pause_between_two_requests_is_longer(server):
    """Load balancers keep connections; what they wait between requests is not half a request."""
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    for pause in (3 * SHORT, 0.01):
        client.request("GET", "/ping")
        assert client.getresponse().read()
        client.sock.settimeout(pause)
        with pytest.raises(TimeoutError):
            client.sock.recv(1)
    client.close()


def test_a_question_is_answered_however_long_it_takes(monkeypatch):
    monkeypatch.setattr(connection, "REQUEST_SECONDS", SHORT)
    agent = Scripted(hold=True)
    question = {"messages": [{"role": "user", "content": [{"type": "text", "text": "質問です"}]}]}
    with Serving(agent.opener) as server, _opened(server) as client:
        server.ping()
        call = b'{"jsonrpc": "2.0", "id": 1, "method": "execute_task", "params": %s}'
        body = call % json.dumps(question).encode()
        client.sendall(HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        assert agent.has_begun()
        client.settimeout(3 * SHORT)
        with pytest.raises(TimeoutError):
            client.recv(1)
        client.settimeout(PATIENCE)
        agent.let_go()
        assert client.recv(1000).startswith(b"HTTP/1.1 200 ")


CHUNKED = b"Transfer-Encoding: chunked\r\n"


@pytest.mark.parametrize(
    "request_",
    [
        HEAD + CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n" + PING,
        HEAD + b"Content-Length: 5\r\n" + CHUNKED + b"\r\n0\r\n\r\n" + PING,
        HEAD + b"Content-Length: 2\r\nTransfer-Encoding: identity\r\n\r\n{}" + PING,
        HEAD + b"Content-Length: 2\r\nTransfer-Encoding:\tChunked\r\n\r\n0\r\n\r\n" + PING,
        HEAD + CHUNKED + CHUNKED + b"\r\n0\r\n\r\n" + PING,
        HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + PING,
        HEAD.replace(b"1.1", b"1.0") + CHUNKED + b"\r\n0\r\n\r\n" + PING,
        HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}" + PING,
        HEAD + b"Content-Length: +2\r\n\r\n{}" + PING,
        PING.replace(b"\r\n\r\n", b"\r\nContent-Length: 5\r\n" + CHUNKED + b"\r\n0\r\n\r\n") + PING,
    ],
)
def test_a_request_whose_end_could_be_elsewhere_is_refused(server, request_):
    """What a proxy in front takes for its body must not become a request of its own here."""
    with _opened(server) as client:
        client.sendall(request_)
        said = _rest(client)
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1 ") == 1
    assert server.ping()["status"] == "Healthy"


@pytest.mark.parametrize(
    "length", [b"Content-Length: 48\r\n\r\n", b"Content-Length: 48\r\nContent-Length: 48\r\n\r\n"]
)
def test_one_length_is_fine(server, length):
    assert len(CALL) == 48
    with _opened(server) as client:
        client.sendall(HEAD + length + CALL)
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")
