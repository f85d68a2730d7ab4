"""The document of the page's own frame: which types it may have, and what Chromium is told of its type."""

from dataclasses import dataclass, replace

from fetcher.web.net.media_types import PLAIN_TEXT, Accept, media_type
from fetcher.web.net.transport import OpenResponse
from fetcher.web.values import CanonicalUrl, RawResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class TopDocument:
    """A document that was loaded, and what it is."""

    url: CanonicalUrl
    media_type: str

    @classmethod
    def of(cls, response: RawResponse) -> "TopDocument":
        return cls(url=response.url, media_type=_type_of(response))


def admit(response: OpenResponse) -> None:
    """Refuses a document that is no page before its body is downloaded, as over plain HTTP."""
    if response.status == 200:
        Accept.WEB_FETCH.require(media_type(response.headers.first("content-type"), b""))


def typed(response: RawResponse) -> RawResponse:
    """A document whose type Chromium need not guess; raises where plain HTTP finds no page either."""
    if _type_of(response) != PLAIN_TEXT:
        return response  # Chromium knows HTML by the same signs
    declared = response.headers.first("content-type") or ""
    plain = declared if PLAIN_TEXT in declared.lower() else PLAIN_TEXT
    return replace(response, headers=response.headers.replaced("content-type", plain))


def _type_of(response: RawResponse) -> str:
    return media_type(response.headers.first("content-type"), response.body)
