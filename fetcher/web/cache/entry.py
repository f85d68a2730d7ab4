"""Encodes one cached page as bytes, and makes its key (SRD §3.6.1, §3.6.2); no I/O."""

import re
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from fetcher.codes import ReadingMode, RenderingMethod
from fetcher.web.values import CanonicalUrl, Document

VERSION: Final = 3
"""Changes when the schema below changes incompatibly (SRD FR-WF-CCH-VER-01)."""

HEAD_BYTES = 32_768
"""Enough of an entry for all fields before `extracted`; the longest of them is the URL."""

_NEVER = datetime(1, 1, 1, tzinfo=UTC)
_KEY = re.compile(rb"[0-9a-f]{64}")
# A quote inside a JSON string is escaped, so no text of a page or of a URL can look like this.
_LAST_ACCESS = re.compile(rb'"last_accessed_at":\s*"([^"\\]*)"')


class CacheEntry(BaseModel):
    """The file of SRD FR-WF-16c, its fields in that order."""

    model_config = ConfigDict(frozen=True)

    version: Literal[3] = VERSION
    canonical_url: str
    rendering_method: RenderingMethod
    fetched_at: AwareDatetime
    expires_at: AwareDatetime
    last_accessed_at: AwareDatetime
    extracted: Document


class _Versioned(BaseModel):
    version: int


def cache_key(url: CanonicalUrl | str, method: RenderingMethod) -> str:
    """The key of a page: only the URL and the method go into it (SRD FR-WF-16)."""
    return sha256(f"{url}\n{method}".encode()).hexdigest()


def least_size(document: Document, mode: ReadingMode) -> int:
    """The least bytes that a document's file can have, known before it is encoded."""
    tables = document.tables if mode != ReadingMode.SRD else ()
    return len(document.markdown) + sum(
        len(cell) for table in tables for row in (table.header, *table.rows) for cell in row
    )


def encode(entry: CacheEntry, mode: ReadingMode) -> bytes:
    """The content of an entry's file; in the mode `srd`, only with the SRD's fields."""
    ours = {"extracted": {"head", "tables", "beside", "links", "pages", "page_names"}}
    return entry.model_dump_json(exclude=ours if mode == ReadingMode.SRD else None).encode()


def decode(content: bytes, key: str) -> CacheEntry | None:
    """The entry in a key's file; None if it has another version, ValueError if it is damaged."""
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
    """The same content with another `last_accessed_at`; cheaper than encoding a long page again."""
    text = moment.astimezone(UTC).isoformat().replace("+00:00", "Z").encode()
    found = _LAST_ACCESS.search(content)
    return content[: found.start(1)] + text + content[found.end(1) :] if found else content


def last_access(head: bytes) -> datetime:
    """When the entry with this beginning was last used; a damaged one counts as the oldest."""
    found = _LAST_ACCESS.search(head)
    try:
        moment = datetime.fromisoformat(found[1].decode()) if found else _NEVER
    except ValueError:
        return _NEVER
    return moment if moment.tzinfo else _NEVER


def decode_alias(content: bytes) -> str | None:
    """The key in an alias's file, or None if there is none."""
    return content.decode() if _KEY.fullmatch(content) else None
