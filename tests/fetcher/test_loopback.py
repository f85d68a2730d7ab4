"""The server on loopback."""

import contextlib
import http.client
import socket
import struct
import threading

import pytest

from fetcher.loopback import LocalHandler, LocalServer, NotRunning

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


def test_a_client_that_leaves_in_the_middle_is_not_an_error(server, ended, capfd):
    """Nothing is written to the terminal."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as leaving:
        leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        leaving.sendall(b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n")
        leaving.recv(1)
    assert ended.wait(60)
    assert capfd.readouterr().err == ""


def test_a_server_stops_while_a_connection_waits_for_its_next_request(server, ended):
    """The connection ends, and so does its thread."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("GET", "/a")
    connection.getresponse().read()
    server.stop()
    assert ended.is_set()
    connection.close()


def test_a_server_stops_after_the_request_in_work():
    """Its answer still arrives."""
    begun, finish = threading.Event(), threading.Event()

    class Slow(LocalHandler):
        def do_GET(self):  # noqa: N802  # the base class has it so
            begun.set()
            finish.wait(60)
            self.reply(200, {}, b"late")

    server = LocalServer(Slow, name="test").start()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("GET", "/")
    assert begun.wait(60)
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    finish.set()
    assert connection.getresponse().read() == b"late"
    stopping.join(60)
    assert not stopping.is_alive()
    connection.close()


def test_a_port_is_known_after_the_start_and_can_be_taken():
    """A second server on the same port does not start."""
    server = LocalServer(LocalHandler, name="test")
    with pytest.raises(NotRunning):
        _ = server.port
    with server, pytest.raises(OSError, match="in use"):
        LocalServer(LocalHandler, name="other", port=server.port).start()


def test_a_server_outlives_what_it_cannot_accept(server, monkeypatch):
    """A flood that used up the files or the threads of the process is over at some time."""
    real, failures = socket.socket.accept, [OSError(24, "Too many open files")]

    def accept(self):
        accepted = real(self)
        if failures:
            accepted[0].close()
            raise failures.pop()
        return accepted

    monkeypatch.setattr(socket.socket, "accept", accept)
    start = threading.Thread.start
    monkeypatch.setattr(
        threading.Thread, "start", lambda self: start(self) if failures else _fail_once(monkeypatch, start)
    )
    for _ in range(3):  # two are lost: one is not accepted, one gets no thread
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", "/a")
            status = connection.getresponse().status
        connection.close()
    assert status == 200


def _fail_once(monkeypatch, start):
    monkeypatch.setattr(threading.Thread, "start", start)
    raise RuntimeError("can't start new thread")


def test_a_connection_ends_in_time_however_slowly_its_bytes_come_and_only_some_are_served():
    class Handler(LocalHandler):
        longest = 0.3

        def do_GET(self):  # noqa: N802  # the base class has it so
            self.reply(200, {}, b"hello")

    with LocalServer(Handler, name="test", most_connections=1) as running:
        address = ("127.0.0.1", running.port)
        with socket.create_connection(address, timeout=5) as slow:
            slow.sendall(b"GET /a HTTP/1.1\r\nX: ")
            with socket.create_connection(address, timeout=5) as second:
                assert second.recv(1) == b""  # there is one already
            with contextlib.suppress(OSError):
                for _ in range(500):
                    slow.sendall(b"a")
                    slow.settimeout(0.01)
                    with contextlib.suppress(TimeoutError):
                        assert slow.recv(1) == b""
                        break
                else:
                    raise AssertionError("it may go on for ever")
