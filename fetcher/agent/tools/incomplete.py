"""What is missing of a page that was read, in sentences for the model and for people."""

import re
from collections.abc import Iterable, Iterator, Sequence

from fetcher import wording
from fetcher.agent.safety.allowed_links import only_urls
from fetcher.agent.safety.fencing import plain_label
from fetcher.codes import Note, TruncationReason
from fetcher.web.values import FetchedPage, Table

NOTES = {
    Note.BROWSER_UNAVAILABLE_USED_HTTP: "This page's scripts could not be run: parts of it may be missing.",
    Note.BROWSER_TIMEOUT_DOM_PARTIAL: "This page was still loading when it was read: parts may be missing.",
    Note.BROWSER_DOM_TRUNCATED: "This page was too large: its end is missing.",
    Note.TOOL_OUTPUT_LIMIT: "The text of this page was cut, because it is very long: its end is missing.",
}
"""The notes of a page that the model must know, lest it take a part for the whole."""

CUT = (
    "Only the first part of this page was downloaded, because it is large: its end is missing. "
    "Do not present the part as the whole."
)
LOGIN = re.compile(
    r"(?:^|[/.])(?:service|workspace-|wp-)?(?:log[-_]?in|sign[-_]?in|sso|saml2?|oauth2?|authorize)(?![a-z])",
    re.IGNORECASE,
)
"""A host or a path at which people sign in."""
LONGEST_LOGIN = 3000
"""Characters of a page to sign in; a page about signing in, whose address is like it, has more."""
ROWS_MISSING = "Rows at the end of this table may be missing, because the page or the table is too large."


def for_model(*, cut: bool, notes: Iterable[Note]) -> list[str]:
    """What the model must know about a page."""
    noted = [sentence for note, sentence in NOTES.items() if note in notes]
    return [CUT, *noted] if cut else noted


def for_people(pages: Iterable[tuple[FetchedPage, int]]) -> Iterator[str]:
    """What the asker must know about pages and the number of bytes up to which each was read."""
    for page, max_bytes in pages:
        # A title may not bring a link into what people read.
        title = only_urls(plain_label(page.document.title or str(page.final_url)), ())
        if leads_to_login(page):
            yield wording.login_page(title)
        if page.cut:
            yield wording.page_cut(title, max_bytes // 1024)
        for reason in TruncationReason:
            if reason in page.truncation:
                yield wording.page_truncated(title, reason)


def leads_to_login(page: FetchedPage) -> bool:
    """Whether a link to something else ended where people sign in, as links to private documents do."""
    final = page.final_url
    if LOGIN.search(page.requested_url) or len(page.document.markdown) > LONGEST_LOGIN:
        return False
    return LOGIN.search(f"{final.host}{final.path}") is not None


def may_lack_rows(table: Table, tables: Sequence[Table], *, page_cut: bool) -> bool:
    """Whether a table may have more rows than were read: where a page is cut, its last table may be too."""
    return table.cut or (page_cut and table is tables[-1])


def found_again(table: Table, number: int, tables: Sequence[Table]) -> Table | None:
    """A table in a longer read of its page: the nearest that begins alike, else the one with its number.

    A longer read may find more tables, and see from later rows that the first is or is not a header.
    """

    def begins_alike(other: Table) -> bool:
        """Rows are as wide as the widest one, which the first read may not have."""
        first = [(table.header, other.header), *zip(table.rows[:1], other.rows[:1], strict=False)]
        return all(long[: len(short)] == short for short, long in first)

    named = [(at, other) for at, other in enumerate(tables, 1) if other.caption == table.caption]
    alike = [(at, other) for at, other in named if begins_alike(other)]
    likely = alike or [(at, other) for at, other in named if at == number]
    return min(likely, key=lambda each: abs(each[0] - number))[1] if likely else None
