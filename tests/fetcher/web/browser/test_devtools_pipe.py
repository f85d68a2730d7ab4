"""The DevTools protocol over a pair of pipes."""

import asyncio
import json
import os
from contextlib import asynccontextmanager

import pytest

from fetcher.web.browser import devtools_pipe as pipe_module
from fetcher.web.browser.devtools_pipe import CommandFailed, DevToolsPipe
from fetcher.web.browser.process import Chromium


class Peer:
    """The browser's side, played by the test."""

    def __init__(self, reading, writing):
        self._reading = reading
        self._writing = writing

    async def hear(self):
        text = b""
        while not text.endswith(b"\0"):
            text += await asyncio.to_thread(os.read, self._reading, 65_536)
        return [json.loads(part) for part in text.split(b"\0")[:-1]]

    def say(self, data):
        os.write(self._writing, data)

    def hang_up(self):
        os.close(self._writing)


@asynccontextmanager
async def connected(lost=lambda _: None):
    from_us, we_write = os.pipe()
    we_read, to_us = os.pipe()
    pipe = DevToolsPipe(lost, largest_document=100)
    await pipe.connect(Chromium(pid=0, reading=we_read, writing=we_write))
    try:
        yield pipe, Peer(from_us, to_us)
    finally:
        pipe.close()
        await asyncio.sleep(0)
        os.close(from_us)


def message(**fields):
    return json.dumps(fields).encode() + b"\0"


def test_calls_get_their_own_answers():
    """Whatever the order in which they come."""

    async def story():
        async with connected() as (pipe, peer):
            calls = [asyncio.create_task(pipe.call(name, {"n": 1}, session="S")) for name in ("A.a", "B.b")]
            await asyncio.sleep(0)
            first, second = await peer.hear()
            assert first == {"id": first["id"], "method": "A.a", "params": {"n": 1}, "sessionId": "S"}
            peer.say(message(id=second["id"], result={"b": 2}) + message(id=first["id"], result={"a": 1}))
            assert await asyncio.gather(*calls) == [{"a": 1}, {"b": 2}]
            peer.hang_up()

    asyncio.run(story())


def test_an_error_is_raised_with_its_message():
    async def story():
        async with connected() as (pipe, peer):
            call = asyncio.create_task(pipe.call("A.a"))
            await asyncio.sleep(0)
            [asked] = await peer.hear()
            peer.say(message(id=asked["id"], error={"code": -32000, "message": "Invalid InterceptionId."}))
            with pytest.raises(CommandFailed, match="Invalid InterceptionId"):
                await call
            peer.hang_up()

    asyncio.run(story())


def test_events_reach_the_handler_of_their_session():
    """Pieces that stop anywhere are put together; what nobody handles is passed over."""
    heard: list[tuple[str, object]] = []

    async def story():
        async with connected() as (pipe, peer):
            done = asyncio.Event()
            pipe.on("Fetch.requestPaused", lambda params: heard.append(("root", params)))

            def last(params):
                heard.append(("page", params))
                done.set()

            pipe.on("Page.x", last, session="S")
            text = (
                message(method="Page.x", params={"n": 0})
                + message(method="Other.event", params={})
                + message(method="Fetch.requestPaused", params={"url": "あ"})
                + message(method="Page.x", params={"n": 1}, sessionId="S")
            )
            for at in range(0, len(text), 7):
                peer.say(text[at : at + 7])
            await done.wait()
            peer.hang_up()

    asyncio.run(story())
    assert heard == [("root", {"url": "あ"}), ("page", {"n": 1})]


def test_the_end_of_the_browser_is_told_once():
    async def story():
        ended = asyncio.get_running_loop().create_future()
        async with connected(ended.set_result) as (_, peer):
            peer.hang_up()
            assert await asyncio.wait_for(ended, 60) == "the browser's process ended"

    asyncio.run(story())


def test_a_message_without_end_is_the_end(monkeypatch):
    """What a page has to send does not fill our memory; a document may come, every byte of it escaped."""
    monkeypatch.setattr(pipe_module, "LONGEST_EVENT", 1000)

    async def story():
        ended = asyncio.get_running_loop().create_future()
        async with connected(ended.set_result) as (pipe, peer):
            call = asyncio.create_task(pipe.call("A.a"))
            await asyncio.sleep(0)
            [asked] = await peer.hear()
            peer.say(message(id=asked["id"], result={"html": "\u0001" * 100}))
            assert await call == {"html": "\u0001" * 100}
            peer.say(b"x" * 1601)
            assert await asyncio.wait_for(ended, 60) == "the page said too much at once"
            peer.hang_up()

    asyncio.run(story())
