"""An agent whose tool calls are told to whoever inspects them."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from fetcher.agent import Answer, Answerer, AskRequest, Progress

ASK, FETCH, WRITE = "agent.ask", "fetch", "agent.answer"


class ToolCallNote(Protocol):
    def __call__(self, kind: str, **fields: Any) -> None:
        """Takes a record."""


class WatchedAgent:
    """Answers as the one inside does, and tells of the question, of every fetch, and of the answer."""

    def __init__(self, inner: "Answerer", note: ToolCallNote) -> None:
        self._inner = inner
        self._note = note

    async def ask(self, request: "AskRequest", on_progress: "Callable[[Progress], None]") -> "Answer":
        diary = _Diary(request, self._note)

        def heard(progress: "Progress") -> None:
            diary.progress(progress)
            on_progress(progress)

        diary.asked()
        try:
            answer = await self._inner.ask(request, heard)
        except asyncio.CancelledError:
            diary.failed("cancelled")
            raise
        except Exception as error:
            diary.failed(type(error).__name__)
            raise
        diary.answered(answer)
        return answer

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Diary:
    """One question's records."""

    def __init__(self, request: "AskRequest", note: ToolCallNote) -> None:
        self._request = request
        self._note = note
        self._began = time.monotonic()
        self._fetching: dict[str, float] = {}

    def asked(self) -> None:
        request = self._request
        turns = [{"author": turn.author, "text": turn.text, "ours": turn.ours} for turn in request.history]
        payload = {"question": request.question, "links": list(request.links), "history": turns}
        self._tell(ASK, payload, label=request.question)
        self._began = time.monotonic()  # so that nothing that follows can stand before the question

    def progress(self, progress: "Progress") -> None:
        if progress.step == "fetching":
            self._fetching[progress.url] = time.monotonic()
        elif progress.step == "reading":
            began = self._fetching.pop(self._likely(progress.url), self._began)
            payload = {"url": progress.url, "title": progress.title}
            self._tell(FETCH, payload, label=progress.url, seconds=time.monotonic() - began)

    def answered(self, answer: "Answer") -> None:
        self._unread()
        usage = answer.usage
        payload = {
            "text": answer.text,
            "sources": [
                {"number": each.number, "title": each.title, "url": each.url} for each in answer.sources
            ],
            "files": [{"name": file.file_name, "bytes": file.size_bytes} for file in answer.files],
            "undone": list(answer.undone),
            "offline": answer.offline,
            "usage": {
                "calls": usage.calls,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
            },
        }
        self._close(payload)

    def failed(self, reason: str) -> None:
        self._unread()
        self._close({"error": reason}, error=reason)

    def _close(self, payload: Any, error: str = "") -> None:
        """The end of it all, which stands last though it began first."""
        self._tell(WRITE, payload, seconds=time.monotonic() - self._began, error=error, closing=True)

    def _unread(self) -> None:
        """What was opened and never read."""
        for url, began in self._fetching.items():
            self._tell(FETCH, {"url": url}, label=url, seconds=time.monotonic() - began, error="not_read")
        self._fetching.clear()

    def _likely(self, url: str) -> str:
        """The address that was opened; a redirect gives the page another one."""
        return url if url in self._fetching else next(iter(self._fetching), url)

    def _tell(self, name: str, payload: Any, **fields: Any) -> None:
        self._note("tool", name=name, key=self._request.correlation_id, payload=payload, **fields)
