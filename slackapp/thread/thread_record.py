"""The app's own record of threads: URLs that were read there, and the claims of its messages.

A record that cannot be read or written is logged, and the question is answered without it.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from fetcher.clock import Clock
from slackapp.stores.claims import Claims
from slackapp.stores.contract import StoreUnavailable

log = logging.getLogger(__name__)

DAY = 24 * 3600


@dataclass(slots=True)
class ThreadRecord:
    store: Claims
    clock: Clock
    days: int

    def expiry(self) -> float:
        """The time until which a thread is remembered."""
        return self.clock.now().timestamp() + self.days * DAY

    def known_urls(self, name: str) -> tuple[str, ...]:
        """The URLs that are recorded under a name; none if the store does not answer."""
        try:
            return self.store.known_urls(name, now=self.clock.now().timestamp()) if name else ()
        except StoreUnavailable as error:
            log.warning("record_not_read", extra={"fields": {"error": str(error)}})
            return ()

    def add_urls(self, name: str, urls: Sequence[str]) -> None:
        now = self.clock.now().timestamp()
        try:
            if name and urls:
                self.store.add_known_urls(name, urls, now=now, expires_at=self.expiry())
        except StoreUnavailable as error:
            log.warning("record_not_kept", extra={"fields": {"error": str(error)}})

    def link_claim(self, name: str, key: str) -> None:
        """Make a claim findable by a message of its reply."""
        try:
            self.store.link_claim(name, key, expires_at=self.expiry())
        except StoreUnavailable as error:
            log.warning("not_linked", extra={"fields": {"key": key, "error": str(error)}})
