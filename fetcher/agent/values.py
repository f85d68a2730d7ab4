"""The agent's input and output."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

from fetcher.wording.language import Language

SHORT_CHARS = 10_000
"""Text up to this length is searched in hundredths of a second: that needs no thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of the conversation so far."""

    author: str
    text: str
    ours: bool = False
    """True for the agent's own earlier answers."""
    by_asker: bool = False
    """True for earlier messages of the person who asks now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one question may cost."""

    turns: int = 8
    """Calls of the model."""
    fetches: int = 8
    seconds: float = 180.0
    output_tokens: int = 16_000
    """Of each call; thoughts count."""
    input_tokens: int = 150_000
    """Of each call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """A file that a person has sent."""

    name: str
    url: str
    """Where people see it; its source links there. It is not fetched."""
    download: Callable[[int, float], bytes]
    """The content: at most so many bytes, within so many seconds. It blocks, and raises ToolRefused."""
    media_type: str = ""
    """As its sender's program says; the first bytes decide."""
    asked: bool = True
    """Whether it came with the question itself, and not earlier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenLinks:
    """The links that people wrote, each with its possible readings."""

    asked: tuple[tuple[str, ...], ...]
    """Those of the question."""
    earlier: tuple[tuple[str, ...], ...]
    """Those of the thread, the newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A question, with the conversation around it."""

    question: str
    author: str = ""
    history: tuple[Turn, ...] = ()
    """Earlier messages, oldest first."""
    links: tuple[str, ...] = ()
    """Links that the question shows besides those in its text, such as a label's target."""
    known_urls: tuple[str, ...] = ()
    """The record of the thread: URLs that were read in it, and links of those pages that an answer named."""
    files: tuple[AttachedFile, ...] = ()
    """Files of the conversation, the question's own first, then the newest."""
    language: Language = Language.JAPANESE
    """In which people are told of what was left undone; the answer itself has the question's language."""
    labelled: bool = False
    """Whether a page that failed is told with the words that the document on `execute_task` demands."""
    quoted: tuple[str, ...] = ()
    """Texts in the question that another person wrote."""
    written: WrittenLinks | None = None
    """The links in all this, once the agent has found them."""
    search: bool = True
    """False where no words may go to a search provider."""
    correlation_id: str = ""
    limits: Limits = field(default_factory=Limits)

    def within(self, seconds: float) -> Self:
        """The same question with these seconds."""
        return replace(self, limits=replace(self.limits, seconds=seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A page that the answer really cites."""

    number: int
    title: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedFile:
    """A file that goes with the answer; only `files/answer_files.py` makes them."""

    file_name: str
    mime_type: str
    content: bytes

    @property
    def size_bytes(self) -> int:
        return len(self.content)

    @property
    def content_base64(self) -> str:
        return base64.b64encode(self.content).decode("ascii")


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the model's calls cost, in tokens."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def tokens(self) -> int:
        """All of them. The API counts what is read from its cache, or written to it, apart from the input."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
        )


OFFER_KINDS = ("excel", "shorter", "english", "japanese")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Something that the agent could do next with a page."""

    kind: str
    """One of `OFFER_KINDS`."""
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The agent's answer to a question."""

    text: str
    """Markdown; the sources stand in their own field."""
    sources: tuple[Source, ...] = ()
    files: tuple[GeneratedFile, ...] = ()
    usage: Usage = field(default_factory=Usage)
    searches: tuple[str, ...] = ()
    """The queries that went to a search provider, in order."""
    undone: tuple[str, ...] = ()
    """What was left undone and why, a sentence each, in the language of the request."""
    offline: bool = False
    """True when no model was used."""
    answered: bool = True
    """False when the text only says why the question was not answered."""
    read_urls: tuple[str, ...] = ()
    """The pages that were read for it: nothing else may be a link where it is shown."""
    known_urls: tuple[str, ...] = ()
    """The record of the thread from now on, for the next `AskRequest` of it."""
    offers: tuple[Offer, ...] = ()
    """What its asker may want next."""


class Step(StrEnum):
    SEARCHING = "searching"
    FETCHING = "fetching"
    READING = "reading"
    THINKING = "thinking"
    WRITING = "writing"
    COUNTING = "counting"
    """Nothing to show: the model's tokens were counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What the agent is doing now."""

    step: Step
    url: str = ""
    title: str = ""
    """Of a page, or the query of a search."""
    text: str = ""
    """The next lines of what the model is writing; what comes before a fetch is not yet the answer."""
    tokens: int = 0
    """What the model has cost since this was last told."""
