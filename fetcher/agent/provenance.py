"""What may be fetched for one question: what people wrote, and what pages that were read link to.

The model picks URLs, and a page may tell it which. So it can only pick among those that stand, as they
are, in the conversation or in a page already read in it: nothing can be appended to them, and the thread
cannot leave in a query string of the model's making. A link of a page that spells out the conversation's
own words all the same is not followed. Of the agent's own earlier answers only the links count, which lead
to pages that were read: a URL that stands there as code may be of the model's making.
"""

import base64
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote_plus

from fetcher.agent.errors import ToolRefused
from fetcher.agent.links import find_links
from fetcher.codes import AgentCode
from fetcher.web.canonical import canonicalise
from fetcher.web.errors import FetchError
from fetcher.web.values import DEFAULT_PORTS, CanonicalUrl

TELLING_CHARS = 24
"""So many characters in a row of the conversation are no coincidence."""

_ADDRESS = re.compile(r"https?://[!-~]+", re.ASCII | re.IGNORECASE)
_CODE = re.compile(
    r"^(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.*?^(?P=fence)|(?<!`)(?P<ticks>`++)[^`\n]*+(?P=ticks)",
    re.DOTALL | re.MULTILINE,
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{32,}")
_APART = "\x00"
"""Stands between texts that do not belong together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """What one question may fetch at most.

    A domain `example.com` is that host alone; `.example.com` are the hosts below it.
    """

    max_fetches: int = 8
    max_url_chars: int = 2000
    allowed_domains: tuple[str, ...] = ()
    """Empty: all."""
    blocked_domains: tuple[str, ...] = ()
    """These win over the allowed ones."""

    def __post_init__(self) -> None:
        for name in ("allowed_domains", "blocked_domains"):
            object.__setattr__(self, name, tuple(map(_domain, getattr(self, name))))

    def permits(self, host: str) -> bool:
        if _listed(host, self.blocked_domains):
            return False
        return not self.allowed_domains or _listed(host, self.allowed_domains)


class Provenance:
    """Knows where each URL of a conversation comes from, and admits those that may be fetched."""

    def __init__(
        self,
        conversation: Sequence[str],
        links: Sequence[str],
        policy: FetchPolicy,
        *,
        answers: Sequence[str] = (),
    ) -> None:
        self._policy = policy
        said = (_ADDRESS.sub(_APART, text) for text in (*conversation, *answers))
        self._words = _APART.join(map(_plain, said))
        self._written = set(_canonical_forms((*links, *_links_in((*conversation, *links)))))
        """What people wrote."""
        self._linked = set(_canonical_forms(_links_in(_CODE.sub(" ", text) for text in answers)))
        """What pages and earlier answers link to."""
        self._fetches = 0

    def permit(self, url: CanonicalUrl) -> None:
        """Refuses a URL that a redirect leads to, if settings close its host."""
        if not self._policy.permits(url.host):
            raise ToolRefused(AgentCode.DOMAIN_BLOCKED, f"Pages of {url.host} may not be fetched")

    def admit(self, url: str) -> CanonicalUrl:
        """The URL, counted as fetched; raises ToolRefused, or FetchError where it is no URL of ours."""
        target = canonicalise(url)
        if refusal := self._refusal(target):
            code, message = refusal
            raise ToolRefused(code, message)
        self._fetches += 1
        return target

    def learn(self, markdown: str, final_url: CanonicalUrl) -> None:
        """Takes in a page that was read: where it was found in the end, and what it links to."""
        self._linked.add(str(final_url))
        self._linked.update(_canonical_forms(find_links(markdown)))

    def _refusal(self, url: CanonicalUrl) -> tuple[AgentCode, str] | None:
        policy = self._policy
        written = _among(url, self._written)
        if len(str(url)) > policy.max_url_chars:
            return AgentCode.URL_TOO_LONG, f"The URL is longer than {policy.max_url_chars} characters"
        if not policy.permits(url.host):
            return AgentCode.DOMAIN_BLOCKED, f"Pages of {url.host} may not be fetched"
        if not written and not _among(url, self._linked):
            return AgentCode.URL_NOT_IN_CONTEXT, (
                "Only URLs that stand in the conversation or in a page read for it may be fetched"
            )
        if not written and self._carries_text(url):
            return AgentCode.URL_CARRIES_TEXT, "The URL would carry text of the conversation to its host"
        if self._fetches >= policy.max_fetches:
            return AgentCode.FETCH_LIMIT, f"All {policy.max_fetches} fetches of this question are used up"
        return None

    def _carries_text(self, url: CanonicalUrl) -> bool:
        """True if a run of the conversation's words stands in the URL, as it is or encoded."""
        shingles = {run for form in _decoded(url.host + url.target) for run in _runs(_plain(form))}
        return bool(shingles) and not shingles.isdisjoint(_runs(self._words))


def _links_in(texts: Iterable[str]) -> Iterator[str]:
    return (link for text in texts for link in find_links(text))


def _canonical_forms(urls: Iterable[str]) -> Iterator[str]:
    for url in urls:
        try:
            yield str(canonicalise(url))
        except FetchError:
            continue


def _among(url: CanonicalUrl, known: set[str]) -> bool:
    """True if the URL is known, or its http form is: people and old pages leave the `s` out."""
    if str(url) in known:
        return True
    if url.scheme != "https" or url.port != DEFAULT_PORTS["https"]:
        return False
    return str(replace(url, scheme="http", port=DEFAULT_PORTS["http"])) in known


def _plain(text: str) -> str:
    """Text for comparison: neither case nor white space matters."""
    return " ".join(text.casefold().split())


def _runs(text: str) -> Iterator[str]:
    """Every run of so many characters that it tells something."""
    return (text[end - TELLING_CHARS : end] for end in range(TELLING_CHARS, len(text) + 1))


def _decoded(text: str) -> Iterator[str]:
    """What a URL may say: as it is, percent-decoded once or twice, and the base64 in each of these."""
    once = unquote_plus(text)
    for form in dict.fromkeys((text, once, unquote_plus(once))):
        yield form
        for run in _BASE64.findall(form):
            yield from _base64_decoded(run)


def _base64_decoded(run: str) -> Iterator[str]:
    """A run of base64, wherever in it the encoded text begins."""
    digits = run.replace("-", "+").replace("_", "/")
    for start in range(4):
        whole = digits[start : start + (len(digits) - start) // 4 * 4]
        yield base64.b64decode(whole).decode("utf-8", "ignore")


def _domain(entry: str) -> str:
    """A domain as hosts are written in canonical URLs; raises ValueError where it can match none."""
    below = "." if entry.startswith((".", "*.")) else ""
    try:
        return below + _host(canonicalise(f"https://{entry.removeprefix('*').removeprefix('.')}/"))
    except FetchError as error:
        raise ValueError(f"not a domain: {entry!r}") from error


def _host(url: CanonicalUrl) -> str:
    return url.host.rstrip(".")


def _listed(host: str, domains: tuple[str, ...]) -> bool:
    host = host.rstrip(".")
    return any(host.endswith(domain) if domain.startswith(".") else host == domain for domain in domains)
