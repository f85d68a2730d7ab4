"""An agent that records its questions, fetches and answers for the developer panel."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from fetcher.agent import Answer, Answerer, AskRequest, Progress

ASK, SEARCH, FETCH, WRITE = "agent.ask", "search", "fetch", "agent.answer"


class Record(Protocol):
    def __call__(self, kind: str, **fields: Any) -> None:
        """Adds a record to the activity log."""


@dataclass(slots=True)
class WatchedAgent:
    """Answers as the inner agent does, and records the question, every fetch, and the answer."""

    inner: "Answerer"
    record: Record

    async def ask(self, request: "AskRequest", on_progress: "Callable[[Progress], None]") -> "Answer":
        recorder = _QuestionRecorder(request, self.record)

        def record_and_pass_on(progress: "Progress") -> None:
            recorder.record_progress(progress)
            on_progress(progress)

        recorder.record_question()
        try:
            answer = await self.inner.ask(request, record_and_pass_on)
        except asyncio.CancelledError:
            recorder.record_end({"error": "cancelled"}, error="cancelled")
            raise
        except Exception as error:
            reason = type(error).__name__
            recorder.record_end({"error": reason}, error=reason)
            raise
        recorder.record_answer(answer)
        return answer

    async def aclose(self) -> None:
        await self.inner.aclose()


@dataclass(slots=True)
class _QuestionRecorder:
    """Writes the records of one question."""

    request: "AskRequest"
    record: Record
    _began: float = field(default_factory=time.monotonic, init=False)
    _fetching: dict[str, float] = field(default_factory=dict, init=False)

    def record_question(self) -> None:
        request = self.request
        turns = [{"author": turn.author, "text": turn.text, "ours": turn.ours} for turn in request.history]
        payload = {"question": request.question, "links": list(request.links), "history": turns}
        self._add(ASK, payload, label=request.question)
        self._began = time.monotonic()  # later than the record, so that no fetch sorts before the question

    def record_progress(self, progress: "Progress") -> None:
        if progress.step == "searching":
            self._add(SEARCH, {"query": progress.title}, label=progress.title)
        elif progress.step == "fetching":
            self._fetching[progress.url] = time.monotonic()
        elif progress.step == "reading":
            # After a redirect the page has another address: take the oldest fetch then.
            url = progress.url if progress.url in self._fetching else next(iter(self._fetching), "")
            began = self._fetching.pop(url, self._began)
            payload = {"url": progress.url, "title": progress.title}
            self._add(FETCH, payload, label=progress.url, seconds=time.monotonic() - began)

    def record_answer(self, answer: "Answer") -> None:
        usage = answer.usage
        payload = {
            "text": answer.text,
            "sources": [
                {"number": each.number, "title": each.title, "url": each.url} for each in answer.sources
            ],
            "files": [{"name": file.file_name, "bytes": file.size_bytes} for file in answer.files],
            "searches": list(answer.searches),
            "undone": list(answer.undone),
            "offline": answer.offline,
            "usage": {
                "calls": usage.calls,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
            },
        }
        self.record_end(payload)

    def record_end(self, payload: Any, error: str = "") -> None:
        """Records fetches that were never read, then the end of the question."""
        for url, began in self._fetching.items():
            self._add(FETCH, {"url": url}, label=url, seconds=time.monotonic() - began, error="not_read")
        self._fetching.clear()
        self._add(WRITE, payload, seconds=time.monotonic() - self._began, error=error, closing=True)

    def _add(self, name: str, payload: Any, **fields: Any) -> None:
        self.record("tool", name=name, key=self.request.correlation_id, payload=payload, **fields)
