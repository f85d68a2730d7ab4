"""Who may call: authentication that fits where the server runs."""

import hmac
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from fetcher.a2a import card
from fetcher.a2a.card import API_KEY_HEADER
from fetcher.a2a.errors import NotAdmitted, WrongHost
from fetcher.a2a.settings import Authentication
from fetcher.serving.listening import is_loopback

EVERYBODY = "everybody"
"""The one name of all callers where callers prove nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerCheck:
    """With SigV4 the platform has checked the signature before a call arrives here."""

    authentication: Authentication
    keys: tuple[str, ...] = ()
    local: bool = False
    """Only this machine can call, and need not prove anything."""

    def admit(self, headers: Headers) -> str:
        """The caller's name, to whom tasks belong: one for each key. Raises NotAdmitted."""
        if self.authentication == "api_key":
            given = headers.get(API_KEY_HEADER, "").encode("utf-8", "replace")
            # Every key is compared, so that the time does not tell which one nearly fits.
            fits = [hmac.compare_digest(given, key.encode()) for key in self.keys]
            if not any(fits):
                raise NotAdmitted(card.key_needed())
            return f"key {fits.index(True) + 1}"
        if self.local:
            try:
                name = urlsplit(f"//{headers.get('host', '')}").hostname or ""
            except ValueError:
                name = ""
            if not is_loopback(name):
                # A web page whose name was made to point here must not call with its visitor's hands.
                raise WrongHost(card.this_machine_only())
        return EVERYBODY
