"""What an answer may link to: the pages that were read for it, and nothing else.

This is the last step of all output: Slack's blocks, A2A's parts, the command line's Markdown, and files that
the model composed. It does not rely on what earlier steps took for a link.
"""

import re
from collections.abc import Container, Iterable
from urllib.parse import quote

from fetcher.agent.safety.markdown_writer import written
from fetcher.agent.safety.mentions import without_mentions
from fetcher.agent.values import Answer
from fetcher.bare_urls import without_urls
from fetcher.markdown import parse

_ASCII = "".join(map(chr, range(0x21, 0x7F)))
_RUN = re.compile(r"[^\s<>]++")
_SCHEME = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z0-9+.-]*+://", re.ASCII)
_TRAILING = ".,:;!?'\"*_~`"
_TARGET = re.compile(
    r"\]\((?P<url>[^\s<>()]*+(?>\([^\s<>()]*+\)[^\s<>()]*+)*+)\)(?=[.,:;!?'\"*_~`)|]*+(?:[^!-~]|$))", re.ASCII
)
"""A link of Markdown, behind which a careless reader finds nothing that could belong to it."""


class AllowedLinks(Container[str]):
    """URLs as they may stand in a link.

    They are compared character by character, and not in their canonical form: how a URL is spelled
    (`%61` for `a`) would tell its host something.
    """

    def __init__(self, urls: Iterable[str]) -> None:
        self._urls = frozenset(urls)

    def __contains__(self, url: object) -> bool:
        """Raw letters of any language equal escaped ones, and an empty path equals `/`."""
        escaped = quote(str(url), safe=_ASCII, errors="replace")
        return bool({str(url), escaped, f"{escaped}/"} & self._urls)


def links_of(answer: Answer) -> AllowedLinks:
    """What an answer may link to wherever it is shown."""
    return AllowedLinks([*answer.read_urls, *(source.url for source in answer.sources)])


def only_links(markdown: str, allowed: Container[str]) -> str:
    """Markdown without mentions in which no reader finds a link that is not allowed."""
    text = without_mentions(written(parse(markdown), allowed), trace=" ")
    return text + "\n" if markdown.endswith("\n") else text


def only_urls(text: str, allowed: Container[str]) -> str:
    """Text in which nothing but what is allowed is a URL; a URL that is not can still be read.

    For plain text, in which programs make links of what looks like one: a URL goes up to the next white
    space, without the sentence's punctuation. Only `](URL)` of Markdown ends earlier.
    """
    return _RUN.sub(lambda run: _checked(run[0], allowed), text)


def _checked(run: str, allowed: Container[str]) -> str:
    """A text without white space in which only allowed URLs are left."""
    pieces, at = [], 0
    for target in _TARGET.finditer(run):
        if target["url"] in allowed:
            pieces += [without_urls(run[at : target.start()]), target[0]]
            at = target.end()
    rest = run[at:]
    scheme = _SCHEME.search(rest)
    url = rest[scheme.start() :] if scheme else ""
    is_allowed = url in allowed or url.rstrip(_TRAILING) in allowed
    return "".join(
        [*pieces, without_urls(rest[: len(rest) - len(url)]), url if is_allowed else without_urls(url)]
    )
