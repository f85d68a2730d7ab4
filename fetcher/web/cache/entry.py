"""What may be cached, and one cached page as bytes with its key (SRD §3.6.1, §3.6.2); no I/O."""

import re
from dataclasses import fields
from datetime import UTC, datetime
from hashlib import sha256

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from fetcher.codes import Note, ReadingMode, RenderingMethod
from fetcher.web.values import CanonicalUrl, Document, Headers

VERSIONS = {ReadingMode.SRD: 2, ReadingMode.ARTICLE: 3}
"""The SRD's entry has the SRD's version; the article's file has its own (SRD FR-WF-CCH-VER-01)."""

EXTRACTED = frozenset({"markdown", "title", "language"})
"""The fields of a document in the SRD's entry (SRD FR-WF-CCH-CONTENT-01)."""

KEPT_NOTES = frozenset({Note.CHARSET_FALLBACK, Note.BROWSER_UNAVAILABLE_USED_HTTP})
"""Notes that are about the text itself, so that they hold for a cached copy too."""

HEAD_BYTES = 32_768
"""Enough of an entry for all fields before `extracted`; the longest of them is the URL."""

_NEVER = datetime(1, 1, 1, tzinfo=UTC)
_KEY = re.compile(rb"[0-9a-f]{64}")
# A quote inside a JSON string is escaped, so no text of a page or of a URL can look like this.
_LAST_ACCESS = re.compile(rb'"last_accessed_at":\s*"([^"\\]*)"')

_BETWEEN_DIRECTIVES = re.compile(r"[\s,;\"']+")
"""Separators, and others that careless servers use: a directive that is found too often is the safe error."""
_FORBIDDING = frozenset({"no-store", "private"})


def may_be_stored(headers: Headers) -> bool:
    """Whether a response with these headers may be cached and shown to other users.

    The cache serves all users of this process, so it is a shared cache (RFC 9111). Other headers do not
    count: how long a page is stored is the operator's setting (SRD FR-WF-16d), and a response with
    `Set-Cookie` was sent to a client without cookies or credentials, as it would be to anyone.
    """
    words = _BETWEEN_DIRECTIVES.split(headers.joined("cache-control"))
    directives = {word.partition("=")[0].lower() for word in words}
    return not directives & _FORBIDDING and "*" not in _BETWEEN_DIRECTIVES.split(headers.joined("vary"))


class CacheEntry(BaseModel):
    """The file of SRD FR-WF-16c, its fields in that order; `notes` is written only where there are any."""

    model_config = ConfigDict(frozen=True)

    version: int
    canonical_url: str
    rendering_method: RenderingMethod
    fetched_at: AwareDatetime
    expires_at: AwareDatetime
    last_accessed_at: AwareDatetime
    notes: tuple[Note, ...] = ()
    extracted: Document


class _Versioned(BaseModel):
    version: int


def cache_key(url: CanonicalUrl | str, method: RenderingMethod) -> str:
    """The key of a page: only the URL and the method go into it (SRD FR-WF-16)."""
    return sha256(f"{url}\n{method}".encode()).hexdigest()


def encode(entry: CacheEntry, mode: ReadingMode) -> bytes:
    """The content of an entry's file; in the mode `srd`, only with the SRD's fields."""
    left_out: dict[str, bool | set[str]] = {} if entry.notes else {"notes": True}
    if mode == ReadingMode.SRD:
        left_out["extracted"] = {each.name for each in fields(Document)} - EXTRACTED
    return entry.model_dump_json(exclude=left_out).encode()


def decode(content: bytes, key: str, mode: ReadingMode) -> CacheEntry | None:
    """The entry in a key's file; None if it has another version, ValueError if it is damaged."""
    try:
        entry = CacheEntry.model_validate_json(content, strict=True)
    except ValidationError:
        if _Versioned.model_validate_json(content, strict=True).version == VERSIONS[mode]:
            raise
        return None
    if entry.version != VERSIONS[mode]:
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
