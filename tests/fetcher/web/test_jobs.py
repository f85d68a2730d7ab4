"""One fetch on its way: reading beside the loop, for as long as there is time."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from fetcher.web.canonical import canonicalise
from fetcher.web.deadline import Deadline
from fetcher.web.errors import ExtractionFailed, Timeout
from fetcher.web.jobs import Job
from tests.engine import want

URL = "http://shop.example/"
NOBODY: Any = None
"""Nothing is asked for here, so that nothing has to be guarded."""


@pytest.mark.parametrize(
    ("others", "error", "details"),
    [
        (0, ExtractionFailed, {"error": "the page could not be read in the time that was left"}),
        (1, Timeout, {"timeout_ms": 50, "phase": "reading"}),
    ],
)
def test_a_page_is_blamed_only_for_its_own_reading(others, error, details):
    """E21: being read when the time is up is a fault of the page, waiting for a thread is none."""
    release = threading.Event()

    async def story():
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        for _ in range(others):
            loop.run_in_executor(None, release.wait)
        try:
            job = Job(text=URL, url=canonicalise(URL), want=want(), guard=NOBODY, deadline=Deadline(0.05))
            await job.in_thread(release.wait)
        finally:
            release.set()

    with pytest.raises(error) as late:
        asyncio.run(story())
    assert late.value.details == details
