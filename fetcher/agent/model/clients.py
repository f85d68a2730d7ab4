"""Opens the SDK's clients, for the Claude API and for Bedrock, from our settings alone.

The SDK takes seconds to import: it is imported in the functions that open a client, and these are called in a
thread. The SDK gets key, address, timeouts and telemetry explicitly, so that it does not search for them.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fetcher import aws
from fetcher.agent.errors import ModelRejected
from fetcher.settings import AgentSettings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncStream

API_URL = "https://api.anthropic.com"
BEDROCK_URL = "https://bedrock-runtime.{region}.amazonaws.com"
CONNECT_SECONDS = 5.0
"""Long enough for any server that is up."""
SECRETS = ("api_key", "aws_access_key", "aws_secret_key", "aws_session_token")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client of the Messages API that takes and gives the API's own JSON."""

    sdk: "AsyncAnthropic | AsyncAnthropicBedrock"
    stream_errors: tuple[type[Exception], ...]
    """What reading a stream raises besides the SDK's own errors."""
    sign_in: Callable[[], Awaitable[None]] | None = None
    """Called before each call."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that may not appear in logs and answers."""
        return tuple(filter(None, (getattr(self.sdk, name, None) for name in SECRETS)))

    async def stream(self, body: dict[str, Any]) -> "AsyncStream[object]":
        """Open the stream of one turn.

        `messages.create` would misread an event that it does not know; `post` leaves events as they came.
        """
        from anthropic import AsyncStream

        if self.sign_in:
            await self.sign_in()
        return await self.sdk.post(
            "/v1/messages",
            body=body | {"stream": True},
            cast_to=object,
            stream=True,
            stream_cls=AsyncStream[object],
        )

    async def send(self, body: dict[str, Any]) -> Any:
        """The whole reply to one call."""
        if self.sign_in:
            await self.sign_in()
        return await self.sdk.post("/v1/messages", body=body, cast_to=object)

    async def close(self) -> None:
        await self.sdk.close()


def open_api(settings: AgentSettings) -> Client:
    """A client of the Claude API; raises ModelRejected if the settings are not sufficient."""
    import httpx2
    from anthropic import AsyncAnthropic

    key = settings.anthropic_api_key.get_secret_value()
    if not key:
        raise ModelRejected("no key for the Claude API is set")
    try:
        sdk = AsyncAnthropic(
            api_key=key, base_url=settings.anthropic_base_url or API_URL, **_options(settings)
        )
    except httpx2.InvalidURL as error:
        raise ModelRejected(f"no URL can be made of the Claude API's address: {error}") from None
    return Client(sdk=sdk, stream_errors=(httpx2.HTTPError, ValueError))


def open_bedrock(settings: AgentSettings, base_url: str = "") -> Client:
    """A client of Bedrock; raises ModelRejected if settings or credentials are not sufficient."""
    import httpx2
    from anthropic import AsyncAnthropicBedrock
    from botocore.eventstream import ParserError  # type: ignore[import-untyped]
    from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]

    region = aws.region_of(settings.aws_region_name)
    url = base_url or BEDROCK_URL.format(region=region)
    try:
        sdk = AsyncAnthropicBedrock(aws_region=region, base_url=url, **_options(settings))
    except httpx2.InvalidURL as error:
        raise ModelRejected(f"no URL can be made of Bedrock's address: {error}") from None
    # AWS_BEARER_TOKEN_BEDROCK comes first, as it does in AWS's own tools.
    sign_in = _aws_sign_in(sdk) if sdk.api_key is None else None
    errors = (httpx2.HTTPError, ValueError, ParserError, ResponseParserError, LookupError)
    return Client(sdk=sdk, stream_errors=errors, sign_in=sign_in)


def _options(settings: AgentSettings) -> dict[str, Any]:
    """Raises ModelRejected if the environment's proxy or certificates cannot be used."""
    import httpx2
    from anthropic import DefaultAsyncHttpxClient, Timeout

    seconds = settings.model_timeout_seconds
    try:
        http_client = DefaultAsyncHttpxClient()
    except OSError:
        raise ModelRejected("the certificates of SSL_CERT_FILE or SSL_CERT_DIR cannot be read") from None
    except (ImportError, ValueError, httpx2.InvalidURL):  # their texts may quote a password
        advice = "write it as http://host:port; SOCKS is not supported"
        raise ModelRejected(f"the proxy of HTTPS_PROXY or ALL_PROXY cannot be used: {advice}") from None
    return {
        "http_client": http_client,
        "timeout": Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
        "max_retries": settings.model_max_retries,
        "open_telemetry": False,
    }


class _Credentials(Protocol):
    """Botocore's: they renew themselves when they are about to expire."""

    def get_frozen_credentials(self) -> Any: ...


def _aws_sign_in(sdk: "AsyncAnthropicBedrock") -> Callable[[], Awaitable[None]]:
    """Gives the SDK the keys that hold now; without them it would search for some everywhere."""
    from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

    try:
        credentials: _Credentials | None = aws.botocore_session().get_credentials()
    except BotoCoreError as error:
        raise _no_credentials(error) from None
    if credentials is None:
        raise ModelRejected(aws.NO_CREDENTIALS)
    freeze = credentials.get_frozen_credentials

    async def sign_in() -> None:
        try:
            keys = await asyncio.to_thread(freeze)
        except (BotoCoreError, ClientError, RuntimeError) as error:  # the last: renewed, and expired already
            raise _no_credentials(error) from None
        sdk.aws_access_key, sdk.aws_secret_key = keys.access_key, keys.secret_key
        sdk.aws_session_token = keys.token

    return sign_in


def _no_credentials(error: Exception) -> ModelRejected:
    name = type(error).__name__
    return ModelRejected(f"AWS credentials cannot be had: {aws.ADVICE.get(name, name)}")
