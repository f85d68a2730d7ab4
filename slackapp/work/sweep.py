"""Runs again what a worker left behind: claims whose lease has run out (S2)."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Protocol

from slackapp.stores.contract import Claim, StoreUnavailable

log = logging.getLogger(__name__)

AT_ONCE = 10
"""Claims taken up in one sweep; what is left waits for the next."""


class Resumes(Protocol):
    """Whoever can go on with claims."""

    def expired_claims(self, limit: int) -> tuple[Claim, ...]:
        """Claims that their workers left behind."""

    def resume(self, claim: Claim) -> None:
        """Takes the claim over, if nobody was faster, and brings it to its end."""


def sweep(desk: Resumes, pool: Executor) -> list[Future[None]]:
    """One round: every expired claim is run to its end, beside whoever calls."""
    claims = desk.expired_claims(AT_ONCE)
    if claims:
        log.warning("claims_expired", extra={"fields": {"claims": len(claims)}})
    return [pool.submit(_resume, desk, claim) for claim in claims]


def _resume(desk: Resumes, claim: Claim) -> None:
    try:
        desk.resume(claim)
    except Exception:  # the rim: nobody else looks at what this raises
        log.exception("not_resumed", extra={"fields": {"key": claim.key}})


class Sweeper:
    """Sweeps every so often, in a thread of its own; the desk is opened there, out of everybody's way."""

    def __init__(self, desk: Callable[[], Resumes], pool: Executor, *, every: float) -> None:
        self._desk = desk
        self._pool = pool
        self._every = every
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the rounds; what is being resumed ends with the pool."""
        self._over.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._over.wait(self._every):
            try:
                sweep(self._desk(), self._pool)
            except StoreUnavailable as error:
                log.warning("sweep_failed", extra={"fields": {"error": str(error)}})
            except Exception:  # the rim: a round that breaks must not be the last one
                log.exception("sweep_failed")
