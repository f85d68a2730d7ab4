"""One budget covers everything, and a timeout says what it interrupted."""

import asyncio

import pytest

from fetcher.web.errors import Timeout
from fetcher.web.net.deadline import Deadline


def test_a_block_is_cancelled_at_the_deadline_and_names_its_phase():
    async def story():
        deadline = Deadline(0.01)
        async with deadline.phase("dns"):
            await asyncio.Event().wait()

    with pytest.raises(Timeout) as late:
        asyncio.run(story())
    assert late.value.details == {"timeout_ms": 10, "phase": "dns"}


def test_the_budget_is_not_renewed_by_a_new_phase():
    """SRD FR-WF-TIMEOUT-02."""

    async def story():
        deadline = Deadline(0.01)
        with pytest.raises(Timeout):
            async with deadline.phase("dns"):
                await asyncio.Event().wait()
        assert deadline.remaining == 0
        async with deadline.phase("body"):
            await asyncio.Event().wait()

    with pytest.raises(Timeout, match="too long"):
        asyncio.run(story())


def test_another_timeout_inside_a_phase_stays_what_it_is():
    async def story():
        async with Deadline(5).phase("connect"):
            raise TimeoutError("the peer's")

    with pytest.raises(TimeoutError, match="the peer's"):
        asyncio.run(story())


def test_a_cancelled_caller_is_cancelled_and_not_timed_out():
    async def story():
        async with Deadline(5).phase("connect"):
            await asyncio.Event().wait()

    async def cancel():
        task = asyncio.create_task(story())
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())


def test_a_preliminary_gets_half_of_what_is_left():
    async def story():
        return Deadline(8).half().remaining

    assert 3.9 < asyncio.run(story()) <= 4


def test_a_timeout_tells_the_whole_budget_in_milliseconds():
    """SRD §3.7.2: `timeout_ms` and `phase`."""

    async def story():
        return Deadline(20).expired("body").details

    assert asyncio.run(story()) == {"timeout_ms": 20_000, "phase": "body"}
