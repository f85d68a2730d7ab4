"""Whether an answer's headers let it be kept and shown to others.

The cache serves everybody who asks this process, so it is a shared one (RFC 9111). `no-store` and `private`
keep an answer out of it, and so does `Vary: *`, which says that no other request is like this one. The rest
does not: how long a page is kept is the operator's setting (SRD FR-WF-16d), and what comes with `Set-Cookie`
was sent to a client without cookies or credentials, as it would be to anyone.
"""

import re

from fetcher.web.values import Headers

_BETWEEN = re.compile(r"[\s,;\"']++")
FORBIDDING = frozenset({"no-store", "private"})


def may_be_stored(headers: Headers) -> bool:
    directives = {item.partition("=")[0].strip().lower() for item in _items(headers, "cache-control")}
    varies_by = {item.strip() for item in _items(headers, "vary")}
    return not directives & FORBIDDING and "*" not in varies_by


def _items(headers: Headers, name: str) -> list[str]:
    """A list's items; whatever parts them in careless headers does so here, which errs on the safe side."""
    return _BETWEEN.split(headers.joined(name))
