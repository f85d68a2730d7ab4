"""All errors of the engine, as one tree.

    FetchError
    ├── BadArguments              bad_args
    │   ├── SchemaViolated        bad_args
    │   └── SwitchedOff           bad_args
    ├── UrlRejected
    │   ├── InvalidUrl            invalid_url
    │   ├── InvalidScheme         invalid_scheme
    │   └── InvalidHost           invalid_host
    ├── TargetBlocked
    │   ├── PortBlocked           port_blocked
    │   └── SsrfBlocked           ssrf_blocked
    ├── RobotsRefused
    │   ├── RobotsDisallowed      robots_disallowed
    │   └── RobotsUnavailable     robots_unavailable
    ├── TransferFailed
    │   ├── DnsFailed             dns_failed
    │   ├── RedirectLimit         redirect_limit
    │   ├── Timeout               timeout
    │   ├── NetworkFailed         network
    │   ├── ResponseTooLarge      response_too_large
    │   ├── HttpClientError       http_4xx
    │   └── HttpServerError       http_5xx
    ├── ReadingFailed
    │   ├── UnsupportedContentType  unsupported_content_type
    │   ├── ExtractionFailed      extraction_failed
    │   └── DocumentUnreadable    the codes of documents
    ├── BrowserFailed
    │   ├── BrowserUnavailable    browser_unavailable
    │   └── BrowserCrashed        browser_crashed
    ├── CacheReadFailed           cache_read_failed
    └── InternalError             internal

Each leaf names its code, and takes the details that SRD §3.7.2 lists for it.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from fetcher.codes import RETRYABLE, RETRYABLE_4XX, DocumentCode, ErrorCode
from fetcher.text import well_formed
from fetcher.web.fetch_log import here

log = logging.getLogger(__name__)

LONGEST_DETAIL = 300


class FetchError(Exception):
    """A fetch that ended without a page; `envelope()` is the error as the caller gets it."""

    code: ClassVar[ErrorCode | DocumentCode]

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = _presentable(message)
        self.details = {name: _presentable(value) for name, value in details.items() if value is not None}
        self.retryable = self.code in RETRYABLE

    def envelope(self) -> dict[str, Any]:
        """The error object of SRD §3.7.1."""
        body: dict[str, Any] = {
            "code": self.code.value,
            "message": self.message,
            "retryable": self.retryable,
        }
        if self.details:
            body["details"] = self.details
        return body


def _presentable(value: Any) -> Any:
    """Short text that can be encoded anywhere: details quote text from outside."""
    if not isinstance(value, str):
        return value
    return well_formed(value[:LONGEST_DETAIL], "?")


class BadArguments(FetchError):
    code = ErrorCode.BAD_ARGS

    def __init__(self, reason: str, *, field: str, validation: str | None = None) -> None:
        super().__init__(f"{field}: {reason}", field=field, reason=reason, validation=validation)


class SchemaViolated(BadArguments):
    """The arguments do not match the tool's schema (SRD FR-ERR-JSON-02)."""

    def __init__(self, reason: str, *, field: str = "arguments") -> None:
        super().__init__(reason, field=field, validation=f"{field} {reason}")


class SwitchedOff(BadArguments):
    """Settings forbid every fetch (SRD §5.2)."""

    def __init__(self, *, setting: str) -> None:
        super().__init__("reading pages is switched off by configuration", field=setting)


class UrlRejected(FetchError):
    """The text is not a URL that can be fetched."""


class InvalidUrl(UrlRejected):
    code = ErrorCode.INVALID_URL

    def __init__(self, reason: str, *, url: str) -> None:
        super().__init__(reason, url=url)


class InvalidScheme(UrlRejected):
    code = ErrorCode.INVALID_SCHEME

    def __init__(self, *, scheme: str) -> None:
        super().__init__("Only http and https URLs can be fetched", scheme=scheme)


class InvalidHost(UrlRejected):
    code = ErrorCode.INVALID_HOST

    def __init__(self, reason: str, *, host: str) -> None:
        super().__init__(reason, host=host)


class TargetBlocked(FetchError):
    """The URL is valid, and policy forbids a request to it."""


class PortBlocked(TargetBlocked):
    code = ErrorCode.PORT_BLOCKED

    def __init__(self, *, port: int, allowed_ports: list[int]) -> None:
        super().__init__(f"Port {port} is not allowed", port=port, allowed_ports=allowed_ports)


class SsrfBlocked(TargetBlocked):
    code = ErrorCode.SSRF_BLOCKED

    def __init__(self, reason: str, *, blocked_ip: str, cidr: str, toggle: str | None) -> None:
        super().__init__(reason, blocked_ip=blocked_ip, cidr=cidr, toggle=toggle)
        self.after_redirect = False
        """Whether a public page has redirected there."""


class RobotsRefused(FetchError):
    """The site's robots.txt forbids the request, or could not be fetched."""


class RobotsDisallowed(RobotsRefused):
    code = ErrorCode.ROBOTS_DISALLOWED

    def __init__(self, *, path: str, origin: str) -> None:
        super().__init__("robots.txt disallows this path", path=path, origin=origin)


