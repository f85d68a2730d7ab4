"""The words of a paragraph as spans with styles: emphasis, code, links, marks of sources, line breaks."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it.token import Token

LONGEST_URL = 3_000
"""The longest target of a link that Slack accepts."""

_WEB = "[hH][tT][tT][pP][sS]?://"
_TARGET = re.compile(rf"{_WEB}[^\s/?#]")
_IN_TEXT = re.compile(rf"(?<!!)\[(?P<citation>[0-9]{{1,3}})\]|(?P<bare>{_WEB})")
_STYLES = {"strong": "bold", "em": "italic", "s": "strike"}
"""By the tag of a token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Characters of one style."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    url: str = ""

    @property
    def size(self) -> int:
        """Its share of a message's length; of a long target a part counts, so that text fits beside it."""
        return len(self.text) + min(len(self.url), 500)

    def element(self) -> dict[str, Any]:
        """An element of a `rich_text_section`."""
        styles = [name for name in ("bold", "italic", "strike", "code") if getattr(self, name)]
        shape: dict[str, Any] = {"type": "text", "text": self.text}
        if self.url:
            shape = {"type": "link", "url": self.url, "text": self.text}
        return shape | ({"style": dict.fromkeys(styles, True)} if styles else {})


Spans = tuple[Span, ...]
Sources = Mapping[int, str]


def spans(tokens: Iterable["Token"], sources: Sources) -> Spans:
    """The spans of a paragraph's tokens; a mark such as `[1]` links to the source of that number."""
    found: list[Span] = []
    styles: list[str] = []
    look, target, label = Span(text=""), "", 0
    for token in tokens:
        match token.type:
            case "text" if target:
                found.append(replace(look, text=token.content))
            case "text":
                found += (
                    replace(look, text=each.text, url=each.url) for each in _linked(token.content, sources)
                )
            case "link_open":
                target, label = str(token.attrs.get("href") or " "), len(found)
                look = replace(look, url=target if _is_target(target) else "")
            case "link_close":
                if not any(span.text for span in found[label:]):
                    found.append(replace(look, text=target))
                elif not look.url and target.strip():
                    found.append(replace(look, text=f" ({target})"))
                look, target = replace(look, url=""), ""
            case _ if style := _STYLES.get(token.tag):
                styles = [*styles, style] if token.nesting > 0 else styles[:-1]
                look = Span(text="", url=look.url, **dict.fromkeys(styles, True))
            case kind:
                text = "\n" if kind in ("softbreak", "hardbreak") else token.content
                found.append(replace(look, text=text, code=kind == "code_inline"))
    return joined(found)


def joined(items: Iterable[Span]) -> Spans:
    """Join neighbours of one style, without empty spans."""
    firsts: list[Span] = []
    texts: list[list[str]] = []
    for item in items:
        if not item.text:
            continue
        if firsts and replace(firsts[-1], text="") == replace(item, text=""):
            texts[-1].append(item.text)
        else:
            firsts.append(item)
            texts.append([item.text])
    return tuple(replace(span, text="".join(parts)) for span, parts in zip(firsts, texts, strict=True))


def _linked(text: str, sources: Sources) -> Iterator[Span]:
    """A text with links for marks of sources and for bare URLs."""
    from fetcher.agent.safety.links import bare_url_at, likeliest_first  # takes 0.4 s; only answers need it

    at = 0
    while token := _IN_TEXT.search(text, at):
        yield Span(text=text[at : token.start()])
        if token["citation"]:
            at = token.end()
            yield Span(text=token[0], url=sources.get(int(token["citation"]), ""))
            continue
        found = bare_url_at(text, token.start())
        whole = text[token.start() : found.end] or token[0]
        url = likeliest_first(found.readings)[0] if found.readings else whole
        at = token.start() + len(url)
        yield Span(text=url, url=url if _is_target(url) else "")
    yield Span(text=text[at:])


def _is_target(url: str) -> bool:
    """Whether Slack accepts it as a link; `https://` alone is not one."""
    return len(url) <= LONGEST_URL and _TARGET.match(url) is not None
