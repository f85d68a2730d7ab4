"""The fields of log records about a fetch (SRD FR-WF-19b, 19c).

Modules far from the pipeline (the cache, robots.txt, the browser) log too. Their records name the fetch that
is running: `under` sets it, `here` reads it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from fetcher.codes import RenderingMethod

if TYPE_CHECKING:  # errors import this module, and values import errors
    from fetcher.web.values import CanonicalUrl

Fields = dict[str, Any]


def _fields(url: "CanonicalUrl | None", method: RenderingMethod | None, *, cache_hit: bool) -> Fields:
    return {
        "requested_host": url.host if url else None,
        "url": url.redacted if url else None,
        "rendering_method": method,
        "cache_hit": cache_hit,
    }


_CURRENT: ContextVar[Fields | None] = ContextVar("fetch", default=None)


def about(
    url: "CanonicalUrl | None", method: RenderingMethod, *, cache_hit: bool = False, **more: Any
) -> dict[str, Any]:
    """The `extra` of a log record about this URL: the SRD's fields, without the URL's query."""
    return {"fields": _fields(url, method, cache_hit=cache_hit) | more}


def here(**more: Any) -> dict[str, Any]:
    """The `extra` of a log record about the running fetch; the fields are empty if none is running."""
    return {"fields": (_CURRENT.get() or _fields(None, None, cache_hit=False)) | more}


@contextmanager
def under(url: "CanonicalUrl | None", method: RenderingMethod) -> Iterator[None]:
    """Records that are logged inside name this fetch."""
    token = _CURRENT.set(_fields(url, method, cache_hit=False))
    try:
        yield
    finally:
        _CURRENT.reset(token)
