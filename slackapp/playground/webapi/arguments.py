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
    """What a caller passed, checked as it is taken."""

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
        """A value that a form carries as JSON; None when it is not there."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            return json.loads(value)
        except ValueError as problem:
            raise ApiRefused(error) from problem


def read(request: Request) -> Json:
    """Everything that a request passes; the body goes over the query."""
    return {**request.query, **_body(request)}


def _body(request: Request) -> Json:
    if request.content_type == "application/json":
        try:
            parsed = json.loads(request.body or b"{}")
        except ValueError as error:
            raise ApiRefused("invalid_json") from error
        if not isinstance(parsed, dict):
            raise ApiRefused("json_not_object")
        return parsed
    if request.content_type == "multipart/form-data":
        parts = multipart(request)
        return {name: content.decode("utf-8", "replace") for name, content in parts}
    return dict(parse_qsl(request.body.decode("utf-8", "replace"), keep_blank_values=True))


def multipart(request: Request) -> list[tuple[str, bytes]]:
    """The parts of a multipart body, by name."""
    head = b"Content-Type: " + request.headers.get("content-type", "").encode() + b"\r\n\r\n"
    message: Any = BytesParser(policy=HTTP).parsebytes(head + request.body)
    if not message.is_multipart():
        raise ApiRefused("invalid_form_data")
    return [(_name(part), part.get_payload(decode=True)) for part in message.get_payload()]


def _name(part: Any) -> str:
    return str(part.get_param("name", "", header="content-disposition"))


def token(request: Request, values: Mapping[str, Any]) -> str:
    """The token of a call: in the header, or among the arguments."""
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    return bearer.strip() if scheme.lower() == "bearer" else str(values.get("token") or "")
