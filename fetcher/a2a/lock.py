"""Who may call: authentication that fits where the server runs."""

import hmac
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from fetcher.a2a.card import API_KEY_HEADER
from fetcher.a2a.errors import NotAdmitted, WrongHost
from fetcher.a2a.settings import Authentication, is_loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """With SigV4 the platform has checked the signature before a call arrives here."""

    authentication: Authentication
    key: str = ""
    local: bool = False
    """Only this machine can call, and need not prove anything."""

    def admit(self, headers: Headers) -> None:
        """Raises NotAdmitted."""
        if self.authentication == "api_key":
            given = headers.get(API_KEY_HEADER, "").encode("utf-8", "replace")
            if not hmac.compare_digest(given, self.key.encode()):
                raise NotAdmitted(f"A valid key is needed in the header {API_KEY_HEADER}")
        elif self.local and not _names_this_machine(headers.get("host", "")):
            # A web page whose name was made to point here must not call with its visitor's hands.
            raise WrongHost("The server answers on this machine's own names only")


def _names_this_machine(host: str) -> bool:
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False
