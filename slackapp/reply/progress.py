"""What the agent is doing, as users see it: the pages that it opens, and the text that it writes."""

import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fetcher import wording as engine_wording
from fetcher.bare_urls import without_urls
from slackapp import wording
from slackapp.reply.blocks.markdown_nodes import Item, MarkdownList
from slackapp.reply.blocks.slack_blocks import block, rich_text, section
from slackapp.reply.blocks.spans import Span
from slackapp.slack.message import Message, MessageKind, escaped

if TYPE_CHECKING:
    from fetcher.agent import Answer, Progress

LONGEST_TITLE = 80
MOST_SHOWN = 10
MOST_STEPS = 20
"""Lines under an answer."""
LONGEST_PREVIEW = 8_000
"""Characters of the answer while it is written; the whole answer follows when it is ready."""

_ANGLED = re.compile(r"<(https?://[^\s<>]+)>")


class PageState(StrEnum):
    """The state of a page; the values are those of Slack's tasks."""

    OPENING = "in_progress"
    READ = "complete"
    FAILED = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page that the agent has opened, or a search that it has made."""

    url: str
    title: str = ""
    state: PageState = PageState.OPENING
    is_search: bool = False

    @property
    def ended(self) -> "Page":
        """The page as it is left when the work ends."""
        return replace(self, state=PageState.FAILED) if self.state is PageState.OPENING else self

    @property
    def line(self) -> str:
        if self.is_search:
            return without_urls(engine_wording.searched([self.title]))
        title = " ".join(self.title.split())
        name = title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"
        words = {
            PageState.OPENING: wording.opening,
            PageState.READ: wording.read,
            PageState.FAILED: wording.not_read,
        }
        return without_urls(
            words[self.state](name or _host(self.url))
        )  # a title may be a URL, and Slack would link it


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressView:
    """The progress at one moment."""

    pages: tuple[Page, ...] = ()
    thinking: bool = False
    writing: bool = False
    text: str = ""

    def after(self, progress: "Progress") -> "ProgressView":
        """The progress after one more step of the agent."""
        from fetcher.agent import Step

        match progress.step:
            case Step.SEARCHING:
                search = Page(url="", title=progress.title, state=PageState.READ, is_search=True)
                return replace(self, pages=(*self.pages, search), thinking=False, writing=False)
            case Step.FETCHING:
                pages = (*self.pages, Page(url=progress.url))
                return replace(self, pages=pages, thinking=False, writing=False)
            case Step.THINKING:
                return replace(self, thinking=True)
            case Step.COUNTING:  # nothing to show
                return self
            case Step.READING:
                # It was being opened: the page with this URL, else this host, else the first; a redirect
                # changes both.
                opening = [at for at, page in enumerate(self.pages) if page.state is PageState.OPENING]
                urls, host = [page.url for page in self.pages], _host(progress.url)
                number = min(
                    opening,
                    key=lambda at: (urls[at] != progress.url, _host(urls[at]) != host),
                    default=len(self.pages),
                )
                page = Page(url=progress.url, title=progress.title, state=PageState.READ)
                return replace(self, pages=(*self.pages[:number], page, *self.pages[number + 1 :]))
            case Step.WRITING:
                # The model writes when its tools have ended: a page that is still being opened has failed.
                pages = tuple(page.ended for page in self.pages)
                read = [page.url for page in pages if page.state is PageState.READ and not page.is_search]
                text = (self.text + _streamed(progress.text, read))[:LONGEST_PREVIEW]
                return ProgressView(pages=pages, writing=True, text=text)

    def message(self) -> Message:
        """The text of a placeholder, which is updated."""
        waiting = wording.thinking() if self.thinking else wording.accepted()
        headline = wording.writing() if self.writing else waiting
        pages = self.pages[-MOST_SHOWN:]
        lines = [escaped(line) for line in [headline, *(f"• {page.line}" for page in pages)]]
        blocks = [rich_text(section([Span(text=headline)]))]
        if pages:
            blocks.append(
                block(MarkdownList(items=tuple(Item(spans=(Span(text=page.line),)) for page in pages)))
            )
        return Message(text="\n".join(lines), blocks=tuple(blocks), kind=MessageKind.PROGRESS)

    @property
    def steps(self) -> tuple[str, ...]:
        """The pages that were opened, a line each; one that is still being opened was not read."""
        return tuple(page.ended.line for page in self.pages[:MOST_STEPS])

    @property
    def searches(self) -> tuple[str, ...]:
        """The queries that have left."""
        return tuple(page.title for page in self.pages if page.is_search)

    def partial_answer(self, why: str) -> "Answer | None":
        """What is written so far as an answer, and why it ends there; None if nothing is written."""
        from fetcher.agent import Answer

        if not self.text.strip():
            return None
        pages = (page for page in self.pages if page.state is PageState.READ and not page.is_search)
        read = tuple(page.url for page in pages)
        return Answer(text=self.text, searches=self.searches, undone=(why,), answered=False, read_urls=read)

    def chunks(self, before: "ProgressView | None", name: str) -> list[dict[str, Any]]:
        """For a stream: the changes since an earlier moment; `name` begins the ids of its tasks."""
        known = before or ProgressView()
        changed: list[dict[str, Any]] = []
        begun, was_begun = self._begun, known._begun
        if before is None or begun != was_begun:
            state = PageState.READ if begun else PageState.OPENING
            changed.append(_task_chunk(f"{name}-begin", wording.accepted(), state))
        for number, page in enumerate(self.pages):
            if page not in known.pages[number : number + 1]:
                chunk = _task_chunk(f"{name}-{number}", page.line, page.state)
                if page.state is PageState.READ:
                    chunk["sources"] = [{"type": "url", "url": page.url, "text": _host(page.url)}]
                changed.append(chunk)
        if self.thinking != known.thinking:
            state = PageState.OPENING if self.thinking else PageState.READ
            changed.append(_task_chunk(f"{name}-thinking", wording.thinking(), state))
        if self.writing and not known.writing:
            changed.append(_task_chunk(f"{name}-writing", wording.writing(), PageState.OPENING))
        if text := self.text[len(known.text) :]:
            changed.append({"type": "markdown_text", "text": text.replace("<", "&lt;")})
        return changed

    @property
    def _begun(self) -> bool:
        return bool(self.pages or self.thinking or self.writing)


@dataclass(slots=True)
class ProgressTracker:
    """Collects the agent's progress, from any thread."""

    view: ProgressView = field(default_factory=ProgressView, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def update(self, progress: "Progress") -> None:
        with self._lock:
            self.view = self.view.after(progress)


def _streamed(text: str, read: Sequence[str]) -> str:
    """Text of an answer that is not complete: with links only to pages that were read."""
    from fetcher.agent import AllowedLinks, only_urls

    return only_urls(_ANGLED.sub(r" \1 ", text), AllowedLinks(read))


def _task_chunk(task_id: str, title: str, state: PageState) -> dict[str, Any]:
    return {"type": "task_update", "id": task_id, "title": title, "status": state.value}


def _host(url: str) -> str:
    return urlsplit(url).hostname or url[:LONGEST_TITLE]


class ThrottledThread:
    """Calls `work` soon after a nudge, at most every `interval` seconds and at least every `idle`."""

    def __init__(self, work: Callable[[], None], *, interval: float, idle: float) -> None:
        self._work = work
        self._interval = interval
        self._idle = idle
        self._needed = threading.Event()
        self._over = threading.Event()
        self._pool: ThreadPoolExecutor | None = None
        self._running: Future[None] | None = None

    def start(self) -> None:
        if self._running is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="pacer")
            self._running = self._pool.submit(copy_context().run, self._run)  # it speaks the same language

    def nudge(self) -> None:
        """Ask for a call; returns at once, from any thread."""
        self._needed.set()

    def stop(self) -> None:
        """Wait for a call that is running and start no other; raise once what `work` raised."""
        self.abandon()
        running, self._running = self._running, None
        if running is not None:
            running.result()

    def abandon(self) -> None:
        """Stop, and ignore what `work` raised."""
        self._over.set()
        self._needed.set()
        if self._pool is not None:
            self._pool.shutdown(wait=True)

    def _run(self) -> None:
        while not self._over.wait(self._interval):
            self._needed.wait(self._idle)
            self._needed.clear()
            if self._over.is_set():
                return
            self._work()
