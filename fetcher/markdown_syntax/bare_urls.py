"""What other programs take for a URL in plain text, even if it is not one.

Some programs look for any scheme and `://`; for some `www.` or `mailto:` is enough; browsers also accept
`http:/host` and full-width signs. A host name alone (`shop.example/a`) is not a URL here.
"""

import re
from string import ascii_letters, digits

AUTHORITY = r"[:\uff1a][/\uff0f]{2}"
"""The signs between a scheme and a host."""
WITHOUT_AUTHORITY = r"(?:https?|ftp|mailto|xmpp)[:\uff1a]"
"""Schemes that programs recognise without these signs."""
WORLD_WIDE_WEB = r"www[.\u3002\uff0e\uff61]"

_LIKE_A_URL = re.compile(
    rf"(?P<authority>{AUTHORITY})|(?:{WITHOUT_AUTHORITY}|(?<![a-z0-9]){WORLD_WIDE_WEB})(?=\S)",
    re.ASCII | re.IGNORECASE,
)
_NOT_FIRST_IN_A_SCHEME = digits + "+.-"
_IN_A_SCHEME = ascii_letters + _NOT_FIRST_IN_A_SCHEME


def last_scheme(text: str) -> str:
    """The end of a text that would be a scheme if `://` came next."""
    return text[len(text.rstrip(_IN_A_SCHEME)) :].lstrip(_NOT_FIRST_IN_A_SCHEME)


def without_urls(text: str) -> str:
    """Text in which programs find no URL; people can still read one that was there."""
    return _LIKE_A_URL.sub(lambda found: ": //" if found["authority"] else f"{found[0]} ", text)
