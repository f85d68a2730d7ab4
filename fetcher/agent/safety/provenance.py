"""Which URLs may be fetched for one question, and which of them the thread's record keeps.

The model picks URLs, and a page may tell it which. So it can only pick among URLs that it did not make:

- what people wrote;
- links of pages read for this question, as far as the model was shown them;
- results of searches for this question, likewise;
- the thread's record: what was read before, and links of those pages that an answer named, by their URL or
  by what the page calls them.

An answer is never a source of URLs: it is the model's text, and a URL in it may spell the thread out. The
record is made of the pages' own links; an answer only picks among them.

What is left is the choice among links that others wrote. It is bounded: see `MOST_SHOWN` and
`FetchPolicy.max_unnamed_fetches`; SECURITY.md says how many bits that makes.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Self

from fetcher.agent.errors import ToolRefused
from fetcher.agent.safety.links import find_links
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings
from fetcher.web.errors import FetchError
from fetcher.web.net.canonical import canonicalise
from fetcher.web.values import DEFAULT_PORTS, CanonicalUrl

MOST_SHOWN = 1024
"""Links of pages that a question may learn: a choice among them is ten bits."""
MOST_KNOWN = 50
"""URLs in a thread's record."""
MOST_KNOWN_CHARS = 50_000
"""Of all of them together: a row of a store has its bounds."""
SHORTEST_TITLE = 5
"""Characters of a link's label from which an answer with it names the link."""
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
        """Write domains like the hosts of canonical URLs; raises ValueError where one can match none."""
        for name in ("allowed_domains", "blocked_domains"):
            domains = []
            for entry in getattr(self, name):
                below = "." if entry.startswith((".", "*.")) else ""
                try:
                    url = canonicalise(f"https://{entry.removeprefix('*').removeprefix('.')}/")
                except FetchError as error:
                    raise ValueError(f"not a domain: {entry!r}") from error
                domains.append(below + _host(url))
            object.__setattr__(self, name, tuple(domains))

    @classmethod
    def of(cls, settings: AgentSettings) -> Self:
        return cls(
            max_fetches=settings.agent_max_fetches,
            max_url_chars=settings.agent_max_url_chars,
            allowed_domains=settings.agent_allowed_domains,
            blocked_domains=settings.agent_blocked_domains,
        )

    def permits(self, host: str) -> bool:
        if _listed(host, self.blocked_domains):
            return False
        return not self.allowed_domains or _listed(host, self.allowed_domains)


