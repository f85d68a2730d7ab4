"""What the log says of a fetch (SRD FR-WF-19b, 19c)."""

from typing import Any

from fetcher.codes import RenderingMethod
from fetcher.web.values import CanonicalUrl


def about(
    url: CanonicalUrl | None, method: RenderingMethod, *, cache_hit: bool = False, **more: Any
) -> dict[str, Any]:
    """The `extra` of a log record: the SRD's fields, with the URL's query left out."""
    fields = {
        "requested_host": url.host if url else None,
        "url": url.redacted if url else None,
        "rendering_method": method,
        "cache_hit": cache_hit,
    }
    return {"fields": fields | more}
