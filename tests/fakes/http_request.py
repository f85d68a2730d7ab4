"""A request as it came over the wire."""

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request; header names keep their spelling."""

    method: str
    target: str
    fields: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        """With their names in lower case."""
        return {name.lower(): value for name, value in self.fields}


async def read_request(reader: asyncio.StreamReader) -> HttpRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
    method, target, _ = line.split(" ")
    pairs = (field.partition(":") for field in lines)
    fields = tuple((name, value.strip()) for name, _, value in pairs)
    length = next((value for name, value in fields if name.lower() == "content-length"), "0")
    body = await reader.readexactly(int(length))
    return HttpRequest(method=method, target=target, fields=fields, body=body)
