"""How many questions at a time."""

import asyncio

import pytest

from fetcher.a2a.tasks.capacity import Capacity, NoCapacity
from tests.fakes.clock import FakeClock


def test_questions_are_admitted_up_to_the_bound_and_again_after_one_ends():
    capacity = Capacity(2, FakeClock())
    with capacity.take(), capacity.take(), pytest.raises(NoCapacity):
        capacity.take()
    with capacity.take():
        pass


def test_a_question_that_fails_frees_its_capacity():
    capacity = Capacity(1, FakeClock())
    with pytest.raises(ValueError, match="x"), capacity.take():
        raise ValueError("x")
    assert capacity.health["status"] == "Healthy"


def test_after_closing_no_question_is_admitted_and_those_that_run_go_on():
    capacity = Capacity(2, FakeClock())
    with capacity.take():
        capacity.close()
        assert capacity.health["status"] == "HealthyBusy"
        with pytest.raises(NoCapacity):
            capacity.take()


def test_health_tells_when_it_last_changed(clock):
    capacity = Capacity(2, clock)
    started = capacity.health["time_of_last_update"]
    clock.advance(5)
    assert capacity.health["time_of_last_update"] == started
    with capacity.take():
        assert capacity.health == {"status": "HealthyBusy", "time_of_last_update": started + 5}
        clock.advance(5)
    assert capacity.health == {"status": "Healthy", "time_of_last_update": started + 10}


@pytest.mark.parametrize(("leave", "left"), [(True, True), (False, False)])
def test_one_can_wait_for_the_last_to_leave(leave, left):
    async def story():
        capacity = Capacity(1, FakeClock())
        taken = capacity.take()
        taken.__enter__()
        waiting = asyncio.create_task(capacity.wait_until_free(0.01 if not leave else 5))
        await asyncio.sleep(0)
        if leave:
            taken.__exit__(None, None, None)
        return await waiting

    assert asyncio.run(story()) is left
