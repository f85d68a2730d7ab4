"""A Chromium for one rendering: started, connected, kept within its memory, and gone afterwards."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

from fetcher.codes import RenderingMethod
from fetcher.web.browser import flags, process
from fetcher.web.browser.devtools_pipe import DevToolsPipe, Refused
from fetcher.web.browser.first_error import FirstError
from fetcher.web.browser.process import Chromium
from fetcher.web.browser.profile import fresh_profile
from fetcher.web.errors import BrowserCrashed, BrowserUnavailable
from fetcher.web.fetch_log import here

log = logging.getLogger(__name__)

OLDEST = 100
"""SRD FR-WF-11: the first version whose protocol is stable enough."""
LONGEST_START = 15.0
MOST_MEMORY = 1536 * 1024 * 1024
"""Bytes that all processes of one rendering may hold; shared pages count for each."""
LOOK_EVERY = 0.2
LAST_WORDS = "errors.log"


@asynccontextmanager
async def launched(
    binary: str, *, sandbox: bool, largest_document: int, trouble: FirstError
) -> AsyncIterator[DevToolsPipe]:
    """A running browser's pipe; nothing of it is left when this exits."""
    stack = ExitStack()
    try:
        # In place, up to here: nothing may be cancelled between making a thing and knowing of it.
        profile, chromium = _started(binary, stack, sandbox=sandbox)
        try:
            connection = _connected(chromium, binary, profile, largest_document, trouble)
            async with connection as pipe:
                yield pipe
        finally:
            chromium.kill()
    finally:
        # Shielded: whoever cancels a fetch does not cancel the tidying up.
        await asyncio.shield(asyncio.to_thread(stack.close))


def _started(binary: str, stack: ExitStack, *, sandbox: bool) -> tuple[Path, Chromium]:
    """A profile and the browser that uses it; the stack ends both."""
    confined = sandbox and not flags.is_root()
    if not confined:
        log.info("browser_without_sandbox", extra=here(rendering_method=RenderingMethod.BROWSER))
    try:
        profile = stack.enter_context(fresh_profile())
        command = flags.command(binary, profile, sandbox=confined)
        chromium = process.start(command, flags.environment(profile), profile / LAST_WORDS)
    except OSError as error:  # no such program, no room for a profile, no process or descriptor to be had
        raise BrowserUnavailable(chromium_path=binary, error=f"it cannot be started: {error}") from error
    stack.callback(chromium.bury)
    return profile, chromium


@asynccontextmanager
async def _connected(
    chromium: Chromium, binary: str, profile: Path, largest_document: int, trouble: FirstError
) -> AsyncIterator[DevToolsPipe]:
    ended = asyncio.Event()

    def lost(reason: str) -> None:
        # Also where nobody works with the pipe yet: a browser may answer and end before the answer is read.
        trouble.report(BrowserCrashed(error=reason))
        ended.set()

    pipe = DevToolsPipe(lost, largest_document=largest_document)
    watch = asyncio.create_task(_bounded(chromium, trouble))
    try:
        await pipe.connect(chromium)
        await _greeted(pipe, ended, binary, profile)
        yield pipe
    finally:
        watch.cancel()
        pipe.close()


async def _greeted(pipe: DevToolsPipe, ended: asyncio.Event, binary: str, profile: Path) -> None:
    """Waits for the first answer, which says the version."""
    greeting = asyncio.create_task(pipe.call("Browser.getVersion"))
    ending = asyncio.create_task(ended.wait())
    try:
        await asyncio.wait({greeting, ending}, timeout=LONGEST_START, return_when=asyncio.FIRST_COMPLETED)
        if not greeting.done():
            raise BrowserUnavailable(chromium_path=binary, error=_last_words(profile, ended.is_set()))
        product = str(greeting.result().get("product", ""))
    except Refused:  # whatever it is, it is no Chromium
        product = "This program"
    finally:
        greeting.cancel()
        ending.cancel()
    if _major(product) < OLDEST:
        raise BrowserUnavailable(
            chromium_path=binary, error=f"{product} is too old: version {OLDEST} or newer is needed"
        )


def _major(product: str) -> int:
    """`HeadlessChrome/156.0.8078.79` → 156."""
    number = product.rpartition("/")[2].partition(".")[0]
    return int(number) if number.isdecimal() else 0


def _last_words(profile: Path, ended: bool) -> str:
    said = ""
    with suppress(OSError):
        said = (profile / LAST_WORDS).read_text("utf-8", "replace").strip()[-200:]
    event = "it ended at once" if ended else "it did not answer"
    return f"{event}: {said}" if said else event


async def _bounded(chromium: Chromium, trouble: FirstError) -> None:
    """Ends a browser that holds too much memory."""
    while True:
        await asyncio.sleep(LOOK_EVERY)
        held = chromium.resident
        if held > MOST_MEMORY:
            trouble.report(BrowserCrashed(error=f"the page held {held >> 20} MiB of memory"))
            chromium.kill()
            return
