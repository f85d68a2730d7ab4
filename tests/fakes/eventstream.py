"""AWS's event stream: the frames in which Bedrock sends what it streams.

A frame is `u32 total, u32 headers' length, crc32 of these, headers, payload, crc32 of all`; a header
is its name, a type and a value, and the only type in use here is 7, a string.
"""

import base64
import json
import struct
import zlib
from typing import Any

STRING = 7
AROUND_PAYLOAD = 16
"""Bytes of a frame that are neither headers nor payload."""


def event(payload: Any) -> bytes:
    """A frame that carries one of the model's events."""
    return chunk(json.dumps(payload, ensure_ascii=False).encode())


def chunk(content: bytes) -> bytes:
    """A frame that carries whatever bytes, as one of the model's events would be carried."""
    wrapped = {"bytes": base64.b64encode(content).decode("ascii")}
    return frame({":message-type": "event", ":event-type": "chunk"}, wrapped)


def exception(kind: str, message: str) -> bytes:
    """A frame that ends a stream with an error."""
    return frame({":message-type": "exception", ":exception-type": kind}, {"message": message})


def frame(headers: dict[str, str], payload: Any) -> bytes:
    head = b"".join(map(_header, [*headers.items(), (":content-type", "application/json")]))
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", len(head) + len(body) + AROUND_PAYLOAD, len(head))
    unsigned = prelude + _checksum(prelude) + head + body
    return unsigned + _checksum(unsigned)


def corrupted(whole: bytes) -> bytes:
    """The same frame with one bit of its payload turned."""
    return whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:]


def _header(item: tuple[str, str]) -> bytes:
    name, value = (text.encode() for text in item)
    return struct.pack(">B", len(name)) + name + struct.pack(">BH", STRING, len(value)) + value


def _checksum(content: bytes) -> bytes:
    return struct.pack(">I", zlib.crc32(content))
