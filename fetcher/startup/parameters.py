"""Secrets that the environment only names: parameters of AWS Systems Manager.

`SECRET_PARAMETERS` lists their full names between commas; the last part of a name is the variable that the
parameter sets. So a function's configuration shows no secret.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from fetcher.aws import ADVICE, AwsFailed, call_until, open_client, translating

log = logging.getLogger(__name__)

VARIABLE = "SECRET_PARAMETERS"
AT_ONCE = 10
"""The most names in one request."""
CONNECT_SECONDS, READ_SECONDS = 0.5, 1.0
SECONDS = 6.0
"""For all tries together. AWS lets an account read parameters 40 times a second: many sandboxes that start
at the same time have to wait for each other."""
GOOD_SECONDS = 300.0
"""How long secrets are used before they are read again."""
AGAIN_SECONDS = 10.0
"""At least so long lies between two reads, if AWS did not answer or a secret was refused."""


class ParameterStore(Protocol):
    """The part of boto3's client that is used."""

    def get_parameters(self, *, Names: Sequence[str], WithDecryption: bool) -> Mapping[str, Any]:  # noqa: N803
        """The parameters that exist, and the names of those that do not."""


def with_parameters(environ: Mapping[str, str], store: ParameterStore | None = None) -> dict[str, str]:
    """The environment with the secrets in it; a variable that is set itself wins.

    A parameter that does not exist leaves its variable unset, as a model's key may well be. Raises
    ConfigurationError when the parameters cannot be read.
    """
    try:
        return _filled(environ, SECONDS, store)
    except AwsFailed as error:
        raise _unreadable(error) from error


class SecretEnvironment:
    """An environment whose secrets are read again: when they are old, when one was refused, and every time
    while one is missing."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        seconds: float = SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._environ = environ
        self._seconds = seconds
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._kept: dict[str, str] | None = None
        """The last complete set."""
        self._read_at = self._good_until = float("-inf")

    def current(self) -> Mapping[str, str]:
        """The environment with its secrets. Raises ConfigurationError if they could never be read."""
        with self._lock:
            is_good = self._kept is not None and self._monotonic() < self._good_until
            return self._kept if self._kept and is_good else self._read()

    def renewed(self) -> Mapping[str, str]:
        """The same after a secret was refused: read now, unless that was done a moment ago."""
        with self._lock:
            is_new = self._kept is not None and self._monotonic() < self._read_at + AGAIN_SECONDS
            return self._kept if self._kept and is_new else self._read()

    def _read(self) -> Mapping[str, str]:
        if not _missing(self._environ):
            return self._environ
        self._read_at = self._monotonic()
        try:
            found = _filled(self._environ, self._seconds)
        except AwsFailed as error:
            if self._kept is None:
                raise _unreadable(error) from error
            log.warning("parameters_not_read", extra={"fields": {"error": error.name}})
            self._good_until = self._monotonic() + AGAIN_SECONDS
            return self._kept
        if not _missing(found):
            self._kept, self._good_until = found, self._monotonic() + GOOD_SECONDS
        return found


def _filled(
    environ: Mapping[str, str], seconds: float, store: ParameterStore | None = None
) -> dict[str, str]:
    """The environment with every secret that AWS has, within so many seconds. Raises AwsFailed."""
    wanted, until = _missing(environ), time.monotonic() + seconds
    if not wanted:
        return dict(environ)
    if store is None:
        with translating():
            store = open_client("ssm", "", read_seconds=READ_SECONDS, connect_seconds=CONNECT_SECONDS)
    answers = [
        call_until(until, store.get_parameters, Names=wanted[first : first + AT_ONCE], WithDecryption=True)
        for first in range(0, len(wanted), AT_ONCE)
    ]
    for name in (name for answer in answers for name in answer.get("InvalidParameters", ())):
        log.warning("parameter_missing", extra={"fields": {"parameter": name}})
    found = (parameter for answer in answers for parameter in answer["Parameters"])
    return {**environ, **{_variable(parameter["Name"]): parameter["Value"] for parameter in found}}


def _unreadable(error: AwsFailed) -> Exception:
    from fetcher.settings import ConfigurationError  # takes long to load, and is seldom needed

    told = f"{error.name}: {error.words}" if error.words else error.name
    reason = ADVICE.get(error.name) or told
    return ConfigurationError(f"Configuration error: {VARIABLE} cannot be read: {reason}")


def _missing(environ: Mapping[str, str]) -> list[str]:
    """Names of parameters whose variables are not set."""
    names = [name.strip() for name in environ.get(VARIABLE, "").split(",") if name.strip()]
    return [name for name in names if not environ.get(_variable(name), "").strip()]


def _variable(name: str) -> str:
    return name.rsplit("/", 1)[-1]
