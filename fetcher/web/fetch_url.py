"""`fetch_url`: the quick read, whose every outcome is a text for the model or a person (E1, E2)."""

from fetcher import messages_ja
from fetcher.codes import ReadingMode
from fetcher.web import canonical
from fetcher.web.errors import FetchError, contained
from fetcher.web.jobs import Want
from fetcher.web.media_types import Accept
from fetcher.web.pipeline import Pipeline
from fetcher.web.values import CanonicalUrl

LONGEST_TEXT = 14_000

QUICK = Want(
    mode=ReadingMode.ARTICLE,
    timeout_seconds=10,
    max_bytes=512 * 1024,
    cut=True,
    accept=Accept.ANY_TEXT,
    render_seconds=0,
)


async def fetch_url(pipeline: Pipeline, url: str) -> str:
    """The page's text, cut where it is long, or one Japanese sentence that says what went wrong."""
    try:
        if is_slack_permalink(canonical.canonicalise(url)):
            return messages_ja.slack_permalink()
        with contained():
            page = await pipeline.fetch(url, QUICK)
    except FetchError as error:
        return messages_ja.failure(error)
    return shortened(page.document.markdown)


def shortened(text: str) -> str:
    """A text of at most `LONGEST_TEXT` characters, with a mark where more followed."""
    if len(text) <= LONGEST_TEXT:
        return text
    return text[: LONGEST_TEXT - len(messages_ja.MORE)] + messages_ja.MORE


def is_slack_permalink(url: CanonicalUrl) -> bool:
    """Whether a URL is a link to a Slack message, which only Slack's members can read."""
    return url.host.endswith(".slack.com") and url.path.startswith("/archives/")
