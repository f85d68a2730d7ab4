"""Runs the claims of dead workers again: those whose lease has expired (S2)."""

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Protocol

from slackapp.stores.contract import Claim, StoreUnavailable

log = logging.getLogger(__name__)

AT_ONCE = 10
"""Claims that are run at a time, and that a round of the thread takes over."""


class ResumesClaims(Protocol):
    """Can continue with the claims of dead workers."""

    def expired_claims(self, limit: int) -> tuple[Claim, ...]:
        """Claims that dead workers left behind."""

    def resume(self, claim: Claim) -> None:
        """Take a claim over, unless another worker was faster, and run it to its end."""


def sweep(
    handler: ResumesClaims, pool: Executor, waiting: dict[tuple[str, str], Future[None]] | None = None
) -> list[Future[None]]:
    """One round: run expired claims to their end, in the pool.

    `waiting` has the claims of earlier rounds for which the pool had no thread; they are not begun again.
    """
    waiting = {} if waiting is None else waiting
    for name in [name for name, future in waiting.items() if future.running() or future.done()]:
        del waiting[name]
    expired = handler.expired_claims(AT_ONCE + len(waiting))
    claims = [claim for claim in expired if (claim.key, claim.owner) not in waiting]
    claims = claims[: AT_ONCE - len(waiting)]
    begun = _resume(handler, claims, pool)
    waiting.update(zip([(claim.key, claim.owner) for claim in claims], begun, strict=True))
    return begun


def sweep_while(handler: ResumesClaims, has_time: Callable[[], bool]) -> None:
    """Run every expired claim to its end, some at a time; begin with others while there is time.

    A claim that was begun may still be listed until it is taken over, or if it could not be.
    """
    running: set[Future[None]] = set()
    begun: set[tuple[str, str]] = set()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while has_time():
            expired = handler.expired_claims(AT_ONCE + len(begun))
            claims = [claim for claim in expired if (claim.key, claim.owner) not in begun]
            claims = claims[: AT_ONCE - len(running)]
            begun |= {(claim.key, claim.owner) for claim in claims}
            running |= set(_resume(handler, claims, pool))
            if not running:
                return
            running = wait(running, return_when=FIRST_COMPLETED).not_done


def _resume(handler: ResumesClaims, claims: Sequence[Claim], pool: Executor) -> list[Future[None]]:
    def resume(claim: Claim) -> None:
        try:
            handler.resume(claim)
        except Exception:  # the rim: the future's result is not read
            log.exception("not_resumed", extra={"fields": {"key": claim.key}})

    if claims:
        log.warning("claims_expired", extra={"fields": {"claims": len(claims)}})
    return [pool.submit(resume, claim) for claim in claims]


class Sweeper:
    """Sweeps regularly in its own thread; that thread also builds the handler, so that no request waits."""

    def __init__(
        self,
        get_handler: Callable[[], ResumesClaims],
        pool: Executor,
        *,
        every: float,
        on_round: Callable[[bool], None] = lambda _: None,
    ) -> None:
        self._get_handler = get_handler
        self._on_round = on_round
        """Called after each round, with whether the store answered."""
        self._pool = pool
        self._every = every
        self._waiting: dict[tuple[str, str], Future[None]] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the rounds; claims that are being resumed end with the pool."""
        self._over.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._over.wait(self._every):
            succeeded = False
            try:
                sweep(self._get_handler(), self._pool, self._waiting)
                succeeded = True
            except StoreUnavailable as error:
                log.warning("sweep_failed", extra={"fields": {"error": str(error)}})
            except Exception:  # the rim: a round that breaks must not be the last one
                log.exception("sweep_failed")
            self._on_round(succeeded)
