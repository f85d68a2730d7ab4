"""The requests of one page, once it is read."""

import asyncio
from types import SimpleNamespace
from typing import Any

from fetcher.web.browser.budget import ResourceBudget
from fetcher.web.browser.first_error import FirstError
from fetcher.web.browser.interception import Interception
from fetcher.web.browser.network_idle import NetworkActivity


class FakePipe:
    """Delivers events and keeps what is told."""

    def __init__(self) -> None:
        self.handlers: dict[str, Any] = {}
        self.refused: list[tuple[str, str]] = []

    def on(self, event, handler):
        self.handlers[event] = handler

    async def call(self, method, params):
        return {}

    def send(self, method, params):
        assert method == "Fetch.failRequest"
        self.refused.append((params["requestId"], params["errorReason"]))

    def pause(self, number):
        request = {"url": f"http://a.example/{number}", "method": "GET", "headers": {}}
        params = {"requestId": number, "request": request, "resourceType": "XHR"}
        self.handlers["Fetch.requestPaused"](params)


class HangingLoader:
    """Counts what it is asked for, and never has it."""

    asked = 0

    def may_load(self, url):
        return True

    async def load(self, *_, **__):
        self.asked += 1
        await asyncio.Event().wait()


def test_nothing_is_asked_for_once_a_page_is_read():
    """What is under way fails, so that no script waits for it; what comes later is not even begun."""
    pipe: Any = FakePipe()
    loader: Any = HangingLoader()
    rules: Any = SimpleNamespace(blocked_kinds=frozenset(), whole=None)

    async def story():
        interception = Interception(
            pipe=pipe,
            loader=loader,
            activity=NetworkActivity(),
            budget=ResourceBudget(each=100, total=100),
            rules=rules,
            first_error=FirstError(),
        )
        await interception.begin()
        pipe.pause("1")
        await asyncio.sleep(0)
        await interception.end()
        pipe.pause("2")
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(story())
    assert pipe.refused == [("1", "Failed"), ("2", "Failed")]
    assert loader.asked == 1
