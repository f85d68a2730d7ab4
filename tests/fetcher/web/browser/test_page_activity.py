"""When a page has nothing on its way any more, and what it may load besides itself."""

import asyncio
import logging

import pytest

from fetcher.web.browser import page_activity
from fetcher.web.browser.page_activity import NetworkActivity, ResourceBudget
from fetcher.web.errors import ResponseTooLarge
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


def test_the_budget_is_there_to_its_last_byte():
    """SRD FR-WF-BROWSER-BUDGET-01: what is exceeded ends it, not what is used up to the limit."""
    budget = ResourceBudget(each=100, total=101)
    budget.spend(100)
    assert (budget.exhausted, budget.allowance) == (False, 1)
    budget.spend(1)
    assert (budget.exhausted, budget.allowance) == (True, 0)


def test_a_resource_over_its_own_limit_costs_the_others_nothing(caplog):
    budget = ResourceBudget(each=100, total=250)
    with caplog.at_level(logging.WARNING):
        budget.record_too_large(ResponseTooLarge(size=101, max_bytes=100))
    assert (budget.allowance, budget.exhausted) == (100, False)
    assert "browser_resource_too_large" in caplog.text


def test_a_resource_over_what_is_left_ends_the_budget_once(caplog):
    """SRD FR-WF-BROWSER-BUDGET-01: all that follow fail; one warning."""
    budget = ResourceBudget(each=100, total=150)
    budget.spend(100)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            budget.record_too_large(ResponseTooLarge(size=51, max_bytes=50))
    assert budget.exhausted
    assert caplog.text.count("browser_page_budget_exhausted") == 1


def test_requests_are_counted_too(monkeypatch, caplog):
    monkeypatch.setattr(page_activity, "MOST_REQUESTS", 2)
    budget = ResourceBudget(each=1, total=1)
    with caplog.at_level(logging.WARNING):
        assert [budget.admit_request() for _ in range(4)] == [True, True, False, False]
    assert caplog.text.count("browser_request_limit") == 1
