"""How many questions at a time."""

import asyncio

import pytest

from fetcher.a2a.tasks.capacity import Capacity, NoCapacity
from tests.fakes.clock import FakeClock


def test_places_are_given_until_there_are_none_and_come_back():
    places = Capacity(2, FakeClock())
    with places.taken(), places.taken(), pytest.raises(NoCapacity):
        places.taken()
    with places.taken():
        pass


def test_a_place_comes_back_whatever_happens_in_it():
    places = Capacity(1, FakeClock())
    with pytest.raises(ValueError, match="x"), places.taken():
        raise ValueError("x")
    assert places.health["status"] == "Healthy"


def test_a_closed_door_gives_no_places_but_leaves_those_that_are_taken():
    places = Capacity(2, FakeClock())
    with places.taken():
        places.close()
        assert places.health["status"] == "HealthyBusy"
        with pytest.raises(NoCapacity):
            places.taken()


def test_health_tells_when_it_last_changed(clock):
    places = Capacity(2, clock)
    started = places.health["time_of_last_update"]
    clock.advance(5)
    assert places.health["time_of_last_update"] == started
    with places.taken():
        assert places.health == {"status": "HealthyBusy", "time_of_last_update": started + 5}
        clock.advance(5)
    assert places.health == {"status": "Healthy", "time_of_last_update": started + 10}


@pytest.mark.parametrize(("leave", "left"), [(True, True), (False, False)])
def test_one_can_wait_for_the_last_to_leave(leave, left):
    async def story():
        places = Capacity(1, FakeClock())
        place = places.taken()
        place.__enter__()
        waiting = asyncio.create_task(places.left(0.01 if not leave else 5))
        await asyncio.sleep(0)
        if leave:
            place.__exit__(None, None, None)
        return await waiting

    assert asyncio.run(story()) is left
