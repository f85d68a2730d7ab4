"""Whether a response's headers allow it to be cached and shown to other users.

The cache serves all users of this process, so it is a shared cache (RFC 9111). `no-store`, `private` and
`Vary: *` keep a response out of it. Other headers do not: how long a page is stored is the operator's setting
(SRD FR-WF-16d), and a response with `Set-Cookie` was sent to a client without cookies or credentials, as it
would be to anyone.
"""

import re

from fetcher.web.values import Headers

_BETWEEN = re.compile(r"[\s,;\"']++")
"""Separators, and others that careless servers use: a directive that is found too often is the safe error."""
FORBIDDING = frozenset({"no-store", "private"})


def may_be_stored(headers: Headers) -> bool:
    """Whether a response with these headers may be cached."""
    directives = {item.partition("=")[0].lower() for item in _BETWEEN.split(headers.joined("cache-control"))}
    return not directives & FORBIDDING and "*" not in _BETWEEN.split(headers.joined("vary"))
