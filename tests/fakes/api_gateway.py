"""API Gateway on loopback: a request becomes an event in its second format, a function's answer a reply.

Bodies that are no text come as base64, and a form counts as none (AWS: "Working with AWS Lambda proxy
integrations for HTTP APIs"); so do bytes that are no UTF-8.
"""

import base64
from typing import Any, Protocol
from urllib.parse import urlsplit

from fetcher.loopback import LocalServer
from tests.fakes.lambda_runtime import FunctionFailed
from tests.fakes.lambda_worker import Api
from tests.fakes.network import LOOPBACK

PATH = "/slack/events"
FORM = "application/x-www-form-urlencoded"


class Function(Protocol):
    def invoke(self, event: Any) -> Any:
        """The function's answer; raises FunctionFailed."""


class ApiGateway(LocalServer):
    """One route, `POST /slack/events`, to one function; a context manager."""

    def __init__(self, function: Function) -> None:
        super().__init__(_api_of(function), name="api gateway")

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}{PATH}"


def event_of(path: str, headers: dict[str, str], body: bytes) -> dict[str, Any]:
    """The request as a function is told of it, as far as functions look."""
    parts = urlsplit(path)
    named = {name.lower(): value for name, value in headers.items()}
    text, encoded = _text(body, named.get("content-type", ""))
    return {
        "version": "2.0",
        "routeKey": f"POST {parts.path}",
        "rawPath": parts.path,
        "rawQueryString": parts.query,
        "headers": named,
        "requestContext": {"http": {"method": "POST", "path": parts.path, "protocol": "HTTP/1.1"}},
        "body": text,
        "isBase64Encoded": encoded,
    }


def first_format(event: dict[str, Any]) -> dict[str, Any]:
    """The same request in the first format, as REST APIs and load balancers send it."""
    return {
        "resource": event["rawPath"],
        "path": event["rawPath"],
        "httpMethod": event["requestContext"]["http"]["method"],
        "headers": event["headers"],
        "multiValueHeaders": {name: [value] for name, value in event["headers"].items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": {"httpMethod": event["requestContext"]["http"]["method"], "stage": "dev"},
        "body": event["body"],
        "isBase64Encoded": event["isBase64Encoded"],
    }


def _text(body: bytes, content_type: str) -> tuple[str, bool]:
    try:
        if content_type.partition(";")[0] != FORM:
            return body.decode("utf-8"), False
    except UnicodeDecodeError:
        pass
    return base64.b64encode(body).decode(), True


def _api_of(function: Function) -> type[Api]:
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
