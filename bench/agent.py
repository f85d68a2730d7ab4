"""The processor time of a question, and how much of a page is sent to the model."""

import asyncio
import json
import time
from multiprocessing.connection import Connection
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.fetching import HOST, Loopback, in_a_process, serve_pages
from bench.figures import spread
from bench.reading import CORPUS, pages
from fetcher.agent import AskRequest, open_agent
from fetcher.agent.model.contract import ModelCall, ModelTurn
from fetcher.settings import AgentSettings, Settings, WebFetchSettings
from fetcher.web.output.tokens import count
from fetcher.web.pipeline import Pipeline
from fetcher.web.reading.readers import srd_markdown
from tests.fakes.claude import FakeClaude
from tests.fakes.turns import call, cite, say

QUESTIONS = 20
SECOND_CALL: list[Any] = [{"role": "user", "content": [{"type": "text", "text": "x " * 6000}]}]
URL = f"http://{HOST}/0"
ANSWER = "The page says this, in a sentence of some length, which is streamed in small pieces. " * 5


def report() -> str:
    """Two Markdown tables: milliseconds of processor time, and tokens."""
    if not CORPUS.exists():
        return f"The pages of {CORPUS.name} are not here: nothing was measured."
    html = [next(html for html, _ in pages())]
    with serve_pages(html) as web, in_a_process(_serve_claude) as address, TemporaryDirectory() as directory:
        asked = asyncio.run(_measure_cost(web, address, directory))
    ours, bare = (median(run[side] for run in asked) for side in (0, 1))
    ratios = [run[0] / run[1] for run in asked]
    chosen = [page for number, page in enumerate(pages()) if number % 21 == 0]
    with serve_pages([html for html, _ in chosen]) as web:
        rows = asyncio.run(_measure_tokens(web, chosen))
    sent, text, source = (sum(row[side] for row in rows) for side in range(3))
    return "\n".join(
        [
            "| a question of two calls and a cached page | ms of CPU | of the bare SDK's | spread |",
            "|---|--:|--:|---|",
            f"| this project | {ours * 1000:.1f} | {ours / bare:.2f} | {spread(ratios)} |",
            f"| the SDK alone, same calls | {bare * 1000:.1f} | 1.00 | |",
            "",
            f"| {len(rows)} questions, a page each | tokens | sent as a part of it |",
            "|---|--:|--:|",
            f"| sent to the model | {sent:,} | 1.00 |",
            f"| the pages' whole text | {text:,} | {sent / text:.2f} |",
            f"| the pages' whole HTML | {source:,} | {sent / source:.3f} |",
        ]
    )


async def _measure_cost(web: int, address: str, directory: str) -> list[tuple[float, float]]:
    """Processor seconds of whole questions and of the SDK's calls alone, in turns."""
    network = Loopback(web)
    settings = Settings(webfetch=WebFetchSettings(enabled=True, cache_dir=directory))
    pipeline = Pipeline(settings, resolver=network, dialer=network)
    chosen = AgentSettings.model_validate(
        {"anthropic_api_key": "k", "anthropic_base_url": address, "agent_prefetch_links": 0}
    )
    agent = open_agent(chosen, settings, pipeline=pipeline)
    runs = []
    for _ in range(QUESTIONS + 1):
        started = time.process_time()
        await agent.ask(AskRequest(question=f"{URL} what does it say?"))
        ours = time.process_time() - started
        runs.append((ours, await _call_bare(address)))
    return runs[1:]  # the first imports the SDK and fills the cache


async def _call_bare(address: str) -> float:
    """Processor seconds of the same two streamed calls, of the same size, with nothing around them."""
    from anthropic import AsyncAnthropic

    messages: list[Any] = [{"role": "user", "content": f"{URL} what does it say?"}]
    async with AsyncAnthropic(api_key="k", base_url=address) as client:
        started = time.process_time()
        for body in (messages, SECOND_CALL):
            async with client.messages.stream(
                model="claude-sonnet-5-5", max_tokens=4096, messages=body
            ) as stream:
                await stream.get_final_message()
        return time.process_time() - started


def _serve_claude(pipe: Connection) -> None:
    with FakeClaude() as claude:
        asked = [call("fetch_url", {"url": URL}), say(ANSWER, citations=[cite(0, 0, 1)])]
        alone = [call("fetch_url", {"url": URL}), say(ANSWER)]
        claude.script(*(asked + alone) * (QUESTIONS + 1))
        pipe.send(claude.url)
        pipe.recv()


class Counting:
    """A model that reads one page, answers, and counts what it was sent."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.sent = 0

    async def turn(self, call: ModelCall, on_arrival: object) -> ModelTurn:
        self.sent = count(json.dumps(call.messages, ensure_ascii=False))
        if "search_result" not in json.dumps(call.messages):
            use = {"type": "tool_use", "id": "t1", "name": "fetch_url", "input": {"url": self._url}}
            return ModelTurn(content=(use,), stop_reason="tool_use")
        return ModelTurn(content=({"type": "text", "text": "Done."},), stop_reason="end_turn")


async def _measure_tokens(web: int, chosen: list[tuple[bytes, str]]) -> list[tuple[int, int, int]]:
    network = Loopback(web)
    settings = Settings(webfetch=WebFetchSettings(enabled=True, cache_dir=""))
    pipeline = Pipeline(settings, resolver=network, dialer=network)
    rows = []
    for number, (html, url) in enumerate(chosen):
        model = Counting(f"http://{HOST}/{number}")
        agent = open_agent(AgentSettings(), settings, pipeline=pipeline, model=model)
        await agent.ask(AskRequest(question=f"http://{HOST}/{number} what does it say?"))
        whole = html.decode("utf-8", "replace")
        rows.append((model.sent, count(srd_markdown(html, url)), count(whole)))
    return rows


if __name__ == "__main__":
    print(report())