class Provenance:
    """Knows where each URL of a conversation comes from, and admits those that may be fetched."""

    def __init__(
        self,
        links: Sequence[str],
        policy: FetchPolicy,
        *,
        known: Sequence[str] = (),
    ) -> None:
        self._policy = policy
        urls = [*_canonical(links)]
        self._written = set(map(str, urls))
        """What people wrote."""
        self._named_hosts = set(map(_site, urls))
        """Hosts that people wrote, and those that the URLs of people led to."""
        self._known = tuple(canonical_forms(known[:MOST_KNOWN]))
        """The thread's record."""
        self._read: dict[str, None] = {}
        self._files: dict[str, None] = {}
        """Where people see the files that they sent."""
        self._on_pages: set[str] = set()
        self._shown: set[str] = set()
        """The links of pages that the model was shown."""
        self._labels: dict[str, str] = {}
        """What pages call their links."""
        self._fetches = 0
        self._unnamed_fetches = 0

    @property
    def read(self) -> tuple[str, ...]:
        """The URLs of the pages that were read, as asked for and as found in the end, and of files."""
        return (*self._read, *self._files)

    @property
    def urls(self) -> frozenset[str]:
        """Every URL that may be fetched; all were written by people or by pages."""
        return frozenset(self._written).union(self._shown, self._known, self.read)

    def permit(self, url: CanonicalUrl) -> None:
        """Raise ToolRefused if settings close the URL's host; redirects are checked too."""
        if not self._policy.permits(url.host):
            raise ToolRefused(AgentCode.DOMAIN_BLOCKED, f"Pages of {url.host} may not be fetched")

    def may_load(self, url: CanonicalUrl) -> bool:
        """Whether settings let the scripts of a page in the browser load from the URL's host."""
        return self._policy.permits(url.host)

    def admit(self, url: str) -> CanonicalUrl:
        """Count the URL as fetched and return it; raises ToolRefused, or FetchError where it is not a URL."""
        target, policy = canonicalise(url), self._policy
        if len(str(target)) > policy.max_url_chars:
            message = f"The URL is longer than {policy.max_url_chars} characters"
            raise ToolRefused(AgentCode.URL_TOO_LONG, message)
        self.permit(target)
        if not any(_among(target, some) for some in (self._written, self._shown, self._known, self._read)):
            message = (
                "Only URLs that people wrote, or that a page read in this conversation shows, may be fetched"
            )
            raise ToolRefused(AgentCode.URL_NOT_IN_CONTEXT, message)
        if self._fetches >= policy.max_fetches:
            message = f"All {policy.max_fetches} fetches of this question are used up"
            raise ToolRefused(AgentCode.FETCH_LIMIT, message)
        if not self._is_named(target):
            self._count_unnamed()
        self._fetches += 1
        return target

    def permission(self, asked: CanonicalUrl) -> Callable[[CanonicalUrl], None]:
        """What is asked before each request of one fetch: the hosts that redirects lead to count too.

        A page may link to a redirect of a named host. Where a person's own link leads to does not count.
        """
        counted = not self._is_named(asked) or _among(asked, self._written)

        def permit(url: CanonicalUrl) -> None:
            nonlocal counted
            self.permit(url)
            if not counted and not self._is_named(url):
                self._count_unnamed()
                counted = True

        return permit

    def _is_named(self, url: CanonicalUrl) -> bool:
        return _site(url) in self._named_hosts

    def _count_unnamed(self) -> None:
        """Count a fetch to a host that no person named; raises ToolRefused."""
        most = self._policy.max_unnamed_fetches
        if self._unnamed_fetches >= most:
            message = (
                f"At most {most} fetches a question go to sites that no person named. "
                "Answer with what was read, and let the user post the link"
            )
            raise ToolRefused(AgentCode.UNNAMED_HOST_LIMIT, message)
        self._unnamed_fetches += 1

    def learn(
        self,
        asked: CanonicalUrl,
        final_url: CanonicalUrl,
        links: Iterable[str],
        labels: Mapping[str, str] | None = None,
    ) -> None:
        """Record a page that was read: its final URL, its links, and what it calls them."""
        if _among(asked, self._written):
            self._named_hosts.add(_site(final_url))
        self._read |= dict.fromkeys((str(final_url), str(asked)))
        self._on_pages.update(links)
        self._labels |= labels or {}

    def learn_results(self, results: Mapping[str, str]) -> None:
        """Record links that a search has found, and their titles; they count as links of a page."""
        self._on_pages.update(results)
        self._labels |= results

    def learn_file(self, url: CanonicalUrl) -> None:
        """Record a file that was read. An answer may link to it, but it cannot be fetched by this URL.

        Its links are unknown until a person writes them: who made the file may be none of the thread.
        """
        self._files[str(url)] = None

    def show(self, text: str) -> None:
        """Record what the model was shown; only links of pages that were read count, up to MOST_SHOWN."""
        found = dict.fromkeys(canonical_forms(find_links(text)))
        new = (url for url in found if url in self._on_pages and url not in self._shown)
        self._shown.update([*islice(new, MOST_SHOWN - len(self._shown))])

    def record(self, answer: str) -> tuple[str, ...]:
        """The thread's record after an answer: what was read, which links it names, and what was known.

        An answer only picks: the URLs in the record are those that pages linked to.
        """
        named = [url for url in canonical_forms(find_links(answer)) if url in self._shown]
        for url, label in self._labels.items():
            if url in self._shown and len(label) >= SHORTEST_TITLE and label in answer:
                named.append(url)
        return bounded_record((*self._read, *named, *self._known))


def canonical_forms(urls: Iterable[str]) -> Iterator[str]:
    """The canonical form of each URL; text that is not a URL is left out."""
    return map(str, _canonical(urls))


def _canonical(urls: Iterable[str]) -> Iterator[CanonicalUrl]:
    for url in urls:
        try:
            yield canonicalise(url)
        except FetchError:
            continue


def bounded_record(urls: Iterable[str]) -> tuple[str, ...]:
    """The first of these, each once, as many as a thread's record holds."""
    record: list[str] = []
    room = MOST_KNOWN_CHARS
    for url in dict.fromkeys(urls):
        room -= len(url)
        if room < 0 or len(record) == MOST_KNOWN:
            break
        record.append(url)
    return tuple(record)


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


def _host(url: CanonicalUrl) -> str:
    return url.host.rstrip(".")


def _listed(host: str, domains: tuple[str, ...]) -> bool:
    host = host.rstrip(".")
    return any(host.endswith(domain) if domain.startswith(".") else host == domain for domain in domains)
