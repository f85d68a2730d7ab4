"""What may be fetched for one question, and what the thread's record keeps of it.

The model picks URLs, and a page may tell it which. So it can only pick among those that it did not make:

- what people wrote;
- links of pages read for this question, as far as the model was shown them;
- the thread's record: what was read before, and links of those pages that an answer named.

Nothing that we wrote is a source of URLs, in no form: an answer is the model's words, and a URL in it may
spell the thread out. The record is made of the pages' own links; an answer only picks among them.

What is left is the choice among links that others wrote. It is bounded: see `MOST_SHOWN` and
`FetchPolicy.max_unnamed_fetches`; SECURITY.md says how many bits that makes.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from fetcher.agent.errors import ToolRefused
from fetcher.agent.safety.links import find_links
from fetcher.codes import AgentCode
from fetcher.web.errors import FetchError
from fetcher.web.net.canonical import canonicalise
from fetcher.web.values import DEFAULT_PORTS, CanonicalUrl

MOST_SHOWN = 1024
"""Links of pages that a question may learn: a choice among them is ten bits."""
MOST_KNOWN = 50
"""URLs in a thread's record."""
MOST_KNOWN_CHARS = 50_000
"""Of all of them together: a row of a store has its bounds."""
UNNAMED_FETCHES = 3
"""Fetches a question to hosts that no person named: there a page may have sent the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """What one question may fetch at most.

    A domain `example.com` is that host alone; `.example.com` are the hosts below it.
    """

    max_fetches: int = 8
    max_unnamed_fetches: int = UNNAMED_FETCHES
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
        known: Sequence[str] = (),
    ) -> None:
        self._policy = policy
        self._written = set(canonical_forms((*links, *_links_in((*conversation, *links)))))
        """What people wrote."""
        self._named_hosts = {_site(canonicalise(url)) for url in self._written}
        """Hosts that people wrote, and those that the URLs of people led to."""
        self._known = tuple(canonical_forms(known[:MOST_KNOWN]))
        """The thread's record."""
        self._read: dict[str, None] = {}
        self._on_pages: set[str] = set()
        self._shown: set[str] = set()
        """The links of pages that the model was shown."""
        self._fetches = 0
        self._unnamed_fetches = 0

    @property
    def read(self) -> tuple[str, ...]:
        """The URLs of the pages that were read, as asked for and as found in the end."""
        return tuple(self._read)

    @property
    def urls(self) -> frozenset[str]:
        """Every URL that may be fetched, as far as it is nobody's but people's and pages' making."""
        return frozenset(self._written).union(self._shown, self._known, self._read)

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
        self._unnamed_fetches += _site(target) not in self._named_hosts
        return target

    def learn(self, asked: CanonicalUrl, final_url: CanonicalUrl, links: Iterable[str]) -> None:
        """Takes in a page that was read: where it was found in the end, and what it links to."""
        if _among(asked, self._written):
            self._named_hosts.add(_site(final_url))
        self._read |= dict.fromkeys((str(final_url), str(asked)))
        self._on_pages.update(links)

    def show(self, text: str) -> None:
        """Takes in what the model was shown; only links of pages that were read count, and not too many."""
        found = dict.fromkeys(canonical_forms(find_links(text)))
        new = (url for url in found if url in self._on_pages and url not in self._shown)
        self._shown.update([*islice(new, MOST_SHOWN - len(self._shown))])

    def record(self, answer: str) -> tuple[str, ...]:
        """The thread's record after an answer: what was read, which links it names, and what was known.

        An answer's words only pick: what goes into the record are URLs that pages linked to.
        """
        named = (url for url in canonical_forms(find_links(answer)) if url in self._shown)
        return bounded_record((*self._read, *named, *self._known))

    def _refusal(self, url: CanonicalUrl) -> tuple[AgentCode, str] | None:
        policy = self._policy
        if len(str(url)) > policy.max_url_chars:
            return AgentCode.URL_TOO_LONG, f"The URL is longer than {policy.max_url_chars} characters"
        if not policy.permits(url.host):
            return AgentCode.DOMAIN_BLOCKED, f"Pages of {url.host} may not be fetched"
        if not any(_among(url, some) for some in (self._written, self._shown, self._known, self._read)):
            return AgentCode.URL_NOT_IN_CONTEXT, (
                "Only URLs that people wrote, or that a page read in this conversation shows, may be fetched"
            )
        if self._fetches >= policy.max_fetches:
            return AgentCode.FETCH_LIMIT, f"All {policy.max_fetches} fetches of this question are used up"
        if _site(url) not in self._named_hosts and self._unnamed_fetches >= policy.max_unnamed_fetches:
            return AgentCode.UNNAMED_HOST_LIMIT, (
                f"At most {policy.max_unnamed_fetches} fetches a question go to sites that no person named. "
                "Answer with what was read, and let the user post the link"
            )
        return None


def canonical_forms(urls: Iterable[str]) -> Iterator[str]:
    """The one form of each URL; what is none is left out."""
    for url in urls:
        try:
            yield str(canonicalise(url))
        except FetchError:
            continue


def bounded_record(urls: Iterable[str]) -> tuple[str, ...]:
    """The first of these, each once, as many as a thread's record holds."""
    kept: list[str] = []
    room = MOST_KNOWN_CHARS
    for url in dict.fromkeys(urls):
        room -= len(url)
        if room < 0 or len(kept) == MOST_KNOWN:
            break
        kept.append(url)
    return tuple(kept)


def _links_in(texts: Iterable[str]) -> Iterator[str]:
    return (link for text in texts for link in find_links(text))


def _among(url: CanonicalUrl, known: Container[str]) -> bool:
    """True if the URL is known, or its http form is: people and old pages leave the `s` out."""
    if str(url) in known:
        return True
    if url.scheme != "https" or url.port != DEFAULT_PORTS["https"]:
        return False
    return str(replace(url, scheme="http", port=DEFAULT_PORTS["http"])) in known


def _site(url: CanonicalUrl) -> str:
    """The host, for which `www.` makes no difference."""
    return _host(url).removeprefix("www.")


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
