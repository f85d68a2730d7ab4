"""The system's side of the two seams."""

import asyncio
import socket
import threading
from ipaddress import ip_address

import pytest

from fetcher.web.net import network
from fetcher.web.net.network import SystemResolver


def test_a_name_has_its_addresses():
    assert ip_address("127.0.0.1") in asyncio.run(SystemResolver().resolve("127.0.0.1"))


def test_a_failure_is_an_oserror(monkeypatch):
    def fail(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(socket.gaierror):
        asyncio.run(SystemResolver().resolve("nowhere.example"))


def test_without_a_route_to_the_internet_nothing_is_said_of_the_name(monkeypatch):
    """The system's resolver may say that there is no such name; it could not ask."""

    def fail(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    for routes, number in (
        ([None, ip_address("192.0.2.7")], socket.EAI_NONAME),
        ([None, None], socket.EAI_AGAIN),
    ):
        sources = iter(routes)
        monkeypatch.setattr(network, "_source_towards", lambda _, sources=sources: next(sources))
        with pytest.raises(socket.gaierror) as failure:
            asyncio.run(SystemResolver().resolve("shop.example"))
        assert failure.value.errno == number


def test_a_thread_that_cannot_be_had_is_an_oserror_and_costs_no_place(monkeypatch):
    resolver = SystemResolver(most_at_once=1)
    monkeypatch.setattr(threading.Thread, "start", _no_more_threads)
    with pytest.raises(OSError, match="no thread"):
        asyncio.run(resolver.resolve("127.0.0.1"))
    monkeypatch.undo()
    assert asyncio.run(resolver.resolve("127.0.0.1"))


def _no_more_threads(_):
    raise RuntimeError("can't start new thread")


def test_questions_that_hang_hold_nobody_up(monkeypatch):
    """Neither other work in threads, nor the end of the loop; beyond a number they are refused."""
    asked, release = threading.Semaphore(0), threading.Event()

    def hang(*_, **__):
        asked.release()
        release.wait(60)

    monkeypatch.setattr(socket, "getaddrinfo", hang)

    async def story():
        resolver = SystemResolver(most_at_once=40)
        tasks = [asyncio.create_task(resolver.resolve("slow.example")) for _ in range(40)]
        await asyncio.sleep(0)
        with pytest.raises(OSError, match="too many"):
            await resolver.resolve("one.more.example")
        async with asyncio.timeout(5):
            await asyncio.to_thread(int)
        for _ in tasks:  # none of them asks the real system later
            assert await asyncio.to_thread(asked.acquire, timeout=60)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(story())
    release.set()
