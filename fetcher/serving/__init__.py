"""What the servers of this project share: where they listen, and (`connection.py`) connections that end."""

import socket
from collections.abc import Iterable
from importlib.util import find_spec
from ipaddress import ip_address

from fetcher.settings import ConfigurationError


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; raises ConfigurationError."""
    if not 0 <= port < 65536:
        raise ConfigurationError(f"Configuration error: {port} is no port")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio sends at once (TCP_NODELAY) only on sockets that name it.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
        return listener
    except (OSError, TypeError) as error:  # TypeError: a name that no machine can have
        listener.close()
        raise ConfigurationError(f"Configuration error: cannot listen on {host}:{port}: {error}") from None


def url_of(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def require_packages(names: Iterable[str], *, extra: str) -> None:
    """Raise ConfigurationError if packages that only a server needs are not installed."""
    if missing := [name for name in names if find_spec(name) is None]:
        raise ConfigurationError(
            f"The server needs packages that are not installed ({', '.join(missing)}): "
            f"install the project with its {extra} extra, or requirements/{extra}.lock."
        )
