"""Calls, tokens and time to the first word of a question, with links read ahead and without.

The model is a stub that waits as a model would, ten times faster: it thinks, reads and writes. The figures
of `Pace` are assumptions; no model was measured. The other way is the same code with
`agent_prefetch_links=0`, which fetches by tool calls alone.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from bench.fetching import HOST, Loopback, serve_pages
from bench.reading import CORPUS, pages
from fetcher.agent import AskRequest, Progress, Step, open_agent
from fetcher.agent.model.contract import Arrival, Block, ModelCall, ModelTurn, OnArrival
from fetcher.agent.values import Usage
from fetcher.settings import AgentSettings, Settings, WebFetchSettings
from fetcher.web.output.tokens import count
from fetcher.web.pipeline import Pipeline

SHOWN_BEFORE = 14_000
"""Characters of a page that the model was shown before links were read ahead."""
FASTER = 10
ANSWER = "The page says this, in a sentence of some length.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds of a model, as assumed here."""

    first: float = 0.9
    """From the request to the first token."""
    thought: float = 1.0
    """At medium effort, for an easy question."""
    per_read_token: float = 1 / 25_000
    per_written_token: float = 1 / 70


class SlowModel:
    """Reads the page with a tool if it is not there, and answers."""

    def __init__(self, url: str, pace: Pace) -> None:
        self._url = url
        self._pace = pace
        self.calls = 0
        self.sent = 0
        self.waited = 0.0
        """Seconds at its own pace; it waits a tenth of them."""
        self.saw_all = True
        """Whether it was shown the whole page."""

    async def turn(self, call: ModelCall, on_arrival: OnArrival) -> ModelTurn:
        self.calls += 1
        size = count(json.dumps([call.system, call.tools, call.messages], ensure_ascii=False))
        self.sent += size
        self.saw_all = self.saw_all and "The page continues at" not in json.dumps(call.messages)
        await self._wait(self._pace.first + self._pace.thought + size * self._pace.per_read_token)
        if "search_result" not in json.dumps(call.messages):
            use = {"type": "tool_use", "id": "t1", "name": "fetch_url", "input": {"url": self._url}}
            await self._wait(count(json.dumps(use)) * self._pace.per_written_token)
            return ModelTurn(content=(use,), stop_reason="tool_use", usage=Usage(calls=1))
        content: tuple[Block, ...] = ({"type": "text", "text": ANSWER},)
        await self._wait(count(ANSWER) * self._pace.per_written_token)
        on_arrival(Arrival(text=ANSWER, content=lambda: content))
        return ModelTurn(content=content, stop_reason="end_turn", usage=Usage(calls=1))

    async def _wait(self, seconds: float) -> None:
        self.waited += seconds
        await asyncio.sleep(seconds / FASTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    calls: int
    sent: int
    first_word: float
    """Seconds at the pace of `Pace`."""


def report() -> str:
    """A Markdown table: today's way against the loop that fetches by tool calls alone."""
    if not CORPUS.exists():
        return f"The pages of {CORPUS.name} are not here: nothing was measured."
    chosen = [page for number, page in enumerate(pages()) if number % 21 == 0]
    with serve_pages([html for html, _ in chosen]) as web:
        before, now = asyncio.run(_measure(web, len(chosen)))
    words = [new.first_word / old.first_word for old, new in zip(before, now, strict=True)]
    sent = sum(new.sent for new in now) / sum(old.sent for old in before)
    calls = mean(new.calls for new in now) / mean(old.calls for old in before)
    return "\n".join(
        [
            f"| {len(now)} questions about one page | calls | tokens sent | seconds to the first word |",
            "|---|--:|--:|--:|",
            _row("links read ahead", now),
            _row("by tool calls alone", before),
            f"| ratio | {calls:.2f} | {sent:.2f} | {median(words):.2f} (worst {max(words):.2f}) |",
            "",
            f"Of {len(chosen)} pages {len(now)} have at most {SHOWN_BEFORE:,} characters, shown whole.",
        ]
    )


async def _measure(web: int, number: int) -> tuple[list[Asked], list[Asked]]:
    """Each question twice: without reading ahead, and with it; the cache is off."""
    network = Loopback(web)
    settings = Settings(webfetch=WebFetchSettings(enabled=True, cache_dir=""))
    pipeline = Pipeline(settings, resolver=network, dialer=network)
    before, now = [], []
    for page in range(number):
        url = f"http://{HOST}/{page}"
        plain = await _ask(url, pipeline, settings, links=0)
        ahead = await _ask(url, pipeline, settings, links=3)
        if plain and ahead:
            before.append(plain)
            now.append(ahead)
    return before, now


async def _ask(url: str, pipeline: Pipeline, settings: Settings, *, links: int) -> Asked | None:
    """One question; None where the page is longer than was shown before."""
    model = SlowModel(url, Pace())
    chosen = AgentSettings.model_validate({"agent_prefetch_links": links, "agent_page_chars": SHOWN_BEFORE})
    agent = open_agent(chosen, settings, pipeline=pipeline, model=model)
    words: list[float] = []
    started = time.perf_counter()

    def watch(progress: Progress) -> None:
        """The model's own time counts as it would be, all other time as it is."""
        if progress.step is Step.WRITING:
            spent = time.perf_counter() - started
            words.append(spent - model.waited / FASTER + model.waited)

    answer = await agent.ask(AskRequest(question=f"{url} what does it say?"), watch)
    if answer.offline or not words or not model.saw_all:
        return None
    return Asked(calls=model.calls, sent=model.sent, first_word=words[0])


def _row(name: str, asked: Sequence[Asked]) -> str:
    calls, sent = mean(each.calls for each in asked), sum(each.sent for each in asked)
    return f"| {name} | {calls:.1f} | {sent:,} | {median(each.first_word for each in asked):.2f} |"


if __name__ == "__main__":
    print(report())
