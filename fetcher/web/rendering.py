"""When a page needs a browser (SRD §3.4.6), and what one is to the engine."""

import re
from dataclasses import dataclass
from html import unescape
from typing import Protocol

from fetcher.codes import Note, ReadingMode, TruncationReason
from fetcher.settings import BrowserSettings, RenderingSettings
from fetcher.web.errors import BadArguments, UrlRejected
from fetcher.web.net import canonical
from fetcher.web.net.deadline import Deadline
from fetcher.web.net.hops import Answered, PinnedGuard, Visit
from fetcher.web.net.media_types import PLAIN_TEXT
from fetcher.web.values import CanonicalUrl, DecodedText


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """What a browser made of a page."""

    final_url: CanonicalUrl
    html: str
    media_type: str = "text/html"
    """The top document's, as its server declares it."""
    notes: frozenset[Note] = frozenset()
    truncation: frozenset[TruncationReason] = frozenset()
    unstorable: frozenset[CanonicalUrl] = frozenset()
    """The top document, where data that it shows may not be kept."""

    @property
    def decoded(self) -> DecodedText:
        """What is to be read: the HTML, or the text that a browser shows as the page's one `<pre>`."""
        shown = _TEXT_DOCUMENT.match(self.html) if self.media_type == PLAIN_TEXT else None
        if shown is None:
            return DecodedText(text=self.html, media_type="text/html", charset="utf-8")
        text = unescape(shown["text"].removesuffix("</pre></body></html>"))
        return DecodedText(text=text, media_type=PLAIN_TEXT, charset="utf-8")


_TEXT_DOCUMENT = re.compile(r"<html[^>]*+>(?:<(?!pre)[^>]*+>)*+<pre[^>]*+>(?P<text>.*)", re.DOTALL)
"""How Chromium shows plain text: nothing but tags before it, and its own markup escaped."""


class Renderer(Protocol):
    """A browser that loads a page through our guard and transport only."""

    async def render(
        self,
        url: CanonicalUrl,
        visit: Visit,
        *,
        guard: PinnedGuard,
        document: Deadline,
        whole: Deadline,
        mode: ReadingMode,
        answered: Answered,
    ) -> Rendered:
        """Calls `visit` with each URL of the top document, `answered` with its answer.

        Raises BrowserUnavailable.

        The top document has to arrive by one deadline; by the other the page is taken as it is.
        For the reading mode `article`, what nobody sees is marked (`visibility`).
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
    return any(_matches(url.host, entry) for entry in rendering.js_heavy_domains)


def unfilled_below(rendering: RenderingSettings) -> int:
    """How little Markdown makes a page suspect of waiting for a script (SRD FR-WF-12c); 0 for none."""
    return rendering.min_extracted_chars if rendering.spa_fallback_enabled else 0


def _matches(host: str, entry: str) -> bool:
    suffix = entry.startswith(".")
    try:
        name = canonical.canonicalise(f"http://{entry.removeprefix('.')}/").host
    except UrlRejected:
        return False
    return host.endswith(f".{name}") if suffix else host == name
