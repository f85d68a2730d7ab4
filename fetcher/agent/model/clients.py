"""Opens the SDK's clients, for the Claude API and for Bedrock, from our settings alone.

The SDK takes seconds to import: it is imported in the functions that open a client, and they are to be
called in a thread. What it would otherwise look for by itself is said explicitly: key, address,
timeouts, no telemetry.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fetcher.agent.errors import ModelRejected
from fetcher.aws import botocore_session
from fetcher.settings import AgentSettings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncStream

API_URL = "https://api.anthropic.com"
BEDROCK_URL = "https://bedrock-runtime.{region}.amazonaws.com"
CONNECT_SECONDS = 5.0
"""Long enough for any server that is there."""
SECRETS = ("api_key", "aws_access_key", "aws_secret_key", "aws_session_token")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client of the Messages API that takes and gives the API's own JSON."""

    sdk: "AsyncAnthropic | AsyncAnthropicBedrock"
    leaks: tuple[type[Exception], ...]
    """What reading a stream raises besides the SDK's own errors."""
    sign_in: Callable[[], Awaitable[None]] | None = None
    """What is to be done before each call."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What nobody may be told."""
        return tuple(filter(None, (getattr(self.sdk, name, None) for name in SECRETS)))

    async def stream(self, body: dict[str, Any]) -> "AsyncStream[object]":
        """Opens the stream of one turn.

        `messages.create` would make of an event that it does not know a wrong one; `post` leaves all as
        they came.
        """
        from anthropic import AsyncStream

        if self.sign_in:
            await self.sign_in()
        streamed = body | {"stream": True}
        kind = AsyncStream[object]
        return await self.sdk.post(
            "/v1/messages", body=streamed, cast_to=object, stream=True, stream_cls=kind
        )

    async def close(self) -> None:
        await self.sdk.close()


def open_api(settings: AgentSettings) -> Client:
    """A client of the Claude API; raises ModelRejected if there can be none."""
    import httpx2
    from anthropic import AsyncAnthropic

    key = settings.anthropic_api_key.get_secret_value()
    if not key:
        raise ModelRejected("there is no key for the Claude API")
    try:
        sdk = AsyncAnthropic(
            api_key=key, base_url=settings.anthropic_base_url or API_URL, **_options(settings)
        )
    except httpx2.InvalidURL as error:
        raise ModelRejected(f"the Claude API's address is no URL: {error}") from None
    return Client(sdk=sdk, leaks=_leaks())


def open_bedrock(settings: AgentSettings, base_url: str = "") -> Client:
    """A client of Bedrock; raises ModelRejected if there can be none."""
    import httpx2
    from anthropic import AsyncAnthropicBedrock

    region = settings.aws_region_name
    url = base_url or BEDROCK_URL.format(region=region)
    try:
        sdk = AsyncAnthropicBedrock(aws_region=region, base_url=url, **_options(settings))
    except httpx2.InvalidURL as error:
        raise ModelRejected(f"Bedrock's address is no URL: {error}") from None
    # AWS_BEARER_TOKEN_BEDROCK comes first, as it does in AWS's own tools.
    sign_in = _signing(sdk, _aws_credentials()) if sdk.api_key is None else None
    return Client(sdk=sdk, leaks=_bedrock_leaks(), sign_in=sign_in)


def _options(settings: AgentSettings) -> dict[str, Any]:
    from anthropic import Timeout

    seconds = settings.model_timeout_seconds
    return {
        "timeout": Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
        "max_retries": settings.model_max_retries,
        "open_telemetry": False,
    }


class _Credentials(Protocol):
    """Botocore's: they renew themselves when they are about to expire."""

    def get_frozen_credentials(self) -> Any: ...


def _aws_credentials() -> _Credentials:
    from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]

    try:
        found: _Credentials | None = botocore_session().get_credentials()
    except BotoCoreError as error:
        raise _no_credentials(error) from None
    if found is None:
        raise ModelRejected("there are no AWS credentials")
    return found


def _signing(sdk: "AsyncAnthropicBedrock", credentials: _Credentials) -> Callable[[], Awaitable[None]]:
    """Hands the SDK the keys of the hour; without any it would search for them, everywhere."""
    from botocore.exceptions import BotoCoreError, ClientError

    async def sign_in() -> None:
        try:
            keys = await asyncio.to_thread(credentials.get_frozen_credentials)
        except (BotoCoreError, ClientError, RuntimeError) as error:  # the last: renewed, and expired already
            raise _no_credentials(error) from None
        sdk.aws_access_key, sdk.aws_secret_key = keys.access_key, keys.secret_key
        sdk.aws_session_token = keys.token

    return sign_in


def _no_credentials(error: Exception) -> ModelRejected:
    return ModelRejected(f"AWS credentials cannot be had: {type(error).__name__}")


def _leaks() -> tuple[type[Exception], ...]:
    import httpx2

    return (httpx2.HTTPError, ValueError)


def _bedrock_leaks() -> tuple[type[Exception], ...]:
    from botocore.eventstream import ParserError  # type: ignore[import-untyped]
    from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]

    return (*_leaks(), ParserError, ResponseParserError, LookupError)
