"""The answer and its sources: what the API cited and was really read, numbered as it comes up (A8)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markdown_it.token import Token

from fetcher import wording
from fetcher.agent.model.contract import Block
from fetcher.agent.safety.allowed_links import AllowedLinks
from fetcher.agent.safety.fencing import plain_label, visible
from fetcher.agent.safety.markdown_writer import written
from fetcher.agent.safety.mentions import without_mentions
from fetcher.agent.values import Source
from fetcher.markdown import parse
from fetcher.web.errors import FetchError
from fetcher.web.net.canonical import canonicalise

MARK, MARK_END = "\x0e", "\x0f"
"""Around the numbers of sources in the text until it is read; the model's text has no control characters."""
_FORGED = re.compile(r"(?<![A-Za-z0-9_)\]])(?:[ ]?\[[0-9]{1,2}\])+(?![(\[:])")
"""Marks that the model made up; `a[1]` in code is not a mark."""
_PAGE = re.compile(r"#page=([1-9][0-9]{0,4})\Z")
"""How the source of a passage names its page in a document (`tools/results.py`)."""
_MARKED = re.compile(rf"{MARK}(?P<numbers>[0-9,]+){MARK_END}(?=(?P<joins>[(\[:])?)")


def compose(blocks: Sequence[Block], pages: Mapping[str, str]) -> tuple[str, tuple[Source, ...]]:
    """The answer's text with marks such as ` [1]`, and the sources that they stand for.

    `pages` has the final URL and the title of each page that was read: nothing else is cited or linked.
    """
    ledger = _Ledger(pages)
    marked = ""
    for text, numbers in _runs(blocks, ledger):
        words = text.rstrip() if numbers else text
        last_line = words[words.rfind("\n") + 1 :].strip()
        mark = f"{MARK}{','.join(map(str, numbers))}{MARK_END}" if numbers else ""
        if mark and not last_line.strip("`~-=*_|: "):
            mark = f"\n{mark}"  # a fence or a rule would not be one with a mark
        elif mark and last_line[0] == last_line[-1] == "|":
            words = words[:-1].rstrip()  # the bar that ends a table's row comes after the mark
        marked += words + mark + text[len(words) :]
    tokens = [each for token in parse(marked) for each in _with_marks(token)]
    return without_mentions(written(tokens, AllowedLinks(pages)), trace=" "), tuple(ledger.sources)


def _with_marks(token: Token) -> Iterator[Token]:
    """The token with our marks as text, and without the model's own; marks in code come after it."""
    if token.type == "text":
        token.content = _MARKED.sub(_shown, _FORGED.sub("", token.content))
    token.children = [each for child in token.children or () for each in _with_marks(child)]
    yield token
    inside = "".join(found[0] for found in _MARKED.finditer(f"{token.info}\n{token.content}"))
    if inside and token.type != "inline":
        token.info, token.content = _MARKED.sub("", token.info), _MARKED.sub("", token.content)
        marks = Token("text", "", 0, content=_MARKED.sub(_shown, inside))
        yield Token("inline", "", 0, children=[marks]) if token.block else marks


def _shown(mark: re.Match[str]) -> str:
    """A mark as people see it, apart from a following text that would make a link of it."""
    return f" [{mark['numbers'].replace(',', '][')}]" + " " * bool(mark["joins"])


class _Ledger:
    """The pages that were read, and those of them that have been cited so far."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._titles = pages
        self._urls = {_canonical(url): url for url in pages if not _PAGE.search(url)}
        self._numbers: dict[str, int] = {}
        self.sources: list[Source] = []

    def numbers(self, citations: Iterable[Block]) -> tuple[int, ...]:
        """The numbers of the cited pages, in order, each once; a page cited for the first time gets one."""
        found: set[int] = set()
        for citation in citations:
            cited = str(citation.get("source") or citation.get("url") or "")
            url = self._urls.get(_canonical(cited))
            if url is None:
                continue
            page = _PAGE.search(cited)
            place = f"{url}{page[0]}" if page else url
            if place not in self._numbers:
                self._numbers[place] = len(self.sources) + 1
                title = plain_label(self._titles[url] or citation.get("title") or "") or url
                if page:  # sheets of workbooks have names
                    title = self._titles.get(place) or wording.on_page(title, int(page[1]))
                self.sources.append(Source(number=self._numbers[place], title=title, url=place))
            found.add(self._numbers[place])
        return tuple(sorted(found))


def _canonical(url: str) -> str:
    """The canonical form of a URL, without its fragment; other text stays as it is."""
    try:
        return str(canonicalise(url))
    except FetchError:
        return url


def _runs(blocks: Iterable[Block], ledger: _Ledger) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The text with the numbers of its sources, neighbours with the same sources as one piece.

    White space cites nothing, and goes with the text before it.
    """
    run, sources = "", tuple[int, ...]()
    for block in blocks:
        text = visible(block.get("text") or "") if block.get("type") == "text" else ""
        if text.strip() and (numbers := ledger.numbers(block.get("citations") or ())) != sources:
            yield run, sources
            run, sources = "", numbers
        run += text
    yield run, sources
