"""API Gateway on loopback: a request becomes an event in its second format, a function's answer a reply."""

import threading
from http.server import ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

from tests.fakes.lambda_runtime import FunctionFailed, LambdaRuntime
from tests.fakes.lambda_worker import Api
from tests.fakes.network import LOOPBACK

PATH = "/slack/events"


class ApiGateway:
    """One route, `POST /slack/events`, to one function; a context manager."""

    def __init__(self, function: LambdaRuntime) -> None:
        self._server = ThreadingHTTPServer((LOOPBACK, 0), _api_of(function))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self._server.server_address[1]}{PATH}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def event_of(path: str, headers: dict[str, str], body: bytes) -> dict[str, Any]:
    """The request as a function is told of it, as far as functions look."""
    parts = urlsplit(path)
    return {
        "version": "2.0",
        "routeKey": f"POST {parts.path}",
        "rawPath": parts.path,
        "rawQueryString": parts.query,
        "headers": {name.lower(): value for name, value in headers.items()},
        "requestContext": {"http": {"method": "POST", "path": parts.path, "protocol": "HTTP/1.1"}},
        "body": body.decode("utf-8", "replace"),
        "isBase64Encoded": False,
    }


def _api_of(function: LambdaRuntime) -> type[Api]:
    class Route(Api):
        def do_POST(self) -> None:  # noqa: N802  # its name in the base class
            event = event_of(self.path, dict(self.headers.items()), self.body())
            if event["rawPath"] != PATH:
                self.answer(404, b'{"message":"Not Found"}')
                return
            try:
                said = function.invoke(event)
            except FunctionFailed:
                self.answer(500, b'{"message":"Internal Server Error"}')
            else:
                self.answer(said["statusCode"], said["body"].encode(), said["headers"])

    return Route
