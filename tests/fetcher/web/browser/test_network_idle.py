"""When a page has nothing on its way any more."""

import asyncio

import pytest

from fetcher.web.browser.network_idle import NetworkActivity
from tests.fakes.skipping_loop import SkippingLoop


@pytest.fixture
def clock():
    loop = SkippingLoop()
    yield loop
    loop.close()


def test_idle_is_half_a_second_after_the_last_answer(clock):
    """SRD FR-WF-11e."""

    async def story():
        activity = NetworkActivity()
        activity.document_loaded()
        with activity.request():
            await asyncio.sleep(3)
        await activity.wait_until_idle()
        return clock.time()

    assert clock.run_until_complete(story()) == pytest.approx(3.5)


def test_a_request_within_the_quiet_begins_it_anew(clock):
    async def story():
        activity = NetworkActivity()
        activity.document_loaded()
        idle = asyncio.create_task(activity.wait_until_idle())
        await asyncio.sleep(0.4)
        with activity.request():
            await asyncio.sleep(0.4)
        await asyncio.sleep(0.4)
        with activity.request():
            assert not idle.done()
        await idle
        return clock.time()

    assert clock.run_until_complete(story()) == pytest.approx(1.7)


def test_a_document_that_is_not_loaded_is_not_idle(clock):
    """However quiet the network is; a document that takes its place begins anew."""

    async def story():
        activity = NetworkActivity()
        idle = asyncio.create_task(activity.wait_until_idle())
        await asyncio.sleep(2)
        activity.document_loaded()
        await asyncio.sleep(0.3)
        activity.document_requested()
        await asyncio.sleep(5)
        assert not idle.done()
        activity.document_loaded()
        await idle
        return clock.time()

    assert clock.run_until_complete(story()) == pytest.approx(7.8)


def test_requests_side_by_side_all_count(clock):
    async def story():
        activity = NetworkActivity()
        activity.document_loaded()

        async def request(seconds):
            with activity.request():
                await asyncio.sleep(seconds)

        requests = [asyncio.create_task(request(seconds)) for seconds in (1, 2, 3)]
        await asyncio.sleep(0)
        await activity.wait_until_idle()
        assert all(task.done() for task in requests)
        return clock.time()

    assert clock.run_until_complete(story()) == pytest.approx(3.5)
