"""What the log says of a fetch (SRD FR-WF-19b, 19c).

Lines that are written far from the fetch's own code (in the cache, robots.txt, the browser) name the fetch
on whose way they are written: `under` sets it, `here` reads it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from fetcher.codes import RenderingMethod

if TYPE_CHECKING:  # the errors log too, and values lean on them
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
    """The `extra` of a log record: the SRD's fields, with the URL's query left out."""
    return {"fields": _fields(url, method, cache_hit=cache_hit) | more}


def here(**more: Any) -> dict[str, Any]:
    """The `extra` of a log record about the fetch under way; the fields are empty where there is none."""
    return {"fields": (_CURRENT.get() or _fields(None, None, cache_hit=False)) | more}


@contextmanager
def under(url: "CanonicalUrl | None", method: RenderingMethod) -> Iterator[None]:
    """Names the fetch that is under way inside."""
    token = _CURRENT.set(_fields(url, method, cache_hit=False))
    try:
        yield
    finally:
        _CURRENT.reset(token)