class RobotsUnavailable(RobotsRefused):
    code = ErrorCode.ROBOTS_UNAVAILABLE

    def __init__(self, *, origin: str, error: str) -> None:
        super().__init__("robots.txt could not be fetched", origin=origin, error=error)


class TransferFailed(FetchError):
    """The request for the page failed, or its response did."""


class DnsFailed(TransferFailed):
    """The name has no address; or DNS did not say, as without a network: then `is_certain` is False."""

    code = ErrorCode.DNS_FAILED

    def __init__(self, *, host: str, error: str, is_certain: bool = True) -> None:
        super().__init__("The host name could not be resolved", host=host, error=error)
        self.is_certain = is_certain


class RedirectLimit(TransferFailed):
    code = ErrorCode.REDIRECT_LIMIT

    def __init__(self, *, count: int, max: int) -> None:  # the name in SRD §3.7.2
        super().__init__("Too many redirects", count=count, max=max)


class Timeout(TransferFailed):
    code = ErrorCode.TIMEOUT

    def __init__(self, *, timeout_ms: int, phase: str) -> None:
        super().__init__("The fetch took too long", timeout_ms=timeout_ms, phase=phase)


class NetworkFailed(TransferFailed):
    """The connection failed; or the server was reached and `answered`, but not with a usable response."""

    code = ErrorCode.NETWORK

    def __init__(self, reason: str, *, error: str, status: int | None = None, answered: bool = False) -> None:
        super().__init__(reason, error=error, status=status)
        self.answered = answered


class ResponseTooLarge(TransferFailed):
    code = ErrorCode.RESPONSE_TOO_LARGE

    def __init__(self, *, size: int, max_bytes: int, error: str | None = None) -> None:
        super().__init__("The response is too large", size=size, max_bytes=max_bytes, error=error)


class HttpStatusError(TransferFailed):
    """The server answered with an error status."""

    def __init__(self, *, status: int, status_text: str, retry_after: int | None = None) -> None:
        self.status = status
        super().__init__(
            f"The server answered {status} {status_text}".rstrip(),
            status=status,
            status_text=status_text,
            retry_after=retry_after,
        )
        self.retryable |= status in RETRYABLE_4XX


class HttpClientError(HttpStatusError):
    code = ErrorCode.HTTP_4XX


class HttpServerError(HttpStatusError):
    code = ErrorCode.HTTP_5XX


class ReadingFailed(FetchError):
    """The page arrived, and could not be read."""


class UnsupportedContentType(ReadingFailed):
    code = ErrorCode.UNSUPPORTED_CONTENT_TYPE

    def __init__(self, *, content_type: str) -> None:
        super().__init__("This type of content cannot be read", content_type=content_type)


class ExtractionFailed(ReadingFailed):
    code = ErrorCode.EXTRACTION_FAILED

    def __init__(self, *, error: str) -> None:
        super().__init__("The page's HTML could not be read", error=error)


class DocumentUnreadable(ReadingFailed):
    """A PDF, a workbook or a Word file that could not be read; each reason has its own code."""

    code: DocumentCode  # type: ignore[misc]  # one class for all of them

    def __init__(self, code: DocumentCode, *, error: str) -> None:
        self.code = code
        super().__init__("The document could not be read", error=error)


class BrowserFailed(FetchError):
    """Chromium could not render the page."""


class BrowserUnavailable(BrowserFailed):
    """No browser can be used; `for_now` if that holds for this fetch only."""

    code = ErrorCode.BROWSER_UNAVAILABLE

    def __init__(self, *, chromium_path: str, error: str, for_now: bool = False) -> None:
        super().__init__("No usable Chromium was found", chromium_path=chromium_path, error=error)
        self.for_now = for_now


class BrowserCrashed(BrowserFailed):
    code = ErrorCode.BROWSER_CRASHED

    def __init__(self, *, error: str) -> None:
        super().__init__("The browser stopped unexpectedly", error=error)


class CacheReadFailed(FetchError):
    code = ErrorCode.CACHE_READ_FAILED

    def __init__(self, *, path: str, error: str) -> None:
        super().__init__("The cache could not be read", path=path, error=error)


class InternalError(FetchError):
    """A fault in this program; only `tool_output_limit` is not worth a retry."""

    code = ErrorCode.INTERNAL

    def __init__(self, message: str, *, error: str, retryable: bool = True) -> None:
        super().__init__(message, error=error)
        self.retryable = retryable


@contextmanager
def contained(*ours: type[Exception]) -> Iterator[None]:
    """Turn every exception that is neither a FetchError nor in `ours` into `internal` (NFR-WF-REL-02)."""
    try:
        yield
    except Exception as error:
        if isinstance(error, (FetchError, *ours)):
            raise
        log.exception("internal_error", extra=here(error_code=ErrorCode.INTERNAL))
        raise InternalError("Something unexpected went wrong", error=type(error).__name__) from error
