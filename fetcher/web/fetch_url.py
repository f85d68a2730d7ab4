"""`fetch_url`: the quick read; it always returns a text, for the model or a person (E1, E2)."""

from dataclasses import replace

from fetcher.codes import ReadingMode, RenderingMethod
from fetcher.settings import WebFetchSettings
from fetcher.web.errors import FetchError, contained
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.fetch_log import under
from fetcher.web.net import canonical
from fetcher.web.net.media_types import Accept
from fetcher.web.pipeline import Pipeline
from fetcher.web.values import CanonicalUrl
from fetcher.wording import fixed_ja

LONGEST_TEXT = 14_000

MOST_CHARS = 1_000_000
"""Of a page's Markdown that the agent and `fetch_url` take; people read none that is longer."""

QUICK = FetchOptions(
    mode=ReadingMode.ARTICLE,
    timeout_seconds=10,
    max_bytes=512 * 1024,
    cut=True,
    accept=Accept.ALL_KINDS,
    render_seconds=0,
    max_chars=MOST_CHARS,
)


def quick(settings: WebFetchSettings) -> FetchOptions:
    """Options of the quick read, within the limits of settings."""
    return replace(
        QUICK,
        timeout_seconds=min(QUICK.timeout_seconds, settings.timeout_seconds),
        max_bytes=min(QUICK.max_bytes, settings.max_download_bytes),
    )


def unhurried(settings: WebFetchSettings) -> FetchOptions:
    """Options of the same read with all the time and bytes that settings allow, to read a whole page."""
    return replace(QUICK, timeout_seconds=settings.timeout_seconds, max_bytes=settings.max_download_bytes)


async def fetch_url(pipeline: Pipeline, url: str) -> str:
    """Return the page's text, shortened if it is long, or one Japanese sentence that says what failed."""
    try:
        target = canonical.canonicalise(url)
        if is_slack_permalink(target):
            return fixed_ja.slack_permalink()
        with under(target, RenderingMethod.HTTP), contained():
            options = replace(quick(pipeline.settings), longer_documents=False)
            page = await pipeline.fetch(url, options)
    except FetchError as error:
        return fixed_ja.labelled_failure(error)
    return shortened(page.document.headed_markdown, cut=page.cut or bool(page.truncation))


def shortened(text: str, *, cut: bool) -> str:
    """A text of at most `LONGEST_TEXT` characters, with a mark at its end if there is more."""
    if len(text) <= LONGEST_TEXT and not cut:
        return text
    return text[: LONGEST_TEXT - len(fixed_ja.MORE)] + fixed_ja.MORE


def is_slack_permalink(url: CanonicalUrl) -> bool:
    """Whether a URL is a link into Slack, which only members of the workspace can read.

    To a message, a channel or a file, or to a place in Slack's own client (`app.slack.com/client/…`).
    """
    host = url.host.rstrip(".")
    is_slack = host == "slack.com" or host.endswith(".slack.com")
    return is_slack and url.path.startswith(("/archives/", "/client/", "/files/", "/files-pri/"))
