"""What programs take for a URL in plain words, whether or not it is one.

Some want a scheme and `://`, with whatever stands before it; some take `www.` or `mailto:` for enough, and
browsers forgive `http:/host` and full-width signs. Names alone (`shop.example/a`) are words here.
"""

import re
from string import ascii_letters, digits

AUTHORITY = r"[:\uff1a][/\uff0f]{2}"
"""Between any scheme and what it leads to."""
WITHOUT_AUTHORITY = r"(?:https?|ftp|mailto|xmpp)[:\uff1a]"
"""Schemes that are known without it."""
WORLD_WIDE_WEB = r"www[.\u3002\uff0e\uff61]"

_LIKE_A_URL = re.compile(
    rf"(?P<authority>{AUTHORITY})|(?:{WITHOUT_AUTHORITY}|(?<![a-z0-9]){WORLD_WIDE_WEB})(?=\S)",
    re.ASCII | re.IGNORECASE,
)
_NOT_FIRST_IN_A_SCHEME = digits + "+.-"
_IN_A_SCHEME = ascii_letters + _NOT_FIRST_IN_A_SCHEME


def last_scheme(text: str) -> str:
    """What a text ends with that would be a scheme if `://` came next."""
    return text[len(text.rstrip(_IN_A_SCHEME)) :].lstrip(_NOT_FIRST_IN_A_SCHEME)


def without_urls(text: str) -> str:
    """Text in which no URL stands; one that was there can still be read."""
    return _LIKE_A_URL.sub(lambda found: ": //" if found["authority"] else f"{found[0]} ", text)
