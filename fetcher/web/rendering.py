"""When a page needs a browser (SRD §3.4.6), and the interface of a browser to the engine."""

import re
from dataclasses import dataclass
from html import unescape
from typing import Protocol

from fetcher.codes import Note, ReadingMode, TruncationReason
from fetcher.settings import BrowserSettings, RenderingSettings
from fetcher.web.errors import BadArguments, UrlRejected
from fetcher.web.net import canonical
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import PinnedGuard, RecordResponse, RequirePermission
from fetcher.web.net.media_types import PLAIN_TEXT
from fetcher.web.values import CanonicalUrl, DecodedText


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A page as a browser shows it."""

    final_url: CanonicalUrl
    html: str
    media_type: str = "text/html"
    """The media type of the top document, as its server declares it."""
    notes: frozenset[Note] = frozenset()
    truncation: frozenset[TruncationReason] = frozenset()
    unstorable: frozenset[CanonicalUrl] = frozenset()
    """The top document's URL, where data that it shows must not be cached."""

    @property
    def decoded(self) -> DecodedText:
        """The HTML, or the plain text that Chromium shows inside one `<pre>`."""
        shown = _TEXT_DOCUMENT.match(self.html) if self.media_type == PLAIN_TEXT else None
        if shown is None:
            return DecodedText(text=self.html, media_type="text/html", charset="utf-8")
        text = unescape(shown["text"].removesuffix("</pre></body></html>"))
        return DecodedText(text=text, media_type=PLAIN_TEXT, charset="utf-8")


_TEXT_DOCUMENT = re.compile(r"<html[^>]*+>(?><(?!pre)[^>]*+>)*+<pre[^>]*+>(?P<text>.*)", re.DOTALL)
"""How Chromium shows plain text: only tags before it, and its own markup escaped."""


class Renderer(Protocol):
    """A browser that loads a page through our guard and transport only."""

    async def render(
        self,
        url: CanonicalUrl,
        require_permission: RequirePermission,
        *,
        guard: PinnedGuard,
        document: Deadline,
        whole: Deadline,
        mode: ReadingMode,
        record_response: RecordResponse,
    ) -> Rendered:
        """Call `require_permission` with each URL of the top document, `record_response` with its response.

        The top document must arrive by the deadline `document`; by `whole` the page is taken as it is.
        For the reading mode `article`, invisible text is marked (`visibility`). Raises BrowserUnavailable.
        """


RESOURCE_TYPES = frozenset(
    {
        "document",
        "stylesheet",
        "image",
        "media",
        "font",
        "script",
        "texttrack",
        "xhr",
        "fetch",
        "prefetch",
        "eventsource",
        "websocket",
        "manifest",
        "signedexchange",
        "ping",
        "cspviolationreport",
        "preflight",
        "other",
    }
)
"""The CDP resource types of SRD FR-WF-BLOCKRES-01, in lower case."""


def blocked_kinds(browser: BrowserSettings) -> frozenset[str]:
    """The resource types that settings block, in lower case; an unknown one is `bad_args`."""
    kinds = frozenset(kind.lower() for kind in browser.block_resources)
    if unknown := sorted(kinds - RESOURCE_TYPES):
        raise BadArguments(f"unknown resource types: {', '.join(unknown)}", field="browser.block_resources")
    # Chromium reports what `fetch()` loads as XHR.
    return kinds | {"xhr", "fetch"} if kinds & {"xhr", "fetch"} else kinds


def is_js_heavy(url: CanonicalUrl, rendering: RenderingSettings) -> bool:
    """Whether settings send this host straight to the browser (SRD FR-WF-RENDER-JS-01)."""
    for entry in rendering.js_heavy_domains:
        try:
            name = canonical.canonicalise(f"http://{entry.removeprefix('.')}/").host
        except UrlRejected:
            continue
        if url.host.endswith(f".{name}") if entry.startswith(".") else url.host == name:
            return True
    return False


def unfilled_below(rendering: RenderingSettings) -> int:
    """A page with fewer characters of Markdown may wait for a script (SRD FR-WF-12c); 0: no page does."""
    return rendering.min_extracted_chars if rendering.spa_fallback_enabled else 0
