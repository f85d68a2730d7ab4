"""AgentCore's runtime API on loopback: it checks what boto3 sends, and passes bodies on to a server."""

import http.client
import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import quote

ARN = "arn:aws:bedrock-agentcore:ap-northeast-1:123456789012:runtime/web_fetch-abcDEF1234"
SESSION = "X-Amzn-Bedrock-AgentCore-Runtime-Session-Id"


class FakeAgentCore:
    """The service; a test may put an answer of its own in the server's place."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        """Where the agent's own server listens."""
        self.invoked: list[str] = []
        """The sessions of the calls, in order."""
        self.stopped: list[str] = []
        self.stopping = threading.Event()
        self.refusals: list[str] = []
        self.answer: tuple[int, dict[str, str], bytes] | None = None
        """Status, headers and body instead of what the agent says."""
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, headers, reply = fake._reply(self, body)
                with suppress(ConnectionError):  # the caller has given up
                    self.send_response(status)
                    for name, value in {**headers, "Content-Length": str(len(reply))}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(reply)
                    self.wfile.flush()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        assert self.refusals == []

    def _reply(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, dict[str, str], bytes]:
        session = request.headers.get(SESSION, "")
        path = request.path.removeprefix(f"/runtimes/{quote(ARN, safe='')}/")
        if not request.headers.get("Authorization", "").startswith("AWS4-HMAC-SHA256 "):
            self.refusals.append("the request is not signed")
        if len(session) < 33:
            self.refusals.append("the session's id is too short")
        if path == "stopruntimesession":
            self.stopped.append(session)
            self.stopping.set()
            return 200, {}, b"{}"
        if path != "invocations" or request.headers["Content-Type"] != "application/json":
            self.refusals.append(f"there is no such address, or no such type: {path}")
        self.invoked.append(session)
        return self.answer or self._passed_on(body)

    def _passed_on(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """As the platform does: no header of the caller's but the type reaches the container."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("POST", "/", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, {"Content-Type": "application/json"}, response.read()
        finally:
            connection.close()


def error(status: int, name: str) -> tuple[int, dict[str, str], bytes]:
    """An error of the service, as its API has them."""
    headers = {"Content-Type": "application/json", "x-amzn-ErrorType": name}
    return status, headers, json.dumps({"message": "secret detail"}).encode()
