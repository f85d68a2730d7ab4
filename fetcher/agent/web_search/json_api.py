"""One request to a provider's API, within bounds: JSON comes back, or a `ToolRefused`.

Redirects are not followed: they would take the key elsewhere.
"""

import asyncio
import json
import logging
import ssl
from functools import cache
from typing import Any

from fetcher.agent.web_search.contract import rejected, unavailable

# httpx2 would log whole URLs, and a query may stand in one.
logging.getLogger("httpx2").setLevel(logging.WARNING)

SECONDS = 10.0
"""For the whole exchange: a timeout for each read alone never ends a slow drip."""
LARGEST_REPLY = 1024 * 1024
TRY_LATER = frozenset({408, 425, 429})
"""Statuses below 500 that say nothing against the key or the request."""


@cache
def _ssl_context() -> ssl.SSLContext:
    """Made once: reading the certificates takes a while."""
    import httpcore2

    return httpcore2.default_ssl_context()


async def request_json(
    method: str, url: str, *, headers: dict[str, str], proxies: bool, seconds: float = SECONDS, **content: Any
) -> Any:
    """The JSON of a reply with status 200; `proxies` says whether those of the environment are used."""
    import httpx2

    body, context = bytearray(), await asyncio.to_thread(_ssl_context)
    try:
        async with (
            asyncio.timeout(seconds),
            httpx2.AsyncClient(verify=context, timeout=seconds, trust_env=proxies) as client,
            client.stream(method, url, headers=headers, follow_redirects=False, **content) as response,
        ):
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > LARGEST_REPLY:
                    raise unavailable(f"the reply has more than {LARGEST_REPLY} bytes")
    except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL) as error:
        # Its text may hold the query, which no log may.
        raise unavailable(type(error).__name__) from None
    if response.status_code != 200:
        refused = 400 <= response.status_code < 500 and response.status_code not in TRY_LATER
        raise (rejected if refused else unavailable)(f"the provider answered {response.status_code}")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise unavailable("the reply is not JSON") from None
