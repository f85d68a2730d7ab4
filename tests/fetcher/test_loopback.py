"""The plain server on loopback."""

import http.client
import socket
import struct
import threading

import pytest

from fetcher.loopback import LocalHandler, LocalServer

LARGE = b"x" * 10_000_000


@pytest.fixture
def ended():
    """Set when a connection is over."""
    return threading.Event()


@pytest.fixture
def server(ended):
    class Handler(LocalHandler):
        def do_GET(self):  # noqa: N802  # the base class has it so
            self.reply(200, {"X-Path": self.path}, LARGE if self.path == "/large" else b"hello")

        do_HEAD = do_GET  # noqa: N815

        def finish(self):
            super().finish()
            ended.set()

    with LocalServer(Handler, name="test") as running:
        yield running


def test_a_connection_serves_many_requests(server):
    """With exact lengths; HEAD is told the length and sent nothing."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    for verb, body in (("GET", b"hello"), ("HEAD", b""), ("GET", b"hello")):
        connection.request(verb, "/a")
        answer = connection.getresponse()
        assert (answer.status, answer.headers["X-Path"], answer.headers["Content-Length"]) == (200, "/a", "5")
        assert answer.read() == body
    connection.close()


def test_a_client_that_leaves_in_the_middle_is_no_news(server, ended, capfd):
    """Nothing is written to the terminal, and the next one is served."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as leaving:
        leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        leaving.sendall(b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n")
        leaving.recv(1)
    assert ended.wait(5)
    assert capfd.readouterr().err == ""
