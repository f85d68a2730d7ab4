"""Error codes, notes, reasons for truncation, and other names that both packages and their callers share."""

from enum import StrEnum


class ErrorCode(StrEnum):
    """The registry of SRD §3.7.2, in its order."""

    BAD_ARGS = "bad_args"
    INVALID_URL = "invalid_url"
    INVALID_SCHEME = "invalid_scheme"
    INVALID_HOST = "invalid_host"
    PORT_BLOCKED = "port_blocked"
    SSRF_BLOCKED = "ssrf_blocked"
    DNS_FAILED = "dns_failed"
    ROBOTS_DISALLOWED = "robots_disallowed"
    ROBOTS_UNAVAILABLE = "robots_unavailable"
    REDIRECT_LIMIT = "redirect_limit"
    TIMEOUT = "timeout"
    NETWORK = "network"
    RESPONSE_TOO_LARGE = "response_too_large"
    UNSUPPORTED_CONTENT_TYPE = "unsupported_content_type"
    HTTP_4XX = "http_4xx"
    HTTP_5XX = "http_5xx"
    BROWSER_UNAVAILABLE = "browser_unavailable"
    BROWSER_CRASHED = "browser_crashed"
    EXTRACTION_FAILED = "extraction_failed"
    CACHE_READ_FAILED = "cache_read_failed"
    INTERNAL = "internal"


class DocumentCode(StrEnum):
    """Why a document was not read; `web_fetch` takes no documents, so they are not in the SRD's registry."""

    DOCUMENT_ENCRYPTED = "document_encrypted"
    DOCUMENT_DAMAGED = "document_damaged"
    DOCUMENT_HAS_NO_TEXT = "document_has_no_text"
    DOCUMENT_FONTS_UNREADABLE = "document_fonts_unreadable"
    DOCUMENT_TOO_LARGE = "document_too_large"


RETRYABLE = frozenset(
    {
        ErrorCode.DNS_FAILED,
        ErrorCode.ROBOTS_UNAVAILABLE,
        ErrorCode.TIMEOUT,
        ErrorCode.NETWORK,
        ErrorCode.HTTP_5XX,
        ErrorCode.BROWSER_CRASHED,
        ErrorCode.CACHE_READ_FAILED,
        ErrorCode.INTERNAL,
    }
)
"""Codes after which the same request may succeed later."""

RETRYABLE_4XX = frozenset({408, 429})
"""The client errors worth another try (SRD FR-WF-ERR-HTTP-01)."""


class Note(StrEnum):
    """What happened on the way to a successful response, in pipeline order (SRD FR-WF-NOTES-ORDER-01)."""

    CACHE_HIT = "cache_hit"
    ROBOTS_UNAVAILABLE_FAIL_OPEN = "robots_unavailable_fail_open"
    BROWSER_UNAVAILABLE_USED_HTTP = "browser_unavailable_used_http"
    BROWSER_TIMEOUT_DOM_PARTIAL = "browser_timeout_dom_partial"
    BROWSER_DOM_TRUNCATED = "browser_dom_truncated"
    BROWSER_BLOCKED_NON_GET = "browser_blocked_non_get"
    CHARSET_FALLBACK = "charset_fallback"
    CACHE_WRITE_FAILED = "cache_write_failed"
    TOOL_OUTPUT_LIMIT = "tool_output_limit"


class TruncationReason(StrEnum):
    """Why a response is incomplete, the strongest first (SRD FR-WF-TRUNC-REASON-02)."""

    TOOL_OUTPUT_LIMIT = "tool_output_limit"
    BROWSER_DOM_TRUNCATED = "browser_dom_truncated"
    BROWSER_TIMEOUT_DOM_PARTIAL = "browser_timeout_dom_partial"


class RenderingMethod(StrEnum):
    """What produced a page's content."""

    HTTP = "http"
    BROWSER = "browser"


class ReadingMode(StrEnum):
    """How a page's main content is found."""

    SRD = "srd"
    """The fixed rules of SRD §3.5.1."""
    ARTICLE = "article"
    """Scored blocks of text, for the agent."""


class Toggle(StrEnum):
    """The switches for classes of blocked addresses (SRD FR-WF-05)."""

    BLOCK_PRIVATE_IPS = "block_private_ips"
    BLOCK_LOOPBACK = "block_loopback"
    BLOCK_LINK_LOCAL = "block_link_local"
    BLOCK_RESERVED = "block_reserved"


class AgentCode(StrEnum):
    """Why the agent, or one of its tools, did not do what it was asked."""

    EMPTY_QUESTION = "empty_question"
    URL_NOT_IN_CONTEXT = "url_not_in_context"
    URL_TOO_LONG = "url_too_long"
    DOMAIN_BLOCKED = "domain_blocked"
    SLACK_PERMALINK = "slack_permalink"
    SLACK_MESSAGE_REFUSED = "slack_message_refused"
    SLACK_MESSAGE_FAILED = "slack_message_failed"
    FETCH_LIMIT = "fetch_limit"
    UNNAMED_HOST_LIMIT = "unnamed_host_limit"
    QUERY_TOO_LONG = "query_too_long"
    QUERY_QUOTES_OTHERS = "query_quotes_others"
    SEARCH_LIMIT = "search_limit"
    SEARCH_UNAVAILABLE = "search_unavailable"
    SEARCH_REJECTED = "search_rejected"
    PAGE_NOT_READ = "page_not_read"
    NO_SUCH_TABLE = "no_such_table"
    NO_SUCH_COLUMN = "no_such_column"
    NOT_COMPARABLE = "not_comparable"
    FILE_TOO_LARGE = "file_too_large"
    FILE_TYPE_NOT_ALLOWED = "file_type_not_allowed"
    FILE_LIMIT = "file_limit"
    FILE_INVALID = "file_invalid"
    FILE_GONE = "file_gone"
    FILE_EXTERNAL = "file_external"
    FILE_HIDDEN = "file_hidden"
    FILE_ACCESS_DENIED = "file_access_denied"
    FILE_DOWNLOAD_FAILED = "file_download_failed"
    FILES_NOT_SENT = "files_not_sent"
    ATTACHMENT_TOO_LARGE = "attachment_too_large"
    PICTURE_NOT_SEEN = "picture_not_seen"
    PICTURE_TYPE = "picture_type"
    PICTURE_TOO_LARGE = "picture_too_large"
    TOOL_UNKNOWN = "tool_unknown"
    MODEL_UNAVAILABLE = "model_unavailable"
    MODEL_REJECTED = "model_rejected"
    MODEL_REFUSED = "model_refused"
    MODEL_SILENT = "model_silent"
    TIME_LIMIT = "time_limit"
    TURN_LIMIT = "turn_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105  # a limit, no secret
