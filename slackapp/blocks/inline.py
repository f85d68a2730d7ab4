"""A line's Markdown as spans with styles: emphasis, code, links, marks of sources.

Emphasis follows CommonMark but for its rule on punctuation, which leaves marks between a bracket and a kana
raw; here a mark opens before any visible character and closes after any.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fetcher.markdown_entities import decoded

LONGEST_URL = 3_000
"""What Slack takes as a link's target."""

_TOKEN = re.compile(
    r"\\(?P<escape>[!-/:-@\[-`{-~])"
    r"|(?<!`)(?P<ticks>`{1,20}+)(?P<code>[^\n]+?)(?<!`)(?P=ticks)(?!`)"
    r"|\[(?P<label>(?:[^\[\]\n]|\[[^\[\]\n]*+\])*+)\]\((?P<target>(?:[^\s()<>]|\([^\s()<>]*+\))++)\)"
    r"|<(?P<angled>https?://[^\s<>|]++)>"
    r"|(?P<bare>https?://[^\s<>`|\"\u3000-\u303f\uff00-\uff65]++)"
    r"|\[(?P<number>[0-9]{1,3})\]"
    r"|(?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|(?P<marks>\*+|_+|~+)"
)
_TARGET = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)
_TRAILING = ".,;:!?'\"*_~)]}"
_OPENERS = {")": "(", "]": "[", "}": "{"}
_STYLES = {"*": ("italic", "bold"), "_": ("italic", "bold"), "~": ("", "strike")}
"""What one mark and what two marks mean; a single tilde is a range, as in `10~20`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Some characters that look alike."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    url: str = ""

    @property
    def size(self) -> int:
        """What it takes of a message's room; no target takes so much that nothing stands beside it."""
        return len(self.text) + min(len(self.url), 500)

    def element(self) -> dict[str, Any]:
        """As part of a `rich_text_section`."""
        styles = [name for name in ("bold", "italic", "strike", "code") if getattr(self, name)]
        shape: dict[str, Any] = {"type": "text", "text": self.text}
        if self.url:
            shape = {"type": "link", "url": self.url, "text": self.text}
        return shape | ({"style": dict.fromkeys(styles, True)} if styles else {})


@dataclass(slots=True, kw_only=True)
class _Marks:
    """A run of marks that may open or close something."""

    mark: str
    count: int
    opens: bool
    closes: bool


@dataclass(slots=True)
class _Line:
    """What was read so far, with the runs of marks that still wait for their other end."""

    items: list[Span | _Marks] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)


Sources = Mapping[int, str]


def spans(text: str, sources: Sources | None = None) -> tuple[Span, ...]:
    """The spans of a text; a mark such as `[1]` links to the source of that number."""
    line = _Line()
    for item in _items(text, sources or {}):
        if isinstance(item, _Marks):
            _take(line, item)
        else:
            line.items.append(item)
    return joined([_spelled(item) for item in line.items])


def joined(items: list[Span]) -> tuple[Span, ...]:
    """Neighbours that look alike as one; empty ones left out."""
    kept: list[Span] = []
    for item in items:
        if kept and replace(kept[-1], text="") == replace(item, text=""):
            kept[-1] = replace(item, text=kept[-1].text + item.text)
        elif item.text:
            kept.append(item)
    return tuple(kept)


def _items(text: str, sources: Sources) -> Iterator[Span | _Marks]:
    at = 0
    while token := _TOKEN.search(text, at):
        yield Span(text=text[at : token.start()])
        at = token.end()
        match token.lastgroup:
            case "escape":
                yield Span(text=token["escape"])
            case "code":
                yield Span(text=_unpadded(token["code"]), code=True)
            case "target":
                yield from _link(token["label"], token["target"])
            case "angled":
                yield _linked(Span(text=token["angled"]), token["angled"])
            case "bare":
                url = _bare(token["bare"])
                at = token.start() + len(url)
                yield _linked(Span(text=url), url)
            case "number":
                yield Span(text=token[0], url=sources.get(int(token["number"]), ""))
            case "entity":
                yield Span(text=decoded(token[0]))
            case _:
                yield _marks(text, token)
    yield Span(text=text[at:])


def _bare(text: str) -> str:
    """A URL without its sentence's punctuation; a bracket that it has opened is its own."""
    end, left = len(text), Counter(text)
    while (last := text[end - 1]) in _TRAILING:
        opener = _OPENERS.get(last)
        if opener and left[opener] >= left[last]:
            break
        left[last] -= 1
        end -= 1
    return text[:end]


def _unpadded(code: str) -> str:
    padded = code.startswith(" ") and code.endswith(" ") and code.strip()
    return code[1:-1] if padded else code


def _link(label: str, target: str) -> Iterator[Span]:
    url = decoded(target)
    shown = spans(label) or (Span(text=url),)
    if _is_target(url):
        yield from (replace(span, url=url) for span in shown)
    else:
        yield from (*(replace(span, url="") for span in shown), Span(text=f" ({url})"))


def _linked(span: Span, url: str) -> Span:
    return replace(span, url=url) if _is_target(url) else span


def _is_target(url: str) -> bool:
    """Whether Slack takes it as a link: `https://` with nothing behind it leads nowhere."""
    return len(url) <= LONGEST_URL and _TARGET.match(url) is not None


def _marks(text: str, token: re.Match[str]) -> _Marks:
    before = text[max(0, token.start() - 1) : token.start()] or " "
    after = text[token.end() : token.end() + 1] or " "
    word_before, word_after = _in_word(before), _in_word(after)
    mark = token[0][0]
    inside = {
        "_": (word_before, word_after),  # snake_case
        "*": (before.isdecimal() and after.isdecimal(),) * 2,  # 2*3
        "~": (len(token[0]) != 2,) * 2,
    }[mark]
    return _Marks(
        mark=mark,
        count=len(token[0]),
        opens=not after.isspace() and not inside[0],
        closes=not before.isspace() and not inside[1],
    )


def _in_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _take(line: _Line, marks: _Marks) -> None:
    """Closes what the marks can close, nearest first; what is left may open something."""
    while marks.closes and marks.count and (place := _opening(line, marks.mark)) is not None:
        opening = line.items[place]
        assert isinstance(opening, _Marks)
        size = min(2, marks.count, opening.count)
        _apply(line, place, _STYLES[marks.mark][size - 1])
        opening.count -= size
        marks.count -= size
        line.waiting = [other for other in line.waiting if other < place]
        if opening.count:
            line.waiting.append(place)
    if marks.count:
        if marks.opens:
            line.waiting.append(len(line.items))
        line.items.append(marks)


def _opening(line: _Line, mark: str) -> int | None:
    places = (place for place in reversed(line.waiting) if _mark_at(line, place) == mark)
    return next((place for place in places if place < len(line.items) - 1), None)


def _mark_at(line: _Line, place: int) -> str:
    item = line.items[place]
    return item.mark if isinstance(item, _Marks) else ""


def _apply(line: _Line, place: int, style: str) -> None:
    for index in range(place + 1, len(line.items)):
        item = line.items[index]
        line.items[index] = _styled(_spelled(item), style)


def _styled(span: Span, style: str) -> Span:
    return replace(
        span,
        bold=span.bold or style == "bold",
        italic=span.italic or style == "italic",
        strike=span.strike or style == "strike",
    )


def _spelled(item: Span | _Marks) -> Span:
    """Marks that mean nothing are what they look like."""
    return item if isinstance(item, Span) else Span(text=item.mark * item.count)
