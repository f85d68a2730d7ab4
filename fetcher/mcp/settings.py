"""Settings of the MCP server over HTTP: its key, and the names under which it is called."""

import os
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated

from pydantic import Field, SecretStr

from fetcher.serving import is_loopback
from fetcher.settings import ConfigurationError, HeaderSecret, SettingsGroup
from fetcher.startup import environment

PREFIX = "MCP_SERVER_"
"""Not `MCP_`: clients have settings of their own that begin so, and a server inherits them."""
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")

HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$|^\[[0-9A-Fa-f:.]+\]$")]
"""A host as clients write it in `Host`, without a port."""


class McpSettings(SettingsGroup):
    """The variables that begin with `MCP_SERVER_`."""

    mcp_server_key: HeaderSecret = SecretStr("")
    """What clients send as a bearer token; needed if others than this machine can reach the server."""
    mcp_server_hosts: tuple[HostName, ...] = ()
    """Names of this server, besides the address that it listens on."""

    def hosts_on(self, host: str) -> tuple[str, ...]:
        """The names under which clients may call a server that listens on an address.

        Raises ConfigurationError if strangers could call, or if no client could.
        """
        if is_loopback(host):
            return (*LOOPBACK_NAMES, *self.mcp_server_hosts)
        if not self.mcp_server_key.get_secret_value():
            raise ConfigurationError(
                f"Configuration error: {host} can be reached from outside: set MCP_SERVER_KEY, which clients "
                "then send as a bearer token"
            )
        try:
            everywhere = ip_address(host).is_unspecified
        except ValueError:
            everywhere = False
        if everywhere and not self.mcp_server_hosts:
            raise ConfigurationError(
                f"Configuration error: {host} is every address of this machine: set MCP_SERVER_HOSTS to the "
                "names under which clients call"
            )
        own = () if everywhere else (f"[{host}]" if ":" in host else host,)
        return (*own, *self.mcp_server_hosts)


def load(environ: Mapping[str, str] = os.environ) -> McpSettings:
    """The settings of this process; raises ConfigurationError with everything that is wrong."""
    names = {name.upper() for name in McpSettings.model_fields}
    environment.refuse_unknown(name for name in environ if name.startswith(PREFIX) and name not in names)
    return environment.read(McpSettings, environ)
