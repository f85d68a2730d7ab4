"""An event loop on which waiting takes no time: for stories without sockets or threads."""

import asyncio
import selectors


class Skipping(selectors.SelectSelector):
    """Waits no time at all and says how long it would have waited."""

    waited = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.waited += timeout or 0.0
        return super().select(0)


class SkippingLoop(asyncio.SelectorEventLoop):
    """A loop whose clock is what its selector has waited."""

    def __init__(self) -> None:
        self._skipping = Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.waited
