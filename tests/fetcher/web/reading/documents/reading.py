"""Reads a body in this process, with every reader that there is."""

from typing import Any

from fetcher.codes import ReadingMode
from fetcher.web.net.media_types import Accept
from fetcher.web.reading import readers
from fetcher.web.reading.documents.library_readers import DOCUMENT_READERS
from fetcher.web.values import Document, ReadingContext


def document(body: bytes | str, content_type: str | None = None, **changes: Any) -> Document:
    data = body if isinstance(body, bytes) else body.encode()
    usual: dict[str, Any] = {
        "url": "https://files.example/data",
        "mode": ReadingMode.ARTICLE,
        "accept": Accept.ALL_KINDS,
        "content_type": content_type,
    }
    context = ReadingContext(**(usual | changes))
    return readers.read(data, context, (*DOCUMENT_READERS, *readers.READERS)).document
