"""The gate that holds answers back."""

import asyncio

from tests.fakes.answers import answer
from tests.fakes.client import get
from tests.fakes.gate import Gate

URL = "http://shop.example/"


def test_answers_are_held_until_the_gate_opens(internet):
    """Requests stand before a closed gate, are counted, and go on together."""
    gate = Gate()
    internet.route(URL, gate.before(answer("hello")))

    async def run():
        asking = [asyncio.create_task(get(internet, URL)) for _ in range(3)]
        assert await asyncio.to_thread(gate.wait_until_held, 3)
        assert not any(task.done() for task in asking)
        gate.open()
        return [response.content for response in await asyncio.gather(*asking)]

    assert asyncio.run(run()) == [b"hello"] * 3
    assert gate.held == 0


def test_an_open_gate_holds_nothing(internet):
    """A gate once opened lets later requests through."""
    gate = Gate()
    gate.open()
    internet.route(URL, gate.before(answer("hello")))
    assert asyncio.run(get(internet, URL)).content == b"hello"


def test_waiting_for_requests_that_do_not_come_ends():
    """The wait gives up after its time."""
    assert not Gate().wait_until_held(1, within=0.01)


def test_a_client_that_gives_up_leaves_the_gate(internet):
    """A request whose client hangs up is no longer held."""
    gate = Gate()
    internet.route(URL, gate.before(answer("hello")))

    async def run():
        asking = asyncio.create_task(get(internet, URL))
        assert await asyncio.to_thread(gate.wait_until_held, 1)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    asyncio.run(run())
    assert internet.web.all_hung_up()
    assert gate.held == 0
