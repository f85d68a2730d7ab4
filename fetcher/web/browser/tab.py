"""The one page that a browser shows: finds it, navigates, answers its dialogs, and reads its document."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from fetcher.web.browser.devtools_pipe import CommandFailed, DevToolsPipe, Handler
from fetcher.web.browser.launch import FirstError
from fetcher.web.browser.page_activity import NetworkActivity
from fetcher.web.browser.snapshot import SIZE, Snapshot, script
from fetcher.web.errors import BrowserCrashed, NetworkFailed, Timeout
from fetcher.web.net.deadline import Deadline
from fetcher.web.values import CanonicalUrl

ATTEMPTS = 3
"""A document that is replaced while it is read is read again."""
READ_SECONDS = 0.7
"""The time that a page has to let itself be read, before its scripts are stopped and again after."""
LAST_READ_SECONDS = 5.0
"""More for the second attempt, if they are left: without scripts, a page only ends its current work."""
BYTES_A_SECOND = 20 * 1024 * 1024
"""How fast a document is written out, at least."""


class Tab:
    """A page and its session; `on_shown` is called with the address of each document that it shows."""

    def __init__(
        self,
        pipe: DevToolsPipe,
        activity: NetworkActivity,
        first_error: FirstError,
        *,
        on_shown: Callable[[str], None],
    ) -> None:
        self._pipe = pipe
        self._activity = activity
        self._first_error = first_error
        self._on_shown = on_shown
        self._found: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._session = ""
        self._loader = ""
        self.frame = ""

    async def open(self) -> None:
        """Find the browser's first page and attach to it; later pages are closed."""
        self._pipe.on("Target.targetCreated", self._on_target_created)
        self._pipe.on("Target.targetCrashed", self._on_target_crashed)
        await self._pipe.call("Target.setDiscoverTargets", {"discover": True})
        target = await self._found
        self.frame = target["targetId"]
        attached, _ = await asyncio.gather(
            self._pipe.call("Target.attachToTarget", {"targetId": self.frame, "flatten": True}),
            self._deny_downloads(target.get("browserContextId")),
        )
        self._session = attached["sessionId"]
        handlers: dict[str, Handler] = {
            "Page.frameNavigated": self._on_navigated,
            "Page.lifecycleEvent": self._on_lifecycle,
            "Page.frameStoppedLoading": self._on_stopped_loading,
            # Leaving a page is accepted without asking; all other dialogs are declined.
            "Page.javascriptDialogOpening": lambda params: self._send(
                "Page.handleJavaScriptDialog", accept=params["type"] == "beforeunload"
            ),
        }
        for event, handler in handlers.items():
            self._pipe.on(event, handler, session=self._session)
        await asyncio.gather(
            self._call("Page.enable"), self._call("Page.setLifecycleEventsEnabled", enabled=True)
        )

    async def navigate(self, url: CanonicalUrl) -> None:
        """Go to a URL, and return when its response has arrived."""
        outcome = await self._call("Page.navigate", url=str(url))
        if error := outcome.get("errorText"):
            raise NetworkFailed("The browser could not open the page", error=error)

    async def measure(self, seconds: float) -> int | None:
        """The document's size in bytes (SRD FR-WF-DOMSIZE-01); None if the page does not answer in time."""
        try:
            async with asyncio.timeout(min(READ_SECONDS, seconds)):
                return int(await self._evaluate(SIZE))
        except TimeoutError:
            return None

    async def read(
        self, limit: int, deadline: Deadline, end_requests: Callable[[], Awaitable[None]], *, marks: bool
    ) -> Snapshot:
        """Take the document; if the page does not answer, stop its scripts and its requests first."""
        expression, seconds = script(limit, marks=marks), READ_SECONDS + limit / BYTES_A_SECOND
        try:
            async with asyncio.timeout(seconds):
                return Snapshot.of(await self._evaluate(expression), limit)
        except TimeoutError:
            self._send("Emulation.setScriptExecutionDisabled", value=True)
            self._send("Runtime.terminateExecution")
            await end_requests()  # a script that waits for a response can only be stopped after it has one
        seconds += min(LAST_READ_SECONDS, deadline.remaining)
        try:
            async with asyncio.timeout(seconds):
                return Snapshot.of(await self._evaluate(expression), limit)
        except TimeoutError:
            raise Timeout(timeout_ms=round(1000 * seconds), phase="rendering") from None

    async def _evaluate(self, expression: str) -> Any:
        attempts_left = ATTEMPTS
        while True:
            try:
                world = await self._call("Page.createIsolatedWorld", frameId=self.frame)
                outcome = await self._call(
                    "Runtime.evaluate",
                    expression=expression,
                    contextId=world["executionContextId"],
                    returnByValue=True,
                )
                if "exceptionDetails" in outcome:
                    raise CommandFailed(str(outcome["exceptionDetails"].get("text", "")))
                return outcome["result"].get("value")
            except CommandFailed as error:
                attempts_left -= 1
                if not attempts_left:
                    raise BrowserCrashed(error=f"the page could not be read: {error}") from error
                await asyncio.sleep(0)

    def _call(self, method: str, **params: Any) -> Any:
        return self._pipe.call(method, params, session=self._session)

    def _send(self, method: str, **params: Any) -> None:
        self._pipe.send(method, params, session=self._session)

    async def _deny_downloads(self, context: str | None) -> None:
        of_context = {"browserContextId": context} if context else {}
        with suppress(CommandFailed):  # an older headless mode, which denies them anyway
            await self._pipe.call("Browser.setDownloadBehavior", {"behavior": "deny", **of_context})

    def _on_target_created(self, params: dict[str, Any]) -> None:
        target = params["targetInfo"]
        if target["type"] != "page":
            return
        if not self._found.done():
            self._found.set_result(target)
        else:
            self._pipe.send("Target.closeTarget", {"targetId": target["targetId"]})

    def _on_target_crashed(self, params: dict[str, Any]) -> None:
        if params["targetId"] == self.frame:
            reason = f"the page's process ended: {params['status']}, {params['errorCode']}"
            self._first_error.report(BrowserCrashed(error=reason))

    def _on_navigated(self, params: dict[str, Any]) -> None:
        if params["frame"]["id"] == self.frame:
            self._loader = params["frame"]["loaderId"]
            self._activity.document_requested()
            self._on_shown(params["frame"]["url"])

    def _on_lifecycle(self, params: dict[str, Any]) -> None:
        current = (params["frameId"], params["loaderId"]) == (self.frame, self._loader)
        if current and params["name"] == "DOMContentLoaded":
            self._activity.document_loaded()

    def _on_stopped_loading(self, params: dict[str, Any]) -> None:
        # A document whose own navigation was refused has no DOMContentLoaded.
        if self._loader and params["frameId"] == self.frame:
            self._activity.document_loaded()
