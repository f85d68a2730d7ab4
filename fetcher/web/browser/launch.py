"""Starts a Chromium for one rendering, connects to it, limits its memory, and ends it afterwards.

Callbacks and tasks report errors while it runs; the first one ends the rendering.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from fetcher.codes import RenderingMethod
from fetcher.web.browser import command_line, process
from fetcher.web.browser.devtools_pipe import CommandFailed, DevToolsPipe
from fetcher.web.browser.process import Chromium, create_profile
from fetcher.web.errors import BrowserCrashed, BrowserUnavailable
from fetcher.web.fetch_log import here

log = logging.getLogger(__name__)

OLDEST = 100
"""SRD FR-WF-11: the first version with a protocol that is stable enough."""
LONGEST_START = 15.0
MOST_MEMORY = 1536 * 1024 * 1024
"""Bytes that all processes of one rendering may hold; shared memory counts for each of them."""
LOOK_EVERY = 0.2
ERROR_FILE = "errors.log"

T = TypeVar("T")


class FirstError:
    """Takes errors from callbacks and tasks, and ends the work that they make pointless."""

    def __init__(self) -> None:
        self._first: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def report(self, error: BaseException) -> None:
        """Raise an error from `run`; later errors are dropped."""
        if not self._first.done():
            self._first.set_exception(error)
            self._first.exception()  # marks it as retrieved: an error may come after the work has ended

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the work and return its result; a reported error cancels the work and is raised."""
        task = asyncio.create_task(work)
        try:
            either: list[asyncio.Future[Any]] = [task, self._first]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self._first.done():
                self._first.result()
            return await task
        finally:
            task.cancel()
            self._first.cancel()
            await asyncio.gather(task, self._first, return_exceptions=True)


@asynccontextmanager
async def launch_chromium(
    binary: str, *, sandbox: bool, largest_document: int, first_error: FirstError
) -> AsyncIterator[DevToolsPipe]:
    """Start a browser and yield its pipe; at the end, its processes and files are removed."""
    confined = sandbox and not command_line.is_root()
    if not confined:
        log.info("browser_without_sandbox", extra=here(rendering_method=RenderingMethod.BROWSER))
    stack = ExitStack()
    try:
        # No `await` up to the inner `try`: a cancellation in between would leave a directory or a process.
        try:
            profile = stack.enter_context(create_profile())
            command = command_line.command(binary, profile, sandbox=confined)
            chromium = process.start(command, command_line.environment(profile), profile / ERROR_FILE)
        except OSError as error:  # a missing program, or no space, process or descriptor is left
            raise BrowserUnavailable(chromium_path=binary, error=f"it cannot be started: {error}") from error
        stack.callback(chromium.wait_until_gone)
        try:
            async with _connect(chromium, binary, profile, largest_document, first_error) as pipe:
                yield pipe
        finally:
            chromium.kill()
    finally:
        # Shielded: cancelling a fetch must not cancel the removal.
        await asyncio.shield(asyncio.to_thread(stack.close))


@asynccontextmanager
async def _connect(
    chromium: Chromium, binary: str, profile: Path, largest_document: int, first_error: FirstError
) -> AsyncIterator[DevToolsPipe]:
    """Connect to a browser, require its version, and limit its memory while the block runs."""
    ended = asyncio.Event()

    def lost(reason: str) -> None:
        # Reported even before the pipe is used: a browser may answer and end before its answer is read.
        first_error.report(BrowserCrashed(error=reason))
        ended.set()

    pipe = DevToolsPipe(lost, largest_document=largest_document)
    memory_limit = asyncio.create_task(_limit_memory(chromium, first_error))
    try:
        await pipe.connect(chromium)
        await _require_version(pipe, ended, binary, profile)
        yield pipe
    finally:
        memory_limit.cancel()
        pipe.close()


async def _require_version(pipe: DevToolsPipe, ended: asyncio.Event, binary: str, profile: Path) -> None:
    """Ask for the version, and wait until the browser answers."""
    version = asyncio.create_task(pipe.call("Browser.getVersion"))
    ending = asyncio.create_task(ended.wait())
    try:
        await asyncio.wait({version, ending}, timeout=LONGEST_START, return_when=asyncio.FIRST_COMPLETED)
        if not version.done():
            reason, printed = "it ended at once" if ended.is_set() else "it did not answer", ""
            with suppress(OSError):
                printed = (profile / ERROR_FILE).read_text("utf-8", "replace").strip()[-200:]
            raise BrowserUnavailable(
                chromium_path=binary, error=f"{reason}: {printed}" if printed else reason
            )
        product = str(version.result().get("product", ""))
    except CommandFailed:  # the program is not Chromium
        product = "This program"
    finally:
        version.cancel()
        ending.cancel()
    number = product.rpartition("/")[2].partition(".")[0]  # `HeadlessChrome/156.0.8078.79` → 156
    if not number.isdecimal() or int(number) < OLDEST:
        raise BrowserUnavailable(
            chromium_path=binary, error=f"{product} is too old: version {OLDEST} or newer is needed"
        )


async def _limit_memory(chromium: Chromium, first_error: FirstError) -> None:
    """End a browser that holds too much memory."""
    while True:
        await asyncio.sleep(LOOK_EVERY)
        held = chromium.resident
        if held > MOST_MEMORY:
            first_error.report(BrowserCrashed(error=f"the page held {held >> 20} MiB of memory"))
            chromium.kill()
            return
