"""What a page may load besides itself."""

import logging

import pytest

from fetcher.web.browser import budget as budget_module
from fetcher.web.browser.budget import ResourceBudget
from fetcher.web.errors import ResponseTooLarge


def test_a_resource_gets_what_is_left_and_no_more_than_each_may_have():
    budget = ResourceBudget(each=100, total=250)
    assert budget.allowance == 100
    budget.spend(100)
    budget.spend(100)
    assert budget.allowance == 50
    budget.spend(50)
    assert budget.exhausted


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


def test_resources_that_arrive_together_share_what_is_left():
    budget = ResourceBudget(each=100, total=150)
    budget.spend(80)
    with pytest.raises(ResponseTooLarge) as refused:
        budget.spend(80)
    budget.record_too_large(refused.value)
    assert budget.exhausted


def test_requests_are_counted_too(monkeypatch, caplog):
    monkeypatch.setattr(budget_module, "MOST_REQUESTS", 2)
    budget = ResourceBudget(each=1, total=1)
    with caplog.at_level(logging.WARNING):
        assert [budget.admit_request() for _ in range(4)] == [True, True, False, False]
    assert caplog.text.count("browser_request_limit") == 1
