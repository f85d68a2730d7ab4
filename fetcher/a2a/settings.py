"""Settings of the A2A server: its address, its callers and its limits."""

import os
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from fetcher.serving import is_loopback
from fetcher.settings import MIB, ConfigurationError, Number, SettingsGroup
from fetcher.startup import environment

PREFIX = "A2A_"
Authentication = Literal["none", "api_key", "sigv4"]


def _address(value: str) -> str:
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.netloc):
        raise ValueError("must be an http or https URL")  # pydantic collects ValueErrors
    return value


def _keys(value: SecretStr) -> SecretStr:
    keys = dict.fromkeys(key for part in value.get_secret_value().split(",") if (key := part.strip()))
    if not all(key.isascii() and key.isprintable() for key in keys):
        raise ValueError("must be printable ASCII")
    return SecretStr(",".join(keys))


class A2ABounds(SettingsGroup):
    """Bounds of the server that no operator sets."""

    a2a_max_body_bytes: Number = 4 * MIB
    a2a_kept_tasks: Number = 1000
    """Finished tasks that can still be read."""
    a2a_shutdown_seconds: Number = 10
    """How long questions may still take when the server is told to stop."""


class A2ASettings(A2ABounds):
    """`AGENTCORE_RUNTIME_URL`, and the variables that begin with `A2A_`."""

    agentcore_runtime_url: Annotated[str, AfterValidator(_address)] = ""
    """The address in the card; if empty, this machine and the port on which the server listens."""
    a2a_authentication: Literal[Authentication, ""] = ""
    a2a_api_key: Annotated[SecretStr, AfterValidator(_keys)] = SecretStr("")
    """One key, or several with commas between them."""
    a2a_max_tasks: Annotated[Number, Field(ge=1, le=1000)] = 8

    @property
    def authentication(self) -> Authentication:
        """How callers prove who they are: as set, else by the key if there is one."""
        return self.a2a_authentication or ("api_key" if self.a2a_api_key.get_secret_value() else "none")

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key for key in self.a2a_api_key.get_secret_value().split(",") if key)

    def card_url(self, port: int) -> str:
        return self.agentcore_runtime_url or f"http://localhost:{port}"

    def check_binding(self, host: str) -> None:
        """Raises ConfigurationError if strangers could ask and no setting allows it."""
        if self.authentication == "none" and not self.a2a_authentication and not is_loopback(host):
            raise ConfigurationError(
                f"Configuration error: {host} can be reached from outside: set A2A_API_KEY, or "
                "A2A_AUTHENTICATION=sigv4 where the platform checks signatures, or "
                "A2A_AUTHENTICATION=none to let everybody in"
            )

    @model_validator(mode="after")
    def _agree_on_the_key(self) -> "A2ASettings":
        has_key = bool(self.a2a_api_key.get_secret_value())
        if has_key != (self.authentication == "api_key"):
            raise ConfigurationError(
                "Configuration error: A2A_API_KEY and A2A_AUTHENTICATION=api_key need each other"
            )
        return self


def load(environ: Mapping[str, str] = os.environ) -> A2ASettings:
    """The settings of this process; raises ConfigurationError with everything that is wrong."""
    names = {name.upper() for name in A2ASettings.model_fields}
    unknown = (name for name in environ if name.startswith(PREFIX) and name not in names)
    environment.refuse_unknown(unknown, names)
    return environment.read(A2ASettings, environ)
