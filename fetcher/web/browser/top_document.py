"""The document of the page's own frame, and the media type under which Chromium gets it."""

from dataclasses import dataclass, replace

from fetcher.web.net.media_types import PLAIN_TEXT, media_type
from fetcher.web.values import CanonicalUrl, RawResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class TopDocument:
    """A document that was loaded, and its media type."""

    url: CanonicalUrl
    media_type: str

    @classmethod
    def of(cls, response: RawResponse) -> "TopDocument":
        found = media_type(response.headers.first("content-type"), response.body)
        return cls(url=response.url, media_type=found)


def typed(response: RawResponse) -> RawResponse:
    """The response with a type that Chromium need not guess; raises if it is not a page over HTTP either."""
    if TopDocument.of(response).media_type != PLAIN_TEXT:
        return response  # Chromium recognises HTML by the same signs
    declared = response.headers.first("content-type") or ""
    plain = declared if PLAIN_TEXT in declared.lower() else PLAIN_TEXT
    return replace(response, headers=response.headers.replaced("content-type", plain))
