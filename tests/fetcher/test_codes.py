"""The words that callers see are the documents', spelt out here once more."""

from enum import StrEnum

import pytest

from fetcher.codes import (
    RETRYABLE,
    RETRYABLE_4XX,
    AgentCode,
    ErrorCode,
    Note,
    ReadingMode,
    RenderingMethod,
    Toggle,
    TruncationReason,
)

REGISTRY = {
    "bad_args": False,
    "invalid_url": False,
    "invalid_scheme": False,
    "invalid_host": False,
    "port_blocked": False,
    "ssrf_blocked": False,
    "dns_failed": True,
    "robots_disallowed": False,
    "robots_unavailable": True,
    "redirect_limit": False,
    "timeout": True,
    "network": True,
    "response_too_large": False,
    "unsupported_content_type": False,
    "http_4xx": False,
    "http_5xx": True,
    "browser_unavailable": False,
    "browser_crashed": True,
    "extraction_failed": False,
    "cache_read_failed": True,
    "internal": True,
}


def test_the_registry_says_what_went_wrong_and_whether_to_try_again():
    """SRD §3.7.2, row by row; FR-WF-ERR-HTTP-01 for the two client errors."""
    assert {code.value: code in RETRYABLE for code in ErrorCode} == REGISTRY
    assert sorted(RETRYABLE_4XX) == [408, 429]


WORDS: list[tuple[type[StrEnum], list[str]]] = [
    (  # FR-WF-NOTES-ORDER-01
        Note,
        [
            "cache_hit",
            "robots_unavailable_fail_open",
            "browser_unavailable_used_http",
            "browser_timeout_dom_partial",
            "browser_dom_truncated",
            "browser_blocked_non_get",
            "charset_fallback",
            "cache_write_failed",
            "tool_output_limit",
        ],
    ),
    (  # FR-WF-TRUNC-REASON-02
        TruncationReason,
        ["tool_output_limit", "browser_dom_truncated", "browser_timeout_dom_partial"],
    ),
    (RenderingMethod, ["http", "browser"]),  # FR-WF-03
    (ReadingMode, ["srd", "article"]),  # E17
    (  # FR-WF-05
        Toggle,
        ["block_private_ips", "block_loopback", "block_link_local", "block_reserved"],
    ),
]


@pytest.mark.parametrize(("words", "written"), WORDS)
def test_words_come_in_the_documents_order(words, written):
    """The order is a meaning too: of notes the pipeline's, of reasons their precedence."""
    assert [word.value for word in words] == written


def test_a_url_from_nowhere_is_refused_by_its_name():
    """A3."""
    assert AgentCode.URL_NOT_IN_CONTEXT.value == "url_not_in_context"
