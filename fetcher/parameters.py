"""Secrets that the environment only names: parameters of AWS Systems Manager, read once, at start.

`SECRET_PARAMETERS` lists their full names between commas; the last part of a name is the variable that the
parameter sets. So a function's configuration shows no secret.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from fetcher.aws import ADVICE, botocore_session

log = logging.getLogger(__name__)

VARIABLE = "SECRET_PARAMETERS"
AT_ONCE = 10
"""The most names in one request."""
TRIES = 3
SECONDS = 2


class ParameterStore(Protocol):
    """The part of boto3's client that is used."""

    def get_parameters(self, *, Names: Sequence[str], WithDecryption: bool) -> Mapping[str, Any]:  # noqa: N803
        """The parameters that exist, and the names of those that do not."""


def with_parameters(environ: Mapping[str, str], store: ParameterStore | None = None) -> dict[str, str]:
    """The environment with the secrets in it; a variable that is set itself wins.

    A parameter that does not exist leaves its variable unset, as a model's key may well be. Raises
    ConfigurationError when the parameters cannot be read.
    """
    names = [name.strip() for name in environ.get(VARIABLE, "").split(",") if name.strip()]
    wanted = [name for name in names if not environ.get(_variable(name), "").strip()]
    if not wanted:
        return dict(environ)
    from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

    try:
        if store is None:
            import boto3  # type: ignore[import-untyped]
            from botocore.config import Config  # type: ignore[import-untyped]

            retries = {"mode": "standard", "total_max_attempts": TRIES}
            config = Config(retries=retries, connect_timeout=SECONDS, read_timeout=SECONDS)
            store = boto3.Session(botocore_session=botocore_session()).client("ssm", config=config)
        answers = [
            store.get_parameters(Names=wanted[first : first + AT_ONCE], WithDecryption=True)
            for first in range(0, len(wanted), AT_ONCE)
        ]
    except (BotoCoreError, ClientError) as error:
        from fetcher.settings import ConfigurationError  # takes long to load, and is seldom needed

        reason = ADVICE.get(type(error).__name__) or error
        raise ConfigurationError(f"Configuration error: {VARIABLE} cannot be read: {reason}") from error
    for name in (name for answer in answers for name in answer.get("InvalidParameters", ())):
        log.warning("parameter_missing", extra={"fields": {"parameter": name}})
    found = (parameter for answer in answers for parameter in answer["Parameters"])
    return {**environ, **{_variable(parameter["Name"]): parameter["Value"] for parameter in found}}


def _variable(name: str) -> str:
    return name.rsplit("/", 1)[-1]
