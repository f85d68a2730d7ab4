"""A paragraph's Markdown as spans with styles: emphasis, code, links, marks of sources, line breaks.

Brackets are read as CommonMark reads them: the innermost that is followed by a target is a link, no link
contains another, and an image is its description. A line break stays one, soft or hard, because Japanese is
written without spaces between words.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from fetcher.markdown_syntax.code_spans import code_spans
from fetcher.markdown_syntax.entities import ENTITY, decoded
from fetcher.markdown_syntax.escapes import ESCAPE
from slackapp.reply.blocks.emphasis import Marks, marks_at, styles_of

LONGEST_URL = 3_000
"""The longest target of a link that Slack accepts."""

_WEB = "[hH][tT][tT][pP][sS]?://"
_TOKEN = re.compile(
    rf"(?P<escape>{ESCAPE})"
    r"|(?P<line_break>\\\n|<[bB][rR][ \t]*+/?>[ \t]*+\n?+)"
    r"|(?P<ticks>`++)"
    r"|(?P<open>!?\[)"
    r"|(?P<close>\])"
    rf"|<(?P<angled>{_WEB}[^\s<>|]++)>"
    rf"|(?P<bare>{_WEB})"
    rf"|(?P<entity>{ENTITY})"
    r"|(?P<marks>\*+|_+|~+)"
)
_INSIDE = rf"{ESCAPE}|[^\s()\\]|\\"
_LINK = re.compile(
    r"\(\s*+(?:<(?P<angled>[^<>\n]*+)>"
    rf"|(?P<plain>(?!<)(?>{_INSIDE}|\((?>{_INSIDE}|\((?:{_INSIDE})*+\))*+\))*+))"
    r"(?>\s++(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?+\s*+\)",
    re.DOTALL,
)
_ESCAPE_OR_ENTITY = re.compile(rf"(?P<escape>{ESCAPE})|{ENTITY}")
_CITATION = re.compile(r"[0-9]{1,3}")
_TARGET = re.compile(rf"{_WEB}[^\s/?#]")


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


Sources = Mapping[int, str]


def spans(text: str, sources: Sources | None = None) -> tuple[Span, ...]:
    """The spans of a text; a mark such as `[1]` links to the source of that number."""
    return _InlineParser(text, sources or {}).parse()


def joined(items: Iterable[Span]) -> tuple[Span, ...]:
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


class _Opening(NamedTuple):
    """A bracket that may open a link or an image."""

    item: int
    """Its index among the items."""
    label: int
    """Where in the text its label begins."""
    is_image: bool


class _InlineParser:
    """Reads a text once; brackets wait for their end, and emphasis for the end of the text."""

    def __init__(self, text: str, sources: Sources) -> None:
        self._text = text
        self._sources = sources
        self._items: list[Span | Marks] = []
        self._openings: list[_Opening] = []
        self._without_link = 0
        """How many of the open brackets cannot be a link, because they contain one."""
        self._code_spans = {span.start: span for span in code_spans(text)}

    def parse(self) -> tuple[Span, ...]:
        at = 0
        while token := _TOKEN.search(self._text, at):
            self._add_text(self._text[at : token.start()])
            at = self._read_token(token)
        self._add_text(self._text[at:])
        return _styled(self._items)

    def _add_text(self, text: str) -> None:
        if text:
            self._items.append(Span(text=text))

    def _read_token(self, token: re.Match[str]) -> int:
        """Add the items of one token; return where to continue."""
        match token.lastgroup:
            case "escape":
                self._add_text(token[0][1])
            case "line_break":
                self._add_text("\n")
            case "ticks" if code := self._code_spans.get(token.start()):
                self._items.append(Span(text=code.text, code=True))
                return code.end
            case "ticks":
                self._add_text(token[0])
            case "open":
                opening = _Opening(len(self._items), token.end(), token[0] == "![")
                self._openings.append(opening)
                self._add_text(token[0])
            case "close":
                return self._read_closing_bracket(token.start())
            case "angled":
                self._items.append(_linked(token["angled"]))
            case "bare":
                return self._read_bare_url(token)
            case "entity":
                self._add_text(decoded(token[0]))
            case _:
                self._items.append(marks_at(self._text, token.start(), token.end()))
        return token.end()

    def _read_closing_bracket(self, at: int) -> int:
        """Replace the items in the brackets by a link, or by an image's description; where to continue."""
        if not self._openings:
            self._add_text("]")
            return at + 1
        opening = self._openings.pop()
        may_link = opening.is_image or len(self._openings) >= self._without_link
        self._without_link = min(self._without_link, len(self._openings))
        target = _LINK.match(self._text, at + 1) if may_link else None
        if target is None:
            label = self._text[opening.label : at]
            if not opening.is_image and _CITATION.fullmatch(label):
                del self._items[opening.item :]
                self._items.append(Span(text=f"[{label}]", url=self._sources.get(int(label), "")))
            else:
                self._add_text("]")
            return at + 1
        inside = _styled(self._items[opening.item + 1 :])
        del self._items[opening.item :]
        if opening.is_image:  # its description
            self._add_text("".join(span.text for span in inside))
            return target.end()
        self._without_link = len(self._openings)
        url = _ESCAPE_OR_ENTITY.sub(
            lambda found: found["escape"][1] if found["escape"] else decoded(found[0]),
            target["plain"] if target["angled"] is None else target["angled"],
        )
        if _is_target(url):
            self._items += [replace(span, url=url) for span in inside or (Span(text=url),)]
        else:
            self._items += [replace(span, url="") for span in inside]
            self._add_text(f" ({url})" if url and inside else url)
        return target.end()

    def _read_bare_url(self, token: re.Match[str]) -> int:
        from fetcher.agent.safety.links import (  # takes 0.4 s; only answers need it
            bare_url_at,
            likeliest_first,
        )

        found = bare_url_at(self._text, token.start())
        whole = self._text[token.start() : found.end] or token[0]
        url = likeliest_first(found.readings)[0] if found.readings else whole
        self._items.append(_linked(url))
        return token.start() + len(url)


def _linked(url: str) -> Span:
    return Span(text=url, url=url if _is_target(url) else "")


def _is_target(url: str) -> bool:
    """Whether Slack accepts it as a link; `https://` alone is not one."""
    return len(url) <= LONGEST_URL and _TARGET.match(url) is not None


def _styled(items: list[Span | Marks]) -> tuple[Span, ...]:
    """The items with their emphasis; marks without a meaning stay text."""
    styled = []
    for item, styles in zip(items, styles_of(items), strict=True):
        span = item if isinstance(item, Span) else Span(text=item.mark * item.count)
        styled.append(
            replace(
                span,
                bold=span.bold or "bold" in styles,
                italic=span.italic or "italic" in styles,
                strike=span.strike or "strike" in styles,
            )
        )
    return joined(styled)
