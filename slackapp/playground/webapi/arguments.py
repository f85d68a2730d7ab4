"""The arguments of a call, from JSON, a form, a multipart body or the query."""

import json
from collections.abc import Mapping
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl

from slackapp.playground.errors import ApiRefused, bad_arguments
from slackapp.playground.http import Request
from slackapp.playground.values import Json

YES = frozenset({"1", "true", "True"})


class Arguments:
    """The values that a caller passed; each method checks the type it returns."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values: Json = {name: value for name, value in values.items() if name != "token"}

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) not in (None, "")

    def text(self, name: str, default: str = "") -> str:
        value = self.values.get(name)
        if value is None:
            return default
        if isinstance(value, dict | list):
            raise bad_arguments(f"must be a string: {name}")
        return str(value)

    def required(self, name: str) -> str:
        if name not in self:
            raise bad_arguments(f"missing required field: {name}")
        return self.text(name)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.values.get(name)
        return default if value is None else value is True or str(value) in YES

    def number(self, name: str, default: int) -> int:
        if name not in self:
            return default
        try:
            return int(self.text(name))
        except ValueError as error:
            raise bad_arguments(f"must be a number: {name}") from error

    def structure(self, name: str, error: str) -> Any:
        """A value that a form carries as JSON; None when it is missing."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            return json.loads(value)
        except ValueError as problem:
            raise ApiRefused(error) from problem


def request_values(request: Request) -> Json:
    """The values of the query and of the body, which wins. Raises ApiRefused."""
    if request.content_type == "application/json":
        try:
            parsed = json.loads(request.body or b"{}")
        except ValueError as error:
            raise ApiRefused("invalid_json") from error
        if not isinstance(parsed, dict):
            raise ApiRefused("json_not_object")
        return {**request.query, **parsed}
    if request.content_type == "multipart/form-data":
        pairs = [(name, content.decode("utf-8", "replace")) for name, content in multipart_parts(request)]
    else:
        pairs = parse_qsl(request.body.decode("utf-8", "replace"), keep_blank_values=True)
    return {**request.query, **dict(pairs)}


def multipart_parts(request: Request) -> list[tuple[str, bytes]]:
    """The parts of a multipart body, with their names."""
    head = b"Content-Type: " + request.headers.get("content-type", "").encode() + b"\r\n\r\n"
    message: Any = BytesParser(policy=HTTP).parsebytes(head + request.body)
    if not message.is_multipart():
        raise ApiRefused("invalid_form_data")
    return [
        (str(part.get_param("name", "", header="content-disposition")), part.get_payload(decode=True))
        for part in message.get_payload()
    ]


def request_token(request: Request, values: Mapping[str, Any]) -> str:
    """The token of a call: in the header, or among the arguments."""
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    return bearer.strip() if scheme.lower() == "bearer" else str(values.get("token") or "")
