"""The one page that a browser shows: found, navigated, kept from asking questions, and read."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from fetcher.web.browser.devtools_pipe import DevToolsPipe, Refused
from fetcher.web.browser.first_error import FirstError
from fetcher.web.browser.network_idle import NetworkActivity
from fetcher.web.browser.snapshot import SIZE, Snapshot, script
from fetcher.web.errors import BrowserCrashed, NetworkFailed, Timeout
from fetcher.web.net.deadline import Deadline
from fetcher.web.values import CanonicalUrl

ATTEMPTS = 3
"""A document that is replaced while it is read is read again."""
PATIENCE = 0.7
"""Seconds that a page may take to let itself be read, before its scripts are stopped and again after."""
LAST_PATIENCE = 5.0
"""Seconds more, where they are left: without scripts, a page only has to finish what it was at."""
BYTES_A_SECOND = 20 * 1024 * 1024
"""How fast a document is written out, at least."""


class Tab:
    """A page and its session; `shown` is called with the address of each document that it comes to show."""

    def __init__(
        self,
        pipe: DevToolsPipe,
        traffic: NetworkActivity,
        trouble: FirstError,
        *,
        shown: Callable[[str], None],
    ) -> None:
        self._pipe = pipe
        self._traffic = traffic
        self._trouble = trouble
        self._shown = shown
        self._found: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._session = ""
        self._loader = ""
        self.frame = ""

    async def open(self) -> None:
        """Finds the browser's first page and attaches to it; later ones are closed."""
        self._pipe.on("Target.targetCreated", self._target_created)
        self._pipe.on("Target.targetCrashed", self._target_crashed)
        await self._pipe.call("Target.setDiscoverTargets", {"discover": True})
        target = await self._found
        self.frame = target["targetId"]
        attached, _ = await asyncio.gather(
            self._pipe.call("Target.attachToTarget", {"targetId": self.frame, "flatten": True}),
            self._deny_downloads(target.get("browserContextId")),
        )
        self._session = attached["sessionId"]
        self._listen()
        await asyncio.gather(
            self._call("Page.enable"), self._call("Page.setLifecycleEventsEnabled", enabled=True)
        )

    async def go(self, url: CanonicalUrl) -> None:
        """Navigates, and returns when the answer has arrived."""
        outcome = await self._call("Page.navigate", url=str(url))
        if error := outcome.get("errorText"):
            raise NetworkFailed("The browser could not open the page", error=error)

    async def size(self) -> int:
        """The document's size in bytes (SRD FR-WF-DOMSIZE-01)."""
        return int(await self._evaluated(SIZE))

    async def read(
        self, limit: int, deadline: Deadline, release: Callable[[], Awaitable[None]], *, marks: bool
    ) -> Snapshot:
        """The document; a page that does not answer has its scripts stopped and its requests ended first."""
        work = limit / BYTES_A_SECOND
        try:
            return await self._snapshot(script(limit, marks=marks), limit, PATIENCE + work)
        except TimeoutError:
            self._tell("Emulation.setScriptExecutionDisabled", value=True)
            self._tell("Runtime.terminateExecution")
            await release()  # a script that waits for an answer cannot be stopped before it has one
        patience = PATIENCE + work + min(LAST_PATIENCE, deadline.remaining)
        try:
            return await self._snapshot(script(limit, marks=marks), limit, patience)
        except TimeoutError:
            raise Timeout(timeout_ms=round(1000 * patience), phase="rendering") from None

    async def _snapshot(self, expression: str, limit: int, seconds: float) -> Snapshot:
        async with asyncio.timeout(seconds):
            return Snapshot.of(await self._evaluated(expression), limit)

    async def _evaluated(self, expression: str) -> Any:
        for _ in range(ATTEMPTS - 1):
            try:
                return await self._evaluated_once(expression)
            except Refused:
                await asyncio.sleep(0)
        try:
            return await self._evaluated_once(expression)
        except Refused as error:
            raise BrowserCrashed(error=f"the page could not be read: {error}") from error

    async def _evaluated_once(self, expression: str) -> Any:
        world = await self._call("Page.createIsolatedWorld", frameId=self.frame)
        outcome = await self._call(
            "Runtime.evaluate",
            expression=expression,
            contextId=world["executionContextId"],
            returnByValue=True,
        )
        if "exceptionDetails" in outcome:
            raise Refused(str(outcome["exceptionDetails"].get("text", "")))
        return outcome["result"].get("value")

    def _call(self, method: str, **params: Any) -> Any:
        return self._pipe.call(method, params, session=self._session)

    def _tell(self, method: str, **params: Any) -> None:
        self._pipe.tell(method, params, session=self._session)

    async def _deny_downloads(self, context: str | None) -> None:
        where = {"browserContextId": context} if context else {}
        try:
            await self._pipe.call("Browser.setDownloadBehavior", {"behavior": "deny", **where})
        except Refused:  # an older headless mode, which denies them anyway
            return

    def _listen(self) -> None:
        handlers = {
            "Page.frameNavigated": self._navigated,
            "Page.lifecycleEvent": self._lived,
            "Page.frameStoppedLoading": self._stopped,
            "Page.javascriptDialogOpening": self._dialog,
        }
        for event, handler in handlers.items():
            self._pipe.on(event, handler, session=self._session)

    def _target_created(self, params: dict[str, Any]) -> None:
        target = params["targetInfo"]
        if target["type"] != "page":
            return
        if not self._found.done():
            self._found.set_result(target)
        else:
            self._pipe.tell("Target.closeTarget", {"targetId": target["targetId"]})

    def _target_crashed(self, params: dict[str, Any]) -> None:
        if params["targetId"] == self.frame:
            reason = f"the page's process ended: {params['status']}, {params['errorCode']}"
            self._trouble.report(BrowserCrashed(error=reason))

    def _navigated(self, params: dict[str, Any]) -> None:
        if params["frame"]["id"] == self.frame:
            self._loader = params["frame"]["loaderId"]
            self._traffic.document_requested()
            self._shown(params["frame"]["url"])

    def _lived(self, params: dict[str, Any]) -> None:
        current = (params["frameId"], params["loaderId"]) == (self.frame, self._loader)
        if current and params["name"] == "DOMContentLoaded":
            self._traffic.document_loaded()

    def _stopped(self, params: dict[str, Any]) -> None:
        # A document whose own navigation was refused never gets to DOMContentLoaded.
        if self._loader and params["frameId"] == self.frame:
            self._traffic.document_loaded()

    def _dialog(self, params: dict[str, Any]) -> None:
        # Leaving a page is never to be confirmed; everything else is declined.
        self._tell("Page.handleJavaScriptDialog", accept=params["type"] == "beforeunload")
