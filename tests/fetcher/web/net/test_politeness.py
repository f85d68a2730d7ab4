"""One host gets at most two requests at a time; other hosts do not wait for it."""

import asyncio

from fetcher.web.net.politeness import HostSlots


def test_at_most_two_hold_a_hosts_slots_and_the_next_follows_in_turn():
    """E27."""

    async def story():
        slots, inside, order, most = HostSlots(), 0, [], 0

        async def request(number):
            nonlocal inside, most
            async with slots.hold("shop.example"):
                inside += 1
                most = max(most, inside)
                order.append(number)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*(request(number) for number in range(6)))
        return most, order

    assert asyncio.run(story()) == (2, [0, 1, 2, 3, 4, 5])


def test_another_host_is_not_held_up():
    async def story():
        slots = HostSlots(limit=1)
        async with slots.hold("a.example"), slots.hold("b.example"):
            return "both"

    assert asyncio.run(story()) == "both"


def test_nothing_is_kept_of_a_host_that_nobody_uses():
    async def story():
        slots = HostSlots()
        async with slots.hold("a.example"):
            pass
        return vars(slots)["_slots"], vars(slots)["_users"]

    assert asyncio.run(story()) == ({}, {})


def test_a_cancelled_wait_gives_its_place_up():
    async def story():
        slots = HostSlots(limit=1)
        async with slots.hold("a.example"):
            waiting = asyncio.create_task(slots.hold("a.example").__aenter__())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(1), slots.hold("a.example"):
            return "free again"

    assert asyncio.run(story()) == "free again"
