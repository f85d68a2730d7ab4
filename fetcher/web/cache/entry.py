"""One cached page as bytes, and the key it is kept under (SRD §3.6.1, §3.6.2); no I/O."""

import re
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from fetcher.codes import ReadingMode, RenderingMethod
from fetcher.web.values import CanonicalUrl, Document

VERSION: Final = 2
"""Changes when the schema below changes incompatibly (SRD FR-WF-CCH-VER-01)."""

HEAD_BYTES = 32_768
"""Enough of an entry to hold all that precedes `extracted`: the longest part of it is the URL."""

_NEVER = datetime(1, 1, 1, tzinfo=UTC)
_KEY = re.compile(rb"[0-9a-f]{64}")
# A quote inside a JSON string is escaped, so no text of a page or of a URL can look like this.
_LAST_ACCESS = re.compile(rb'"last_accessed_at":\s*"([^"\\]*)"')


class CacheEntry(BaseModel):
    """The file of SRD FR-WF-16c, its fields in that order."""

    model_config = ConfigDict(frozen=True)

    version: Literal[2] = VERSION
    canonical_url: str
    rendering_method: RenderingMethod
    fetched_at: AwareDatetime
    expires_at: AwareDatetime
    last_accessed_at: AwareDatetime
    extracted: Document


class _Versioned(BaseModel):
    version: int


def cache_key(url: CanonicalUrl | str, method: RenderingMethod) -> str:
    """SRD FR-WF-16: nothing but the URL and the method goes into the key."""
    return sha256(f"{url}\n{method}".encode()).hexdigest()


def least_size(document: Document, mode: ReadingMode) -> int:
    """Bytes that a document's file has at the very least, known before it is made."""
    tables = document.tables if mode != ReadingMode.SRD else ()
    return len(document.markdown) + sum(
        len(cell) for table in tables for row in (table.header, *table.rows) for cell in row
    )


def encode(entry: CacheEntry, mode: ReadingMode) -> bytes:
    """An entry's file; the SRD's own holds its fields only."""
    ours = {"extracted": {"tables", "beside"}} if mode == ReadingMode.SRD else None
    return entry.model_dump_json(exclude=ours).encode()


def decode(content: bytes, key: str) -> CacheEntry | None:
    """Read the file of a key: None when it is of another version, ValueError when it is damaged."""
    try:
        entry = CacheEntry.model_validate_json(content, strict=True)
    except ValidationError:
        if _Versioned.model_validate_json(content, strict=True).version == VERSION:
            raise
        return None
    if cache_key(entry.canonical_url, entry.rendering_method) != key:
        raise ValueError("the entry of another page")
    return entry


def with_last_access(content: bytes, moment: datetime) -> bytes:
    """The same file with another `last_accessed_at`: cheaper than writing out a long page anew."""
    text = moment.astimezone(UTC).isoformat().replace("+00:00", "Z").encode()
    found = _LAST_ACCESS.search(content)
    return content[: found.start(1)] + text + content[found.end(1) :] if found else content


def last_access(head: bytes) -> datetime:
    """When the entry that begins so was last used; a damaged one is older than all others."""
    found = _LAST_ACCESS.search(head)
    try:
        moment = datetime.fromisoformat(found[1].decode()) if found else _NEVER
    except ValueError:
        return _NEVER
    return moment if moment.tzinfo else _NEVER


def decode_alias(content: bytes) -> str | None:
    """The key that an alias's file names, or None when it names none."""
    return content.decode() if _KEY.fullmatch(content) else None
