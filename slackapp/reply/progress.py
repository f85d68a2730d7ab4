"""What the agent is doing, as people like to watch it: the pages, one by one, and the writing."""

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fetcher.bare_urls import without_urls
from slackapp import messages_ja
from slackapp.reply.blocks.inline import Span
from slackapp.reply.blocks.markdown_nodes import Item, MarkdownList
from slackapp.reply.blocks.slack_blocks import block, rich_text, section
from slackapp.slack.message import Message, MessageKind, escaped

if TYPE_CHECKING:
    from fetcher.agent import Progress

LONGEST_TITLE = 80
MOST_SHOWN = 10
LONGEST_PREVIEW = 8_000
"""Of an answer while it is written; the whole of it comes when it is ready."""


_ANGLED = re.compile(r"<(https?://[^\s<>]+)>")


class State(StrEnum):
    """How far a page is; the values are those of Slack's tasks."""

    OPENING = "in_progress"
    READ = "complete"
    FAILED = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page that the agent turned to."""

    url: str
    title: str = ""
    state: State = State.OPENING

    @property
    def line(self) -> str:
        name = _short(self.title) or _host(self.url)
        words = {
            State.OPENING: messages_ja.opening,
            State.READ: messages_ja.read,
            State.FAILED: messages_ja.not_read,
        }
        return without_urls(words[self.state](name))  # a title may be a URL, and Slack would link it


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressView:
    """How things stand at one moment."""

    pages: tuple[Page, ...] = ()
    writing: bool = False
    text: str = ""

    def message(self) -> Message:
        """For a placeholder that is updated."""
        headline = messages_ja.writing() if self.writing else messages_ja.accepted()
        pages = self.pages[-MOST_SHOWN:]
        lines = [escaped(line) for line in [headline, *(f"\u2022 {page.line}" for page in pages)]]
        blocks = [rich_text(section([Span(text=headline)]))]
        if pages:
            blocks.append(
                block(MarkdownList(items=tuple(Item(spans=(Span(text=page.line),)) for page in pages)))
            )
        return Message(text="\n".join(lines), blocks=tuple(blocks), sort=MessageKind.PROGRESS)

    def chunks(self, before: "ProgressView | None", name: str) -> list[dict[str, Any]]:
        """For a stream: what has changed since an earlier moment; `name` tells our tasks from others'."""
        known = before or ProgressView()
        changed = [
            _task(f"{name}-{number}", page)
            for number, page in enumerate(self.pages)
            if page not in known.pages[number : number + 1]
        ]
        if before is None or self._begun != known._begun:
            state = State.READ if self._begun else State.OPENING
            changed.insert(0, _chunk(f"{name}-begin", messages_ja.accepted(), state))
        if self.writing and not known.writing:
            changed.append(_chunk(f"{name}-writing", messages_ja.writing(), State.OPENING))
        if text := self.text[len(known.text) :]:
            changed.append({"type": "markdown_text", "text": text})
        return changed

    @property
    def _begun(self) -> bool:
        return bool(self.pages or self.writing)


class ProgressTracker:
    """Gathers what the agent tells, from whatever thread it tells it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._view = ProgressView()

    @property
    def view(self) -> ProgressView:
        return self._view

    def take(self, progress: "Progress") -> None:
        with self._lock:
            self._view = _STEPS[progress.step](self._view, progress)


def _fetching(view: ProgressView, progress: "Progress") -> ProgressView:
    return replace(view, pages=(*view.pages, Page(url=progress.url)), writing=False)


def _reading(view: ProgressView, progress: "Progress") -> ProgressView:
    """The page that was being opened, by its URL, else its host, else the first: redirects change both."""
    waiting = [number for number, page in enumerate(view.pages) if page.state is State.OPENING]
    by_likeness = sorted(waiting, key=lambda number: _unlike(view.pages[number].url, progress.url))
    read = Page(url=progress.url, title=progress.title, state=State.READ)
    if not by_likeness:
        return replace(view, pages=(*view.pages, read))
    place = by_likeness[0]
    return replace(view, pages=(*view.pages[:place], read, *view.pages[place + 1 :]))


def _writing(view: ProgressView, progress: "Progress") -> ProgressView:
    """The model writes when its tools have ended: what was not read by now was not to be read."""
    pages = tuple(
        replace(page, state=State.FAILED) if page.state is State.OPENING else page for page in view.pages
    )
    read = [page.url for page in pages if page.state is State.READ]
    text = (view.text + _streamed(progress.text, read))[:LONGEST_PREVIEW]
    return ProgressView(pages=pages, writing=True, text=text)


_STEPS = {"fetching": _fetching, "reading": _reading, "writing": _writing}


def _unlike(url: str, other: str) -> int:
    return 0 if url == other else 1 if _host(url) == _host(other) else 2


def _streamed(text: str, read: Sequence[str]) -> str:
    """The text of a stream, in which nothing of Slack's own begins and only what was read is linked."""
    from fetcher.agent import AllowedLinks, only_urls

    return only_urls(_ANGLED.sub(r" \1 ", text), AllowedLinks(read)).replace("<", "&lt;")


def _task(task_id: str, page: Page) -> dict[str, Any]:
    source: Mapping[str, Any] = {"type": "url", "url": page.url, "text": _host(page.url)}
    extra = {"sources": [source]} if page.state is State.READ else {}
    return _chunk(task_id, page.line, page.state) | extra


def _chunk(task_id: str, title: str, state: State) -> dict[str, Any]:
    return {"type": "task_update", "id": task_id, "title": title, "status": state.value}


def _host(url: str) -> str:
    return urlsplit(url).hostname or url[:LONGEST_TITLE]


def _short(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1]}\u2026"
