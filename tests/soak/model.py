"""The stub model: reads the page that a question names, exports its table where that is wanted, and answers.

What it says follows from what reaches it, so that a question that is asked again is answered again.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping

from tests.fakes.claude import Asked, FakeClaude
from tests.fakes.search_results import blocks, search_results
from tests.fakes.turns import (
    Reply,
    Turn,
    break_midway,
    call,
    cite,
    corrupted,
    error_event,
    fail,
    malformed,
    no_json,
    say,
    stall_midway,
)
from tests.fakes.wires import Wire
from tests.soak.questions import draw, number_in, weighted

FAULTS: Mapping[str, tuple[int, Callable[[Reply], Turn]]] = {
    "": (180, lambda reply: reply),
    "overloaded (529)": (8, lambda _: fail(529, retry_after=0.5)),
    "rate limit (429)": (2, lambda _: fail(429, retry_after=1)),
    "error (500)": (2, lambda _: fail(500, retry_after=0.2)),
    "stream cut": (3, lambda reply: break_midway(reply, after=3)),
    "stream ends early": (2, lambda reply: break_midway(reply, after=3, cleanly=True)),
    "error in the stream": (2, lambda reply: error_event(reply, after=2)),
    "event is no JSON": (1, lambda reply: malformed(reply, after=1)),
    "bytes are no event": (1, lambda reply: corrupted(reply, after=1)),
    "stream stalls": (1, lambda reply: stall_midway(reply, after=2)),
    "page instead of JSON": (1, lambda _: no_json()),
}
"""What befalls a request, with its weight."""
SHORT = "**コーヒー豆**は1袋1,200円で、送料は無料です。詳しくは出典をご覧ください。"
LONG = "\n\n".join(f"{part}. {SHORT * 10}" for part in range(1, 36))
"""More than one message of Slack's takes."""


class SoakClaude(FakeClaude):
    """Never at the end of its script."""

    def __init__(self, seed: int, teams: int) -> None:
        super().__init__()
        self.faults: Counter[str] = Counter()
        self._seed = seed
        self._teams = teams
        self._asked: Counter[int] = Counter()

    def forget(self) -> None:
        """Lets go of what a test would look at; hours of it do not fit in memory.

        The calls that were issued are small, and stay: the ids of two conversations are the same, so a
        conversation whose own call is forgotten would be taken for a changed one.
        """
        self._requests.clear()
        self._cache.clear()
        self._paused.clear()

    def _turn_for(self, asked: Asked, wire: Wire) -> Turn:
        if not self._turns:
            self.script(self._turn)
        return super()._turn_for(asked, wire)

    def _turn(self, asked: Asked) -> Turn:
        number = number_in(asked.text)
        if number is None:
            return say("リンクを添えてご質問ください。")
        self._asked[number] += 1
        chance = random.Random(f"{self._seed}/model/{number}/{self._asked[number]}")
        fault = weighted(chance, {name: weight for name, (weight, _) in FAULTS.items()})
        if fault:
            self.faults[f"model: {fault}"] += 1
        return FAULTS[fault][1](self._reply(asked, number))

    def _reply(self, asked: Asked, number: int) -> Reply:
        question = draw(self._seed, number, self._teams)
        results = blocks(asked.json["messages"][-1]["content"])
        tools = [each for each in results if each["type"] == "tool_result"]
        if not tools:
            return call("fetch_url", {"url": question.url})
        if any(each.get("is_error") for each in tools) or not list(search_results(asked.json)):
            return say("申し訳ありませんが、ページを読み取れませんでした。")
        if question.wants_file and list(search_results({"messages": asked.json["messages"][-1:]})):
            return call("export_table", {"url": question.url, "table": 1, "format": "csv"})
        return say(LONG if question.wants_much else SHORT, citations=[cite(0)])
